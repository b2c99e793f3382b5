// The clip on stage, larger: by key, wheel or two fingers, about the pointer; moved by dragging or Shift with the arrows.
// Each clip begins whole.

const LEVELS = [1, 1.5, 2, 3, 4];
const STEP = 0.15; // of the stage, by key
const DRAGGED = 4; // pixels: less is a click

export class Zoom {
  #stage;
  #scale = 1;
  #x = 0; // pixels by which the middle is moved
  #y = 0;
  #at = null; // where the pointer is, from the stage's middle; null outside
  #fingers = new Map();
  #moved = false;
  #tell;

  /** `stage`: the clips are in it; `tell(scale)`: it has changed. */
  constructor(stage, tell) {
    this.#stage = stage;
    this.#tell = tell;
    stage.addEventListener("pointerdown", (event) => this.#down(event));
    stage.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
      stage.addEventListener(end, (event) => this.#fingers.delete(event.pointerId));
    }
    stage.addEventListener("pointerleave", () => (this.#at = null));
    // What was dragged wasn't clicked.
    stage.addEventListener("click", (event) => this.#moved && event.stopPropagation(), { capture: true });
    // A trackpad's pinch.
    stage.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.#to(this.#scale * Math.exp(-event.deltaY / 100), this.#fromMiddle(event));
    }, { passive: false });
  }

  get scale() {
    return this.#scale;
  }

  /** Larger (1) or smaller (-1), about the pointer or the middle. */
  step(direction) {
    const next = direction > 0
      ? LEVELS.find((level) => level > this.#scale + 0.01)
      : LEVELS.findLast((level) => level < this.#scale - 0.01);
    if (next) this.#to(next, this.#at ?? { x: 0, y: 0 });
  }

  /** Look further left (-1, 0), right, up or down; false where the clip is whole. */
  pan(across, down) {
    if (this.#scale === 1) return false;
    const { width, height } = this.#stage.getBoundingClientRect();
    this.#shift(-across * width * STEP, -down * height * STEP);
    return true;
  }

  /** The whole clip. */
  reset() {
    this.#fingers.clear();
    if (this.#scale !== 1) this.#to(1, { x: 0, y: 0 });
  }

  #to(scale, { x, y }) {
    const before = this.#scale;
    this.#scale = Math.max(1, Math.min(LEVELS.at(-1), scale));
    // What is at that place stays there.
    const by = this.#scale / before;
    this.#x = x - (x - this.#x) * by;
    this.#y = y - (y - this.#y) * by;
    this.#shift(0, 0);
    this.#tell(this.#scale);
  }

  #shift(x, y) {
    const { width, height } = this.#stage.getBoundingClientRect();
    const most = (size) => ((this.#scale - 1) * size) / 2;
    this.#x = Math.max(-most(width), Math.min(most(width), this.#x + x));
    this.#y = Math.max(-most(height), Math.min(most(height), this.#y + y));
    this.#stage.toggleAttribute("data-zoomed", this.#scale > 1);
    this.#stage.style.setProperty("--zoom", `translate(${this.#x}px, ${this.#y}px) scale(${this.#scale})`);
  }

  #fromMiddle({ clientX, clientY }) {
    const box = this.#stage.getBoundingClientRect();
    return { x: clientX - box.left - box.width / 2, y: clientY - box.top - box.height / 2 };
  }

  #down(event) {
    if (this.#fingers.size === 0) this.#moved = false;
    if (!event.target.closest("button")) this.#fingers.set(event.pointerId, this.#fromMiddle(event));
  }

  #move(event) {
    const now = this.#fromMiddle(event);
    if (event.pointerType === "mouse") this.#at = now;
    const before = this.#fingers.get(event.pointerId);
    if (!before) return;
    if (!this.#moved && Math.hypot(now.x - before.x, now.y - before.y) < DRAGGED) return;
    const [other] = [...this.#fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    if (other) {
      const apart = (at) => Math.max(1, Math.hypot(at.x - other.x, at.y - other.y));
      this.#to((this.#scale * apart(now)) / apart(before), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    } else if (this.#scale > 1) this.#shift(now.x - before.x, now.y - before.y);
    else return;
    this.#moved = true;
    this.#fingers.set(event.pointerId, now);
  }
}
