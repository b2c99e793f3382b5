// The keys: each action has its keys in the list of keys (#keys), which is the one table of them: what a row of it says
// is what is bound. Each action is also a button with the same name in `data-do`.
//
//   <kbd data-key="z" data-act="undo">      a key's name as in KeyboardEvent.key, in small letters; "shift+" before it
//   <kbd data-key="q" data-grade="0" data-hand="left">      only where the person has chosen that hand

import { recall, remember } from "./remembered.js";

const QUIET = new Set(["takeOff", "give"]); // what other parts of the page may want as well
const REPEATED = new Set(["back", "on", "left", "right", "up", "down"]);
const HELD = new Set(["context"]); // for as long as the key, or the button, is held
const SWITCH = "qreels:keys";
const NAMED = { space: " " };

/** Calls `grade(n)` and `actions[name](down)`; `list` has the keys; `busy()` says when a dialog has the keys to itself. */
export function listen({ grade, actions, list, busy }) {
  const bound = new Map();
  for (const { dataset } of list.querySelectorAll("kbd[data-key]")) {
    bound.set(`${dataset.hand ?? ""}:${NAMED[dataset.key] ?? dataset.key}`, dataset);
  }
  const find = (name) => bound.get(`:${name}`) ?? bound.get(`${list.dataset.hand}:${name}`);
  let held = null; // by which key or finger
  let letGo = () => {};
  const hold = (action, by) => {
    held = by;
    letGo = () => {
      held = null;
      actions[action]?.(false);
    };
  };

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input:not([type=range]), textarea, select, video[controls], [contenteditable]");
    if (typing || busy() || !keysOn() || isShortcut(event)) return;
    // Keys that move a slider are its own.
    if (event.target.type === "range" && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    const onButton = Boolean(event.target.closest?.("button, a, summary"));
    // A held Enter would press the same grade for clip after clip.
    if (onButton && event.repeat && event.key === "Enter") event.preventDefault();
    // On a button Space and Enter press that button, as everywhere.
    if (onButton && event.key === " " && event.repeat) event.preventDefault();
    if (onButton && (event.key === " " || event.key === "Enter")) return;
    const key = nameOf(event);
    const pressed = (event.shiftKey && find(`shift+${key}`)) || find(key);
    const digit = pressed ? null : digitOf(event);
    if (digit === null && !pressed) return;
    const action = pressed?.act;
    if (!QUIET.has(action)) event.preventDefault();
    if (event.repeat && !REPEATED.has(action)) return;
    if (!action) grade(digit ?? Number(pressed.grade));
    else actions[action]?.(true);
    if (HELD.has(action)) hold(action, event.code || key);
  });
  document.addEventListener("keyup", (event) => [event.code, nameOf(event)].includes(held) && letGo());
  // A window that loses the focus hears of no key that comes up.
  addEventListener("blur", () => held && letGo());

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do], [data-grade]");
    if (!button || !button.closest("[data-keys]")) return;
    // The second click of a double click was meant for the clip before.
    if (event.detail > 1 && button.dataset.grade) return;
    // Whoever uses the pointer wants Space to pause, not to press the last button again.
    if (event.detail > 0 && !button.closest("dialog")) button.blur();
    if (button.dataset.grade) grade(Number(button.dataset.grade));
    // Who can't hold a button down, by keyboard or a screen reader, presses it once more to let go.
    else if (HELD.has(button.dataset.do)) event.detail > 0 || actions[button.dataset.do]?.(button.ariaPressed !== "true");
    else actions[button.dataset.do]?.(true);
  });
  document.addEventListener("pointerdown", (event) => {
    const button = event.target.closest("[data-keys] [data-do]");
    if (!button || !HELD.has(button.dataset.do) || event.button) return;
    actions[button.dataset.do]?.(true);
    hold(button.dataset.do, "pointer");
  });
  for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => held === "pointer" && letGo());
  // A long touch opens no menu of the browser's on what is held.
  document.addEventListener("contextmenu", (event) => held === "pointer" && event.preventDefault());
}

/** The switch for people whose speech or switch control types letters: keys off, buttons stay. */
export function bindSwitch(box) {
  box.checked = keysOn();
  box.addEventListener("change", () => {
    if (!remember(SWITCH, box.checked ? "on" : "off")) box.checked = true;
  });
}

/** The choice of keys for one hand, added to the others; remembered for `person` in this browser. */
export function bindHands(list, radios, person) {
  const name = `qreels:hand:${person}`;
  list.dataset.hand = recall(name) ?? "";
  for (const radio of radios) {
    radio.checked = radio.value === list.dataset.hand;
    radio.addEventListener("change", () => {
      list.dataset.hand = radio.value;
      remember(name, radio.value);
    });
  }
}

function keysOn() {
  return recall(SWITCH) !== "off";
}

function isShortcut(event) {
  // German and other keyboards type [ and ] with AltGr, which also looks like Ctrl and Alt.
  if (event.getModifierState("AltGraph")) return event.metaKey;
  return event.ctrlKey || event.metaKey || event.altKey;
}

/** The key as the list names it. On a keyboard of other letters, such as Greek, the letter that stands there in English. */
function nameOf(event) {
  const key = event.key.toLowerCase();
  if (key.length !== 1 || key.charCodeAt(0) < 0x250) return key;
  return /^Key([A-Z])$/.exec(event.code)?.[1].toLowerCase() ?? key;
}

function digitOf(event) {
  if (/^\d$/.test(event.key)) return Number(event.key);
  // French keyboards type digits with Shift only.
  const code = /^Digit(\d)$/.exec(event.code);
  return code && !event.shiftKey && !event.getModifierState("AltGraph") ? Number(code[1]) : null;
}
