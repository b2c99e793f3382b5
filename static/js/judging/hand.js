// The tasks at hand, in order: what the server has given out and nobody has answered here yet.

const AT_HAND = 4; // sent with each answer; more only when they are asked for (annotation/assignment/next_tasks.py)
const AHEAD = 26; // asked for ...
const FEWEST = 20; // ... when fewer than these are left: about ten minutes of judging

export class Hand {
  tasks = [];
  #fewThere = false;

  /** How many to ask for. */
  get ahead() {
    return AHEAD;
  }

  /** Whether to ask for more: few are left, and the server may have some. */
  get wantsMore() {
    return this.tasks.length < FEWEST && !this.#fewThere;
  }

  get first() {
    return this.tasks[0] ?? null;
  }

  /**
   * Take what the server sent, less the pairs in `answered`. `whole`: all that was asked for, and not the first few.
   * The pair `stays`, which is being watched, keeps its place at the head if it is among them.
   */
  take(sent, { whole, answered, stays = null }) {
    const known = new Set(this.tasks.map((task) => task.pair));
    if (whole) this.#fewThere = sent.length < FEWEST;
    else if (sent.some((task) => !known.has(task.pair))) this.#fewThere = false;
    const all = whole || sent.length < AT_HAND ? sent : [...sent, ...this.#after(sent)];
    this.tasks = all.filter((task) => !answered.has(task.pair));
    const at = this.tasks.findIndex((task) => task.pair === stays);
    if (at > 0) this.tasks.unshift(...this.tasks.splice(at, 1));
  }

  /** What lies behind the tasks of an answer that has only the first few. What lay between them is no longer there. */
  #after(sent) {
    const pairs = new Set(sent.map((task) => task.pair));
    const last = this.tasks.findLastIndex((task) => pairs.has(task.pair));
    return this.tasks.slice(last + 1);
  }

  /** These pairs were answered. */
  drop(pairs) {
    const before = this.tasks.length;
    this.tasks = this.tasks.filter((task) => !pairs.has(task.pair));
    return this.tasks.length < before;
  }

  /** A task comes first again. */
  putFirst(task) {
    this.drop(new Set([task.pair]));
    this.tasks.unshift(task);
  }

  clear() {
    this.tasks = [];
  }
}
