// Factors: questions after the grade, in the place of the grades, one after the other. The grade goes with all answers.

import { gettext } from "../translated.js";
import { say } from "./words.js";

export class Factors {
  #groups;
  #question;
  #grades;
  #when;
  #done;
  #grade = null;
  #answers = []; // those given, in the order of the groups
  #from = null; // what had the focus when they were asked

  /**
   * `element` has the questions, null where there are none; `grades` makes room for them; `when`: {asked, top};
   * `done(grade, {key: value})`: all are answered.
   */
  constructor(element, grades, when, done) {
    this.#groups = [...(element?.querySelectorAll("[data-factor]") ?? [])];
    this.#question = element?.querySelector("p");
    this.#grades = grades;
    this.#when = when;
    this.#done = done;
  }

  get asking() {
    return this.#grade !== null;
  }

  /** Whether questions follow a grade. */
  follow(grade) {
    const { asked, top } = this.#when;
    return this.#groups.length > 0 && (asked === "every" || (grade > 0 && grade < top));
  }

  ask(grade) {
    this.#grade = grade;
    this.#answers = [];
    this.#from = this.#grades.contains(document.activeElement) ? document.activeElement : null;
    this.#show();
  }

  /** False where there is no such answer. */
  answer(value) {
    const button = this.#groups[this.#answers.length].querySelector(`[data-grade="${value}"]`);
    if (!button) return false;
    this.#answers.push("skip" in button.dataset ? null : value);
    if (this.#answers.length < this.#groups.length) this.#show();
    else {
      const [grade, given] = [this.#grade, this.#answers];
      this.end();
      this.#done(grade, Object.fromEntries(this.#groups.map((group, place) => [group.dataset.factor, given[place]])));
    }
    return true;
  }

  /** One step back: the question before, or the grades; false where nothing is asked. */
  takeBack() {
    if (!this.asking) return false;
    if (this.#answers.pop() === undefined) {
      this.end();
      say(gettext("Not chosen any more."));
    } else this.#show();
    return true;
  }

  /** The grades are there again. */
  end() {
    if (!this.asking) return;
    this.#grade = null;
    this.#show();
    this.#from?.focus();
  }

  #show() {
    const place = this.asking ? this.#answers.length : -1;
    const focused = this.#from && this.asking;
    this.#grades.toggleAttribute("data-asked", this.asking);
    this.#groups.forEach((group, number) => (group.hidden = number !== place));
    const group = this.#groups[place];
    // With the focus the group is read out, by the same words.
    this.#question.setAttribute("aria-live", focused ? "off" : "polite");
    const count = this.#groups.length > 1 ? `${place + 1}/${this.#groups.length} · ` : "";
    this.#question.textContent = group ? count + group.getAttribute("aria-label") : "";
    // Who moves from button to button finds the next ones.
    if (focused) group.querySelector("button").focus();
  }
}
