// The veil over a clip whose video has content that somebody may not want to see: it says what, and waits.

import { gettext } from "../translated.js";

const KEEP_LIFTED = 100;

export class Veil {
  #element;
  #area;
  #stage;
  #lifted = new Set(); // pairs, which undo may bring back
  #pair = null;

  /** `element` is the veil, `area` what it covers, `stage` has the clip that rests meanwhile. */
  constructor(element, area, stage) {
    this.#element = element;
    this.#area = area;
    this.#stage = stage;
  }

  get down() {
    return this.#area.hasAttribute("data-veiled");
  }

  /** Another pair comes on stage, or none; said before its clip is shown. */
  begin(task) {
    this.#pair = task?.content && task.clip && !this.#lifted.has(task.pair) ? task.pair : null;
    this.#area.toggleAttribute("data-veiled", this.#pair !== null);
    this.#element.hidden = this.#pair === null;
    this.#stage.cover("veil", this.#pair !== null);
    if (this.#pair === null) return;
    this.#element.querySelector("p").textContent = gettext("This clip has: {kinds}", { kinds: task.content.join(", ") });
  }

  /** Show the clip; false where it's shown already. */
  lift() {
    if (!this.down) return false;
    this.#lifted.add(this.#pair);
    if (this.#lifted.size > KEEP_LIFTED) this.#lifted.delete(this.#lifted.values().next().value);
    this.#area.removeAttribute("data-veiled");
    this.#element.hidden = true;
    this.#stage.cover("veil", false);
    this.#stage.play();
    return true;
  }
}
