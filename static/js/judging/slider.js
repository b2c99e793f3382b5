// A slider in place of grade buttons, for scales of many grades, under the same rules: see grades.js.
//
// Nothing is set when a clip comes. Digits type a number, the slider is dragged, or Enter puts the focus on it and arrows
// move it; Enter or the button gives what is set. Escape empties it, and arrows are the clip's again.

import { gettext } from "../translated.js";
import { Grades } from "./grades.js";
import { say } from "./words.js";

const TYPING_MS = 1500; // a digit so soon belongs to the number before it
const TONES = 4; // steps of the colour ramp above the first

export class SliderGrades extends Grades {
  #range;
  #button;
  #typed = "";
  #typedAt = -TYPING_MS;

  constructor(element, bar, needed, give) {
    super(element, bar, needed, give);
    this.#range = element.querySelector("input[type=range]");
    this.#button = element.querySelector("button");
    this.#range.addEventListener("input", () => this.#set(Number(this.#range.value)));
    // A press of the slider as it stands is a choice, too; the middle is as good a grade as any.
    this.#range.addEventListener("pointerup", () => this.#set(Number(this.#range.value)));
  }

  /** What is set, null where nothing is. */
  get value() {
    return this.#range.hasAttribute("data-unset") ? null : Number(this.#range.value);
  }

  begin(shown) {
    super.begin(shown);
    this.#empty();
  }

  has(value) {
    const { max, step } = this.#range;
    return Number.isInteger(value) && value >= 0 && value <= Number(max) && value % Number(step) === 0;
  }

  /** A digit was pressed: the slider goes to the grade nearest to what is typed so far. */
  type(digit) {
    if (this.element.hidden) return;
    const now = performance.now();
    const longer = now - this.#typedAt < TYPING_MS ? `${this.#typed}${digit}` : `${digit}`;
    this.#typed = Number(longer) > Number(this.#range.max) ? `${digit}` : String(Number(longer));
    this.#typedAt = now;
    this.#range.value = this.#typed; // the browser takes the nearest step
    this.#set(Number(this.#range.value));
    this.#range.focus();
  }

  /** Enter was pressed with nothing set: from here on arrows move the slider. */
  open() {
    this.#range.focus();
    this.#set(Number(this.#range.value));
  }

  takeOff() {
    const chosen = super.takeOff();
    if (chosen) return true;
    const at = document.activeElement === this.#range;
    if (this.value === null && !at) return false;
    this.#empty();
    return true;
  }

  sayWayOff(values) {
    say(gettext("{grade} is saved at {percent} % of the clip. Press Enter again or Esc to take it off.", values));
  }

  button(value) {
    return this.has(value) ? this.#button : null;
  }

  #set(value) {
    if (this.chosen !== null && this.chosen !== value) this.clear();
    this.#range.removeAttribute("data-unset");
    this.#tell(value, String(value));
  }

  #empty() {
    this.#typedAt = -TYPING_MS;
    this.#range.setAttribute("data-unset", "");
    this.#range.value = String(Number(this.#range.max) / 2);
    this.#range.blur();
    this.#tell(null, "–");
  }

  #tell(value, shown) {
    this.#range.setAttribute("aria-valuetext", value === null ? gettext("none yet") : shown);
    this.#button.firstElementChild.textContent = shown;
    const tone = value === null ? "" : ` grade-${Math.round((value / Number(this.#range.max)) * TONES)}`;
    const kept = [...this.#button.classList].filter((name) => !name.startsWith("grade-"));
    this.#button.className = kept.join(" ") + tone;
  }
}
