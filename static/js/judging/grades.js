// The grades: closed to a click of now until enough of the clip was seen, and open to a choice before.
//
// Who knows the grade early chooses it: its button fills with the clip, and it's given when it is full. Another one takes
// its place; the same one again, Escape or the undo key takes it off.

import { gettext } from "../translated.js";
import { say, touches } from "./words.js";

const LIT_MS = 120;
const SOONEST_MS = 500; // a press so soon after the clip came was meant for the one before

export class Grades {
  #element;
  #bar;
  #needed;
  #give;
  #chosen = null; // the button, and the grade that it stands for
  #value = null;
  #since = 0;

  /**
   * `element` holds the buttons, `bar` shows how much was seen, `needed` is the part (0-1) of the clip that has to be;
   * `give(value)`: enough was seen for the grade that was chosen.
   */
  constructor(element, bar, needed, give) {
    this.#element = element;
    this.#bar = bar;
    this.#needed = needed;
    this.#give = give;
  }

  get element() {
    return this.#element;
  }

  /** The grade that is chosen before enough was seen; null: none. */
  get chosen() {
    return this.#chosen && this.#value;
  }

  /** Another clip is on stage, or none. */
  begin(shown) {
    if (this.clear()) say("");
    this.#since = performance.now();
    this.#element.hidden = this.#bar.hidden = !shown;
  }

  /** `part` of the clip was seen; the page is `ready` for a grade, or has nothing to grade just now. */
  show(part, ready) {
    const percent = Math.round(part * 100);
    this.#bar.firstElementChild.style.width = `${percent}%`;
    // In tens: nobody wants to hear each hundredth.
    this.#bar.setAttribute("aria-valuenow", String(Math.floor(percent / 10) * 10));
    const enough = part >= this.#needed;
    if (ready && enough && this.#chosen) {
      this.#give(this.#value);
      return;
    }
    if (this.#chosen) this.#chosen.style.setProperty("--full", `${Math.round((100 * part) / this.#needed)}%`);
    this.#mark("data-closed", !ready || !enough);
    if (this.#mark("data-none", !ready)) {
      for (const button of this.#element.querySelectorAll("button")) button.setAttribute("aria-disabled", String(!ready));
    }
  }

  has(value) {
    return this.button(value) !== null;
  }

  /** Choose a grade before enough was seen, or take it off where it is chosen already. */
  choose(value) {
    if (performance.now() - this.#since < SOONEST_MS) return;
    const again = this.chosen === value;
    this.clear();
    if (again) {
      say(gettext("Not chosen any more."));
      return;
    }
    this.#chosen = this.button(value);
    this.#value = value;
    this.#chosen.classList.add("chosen");
    this.#chosen.setAttribute("aria-pressed", "true");
    const values = { grade: value, percent: Math.round(this.#needed * 100) };
    if (touches()) say(gettext("{grade} is saved at {percent} % of the clip. Tap it again to take it off.", values));
    else this.sayWayOff(values);
  }

  /** How the chosen grade is taken off by keys. */
  sayWayOff(values) {
    say(gettext("{grade} is saved at {percent} % of the clip. Press {grade} again or Esc to take it off.", values));
  }

  /** Take the chosen one off; false where there is none. */
  takeOff() {
    if (!this.clear()) return false;
    say(gettext("Not chosen any more."));
    return true;
  }

  clear() {
    const button = this.#chosen;
    this.#chosen = null;
    button?.classList.remove("chosen");
    button?.removeAttribute("aria-pressed");
    return Boolean(button);
  }

  /** A grade was given: its button lights for a moment, while the next clip plays already. */
  light(value) {
    const button = this.button(value);
    button.classList.add("lit");
    setTimeout(() => button.classList.remove("lit"), LIT_MS);
  }

  /** The button of a grade; null where there is no such grade. */
  button(value) {
    return this.#element.querySelector(`[data-grade="${value}"]`);
  }

  /** Returns whether it changed. */
  #mark(name, on) {
    if (this.#element.hasAttribute(name) === on) return false;
    this.#element.toggleAttribute(name, on);
    return true;
  }
}
