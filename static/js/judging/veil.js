// The veil over a clip whose video has content that somebody may not want to see: it says what, and waits.

import { gettext } from "../translated.js";

const KEEP_LIFTED = 100;

export class Veil {
  #element;
  #stage;
  #clip;
  #lifted = new Set(); // pairs, which undo may bring back
  #pair = null;

  /** `element` is the veil, `stage` what it covers, `clip` plays there. */
  constructor(element, stage, clip) {
    this.#element = element;
    this.#stage = stage;
    this.#clip = clip;
  }

  get down() {
    return this.#stage.hasAttribute("data-veiled");
  }

  /** Another pair is on stage, or none. */
  begin(task) {
    this.#pair = task?.content && task.clip && !this.#lifted.has(task.pair) ? task.pair : null;
    this.#stage.toggleAttribute("data-veiled", this.#pair !== null);
    this.#element.hidden = this.#pair === null;
    if (this.#pair === null) return;
    this.#element.querySelector("p").textContent = gettext("This clip has: {kinds}", { kinds: task.content.join(", ") });
    this.#clip.pause();
  }

  /** Show the clip; false where it's shown already. */
  lift() {
    if (!this.down) return false;
    this.#lifted.add(this.#pair);
    if (this.#lifted.size > KEEP_LIFTED) this.#lifted.delete(this.#lifted.values().next().value);
    this.#stage.removeAttribute("data-veiled");
    this.#element.hidden = true;
    this.#clip.play();
    return true;
  }
}
