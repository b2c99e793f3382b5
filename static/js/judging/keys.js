// One key an action. Each action is also a button with the same name in `data-do`.

const KEYS = {
  z: "undo",
  " ": "pause",
  arrowleft: "back",
  arrowright: "on",
  "[": "slower",
  "]": "faster",
  s: "markStart",
  e: "markEnd",
  w: "markWhole",
  f: "flag",
  v: "full",
  m: "sound",
  c: "subtitles",
  g: "guideline",
  "?": "keys",
  escape: "takeOff",
  enter: "give", // what a slider is set to
};
const QUIET = new Set(["takeOff", "give"]); // what other parts of the page may want as well
const REPEATED = new Set(["back", "on"]);
const SWITCH = "qreels:keys";

/** Calls `grade(n)` and `actions[name]()`; `busy()` says when a dialog has the keys to itself. */
export function listen({ grade, actions, busy }) {
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
    const digit = digitOf(event);
    const action = KEYS[event.key.toLowerCase()];
    if (digit === null && !action) return;
    if (event.repeat && !REPEATED.has(action)) return;
    if (!QUIET.has(action)) event.preventDefault();
    if (digit === null) actions[action]?.();
    else grade(digit);
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do], [data-grade]");
    if (!button || !button.closest("[data-keys]")) return;
    // The second click of a double click was meant for the clip before.
    if (event.detail > 1 && button.dataset.grade) return;
    // Whoever uses the pointer wants Space to pause, not to press the last button again.
    if (event.detail > 0 && !button.closest("dialog")) button.blur();
    if (button.dataset.grade) grade(Number(button.dataset.grade));
    else actions[button.dataset.do]?.();
  });
}

/** The switch for people whose speech or switch control types letters: keys off, buttons stay. */
export function bindSwitch(box) {
  box.checked = keysOn();
  box.addEventListener("change", () => {
    try {
      localStorage.setItem(SWITCH, box.checked ? "on" : "off");
    } catch {
      box.checked = true;
    }
  });
}

function keysOn() {
  try {
    return localStorage.getItem(SWITCH) !== "off";
  } catch {
    return true;
  }
}

function isShortcut(event) {
  // German and other keyboards type [ and ] with AltGr, which also looks like Ctrl and Alt.
  if (event.getModifierState("AltGraph")) return event.metaKey;
  return event.ctrlKey || event.metaKey || event.altKey;
}

function digitOf(event) {
  if (/^\d$/.test(event.key)) return Number(event.key);
  // French keyboards type digits with Shift only.
  const code = /^Digit(\d)$/.exec(event.code);
  return code && !event.shiftKey && !event.getModifierState("AltGraph") && !KEYS[event.key] ? Number(code[1]) : null;
}
