// The last answer is taken back: here while it waits to be sent, else at the server.

import { say } from "./words.js";
import { gettext } from "../translated.js";

const ASK_AGAIN_MS = 3000;

export class Undo {
  #parts;
  #page;

  /** Whether one is on its way. */
  busy = false;

  /**
   * `parts`: queue, sender, server, progress, sitting. `page` does what follows: `again(task)` brings a task back on
   * stage that the server never had, `take(answer, how)` takes the server's tasks, `stopped(outcome)`, `ask()`, `changed()`.
   */
  constructor(parts, page) {
    this.#parts = parts;
    this.#page = page;
  }

  async last() {
    const { sender, sitting } = this.#parts;
    this.busy = true;
    say(gettext("taking back…"));
    const found = await sender.alone(() => this.#takeBackLast()).finally(() => (this.busy = false));
    this.#page.changed();
    if (found.outcome) this.#takenBackByServer(found.outcome);
    else if (found.task) {
      sitting.takenBack();
      this.#page.again(found.task);
      say(gettext("taken back"));
    } else say(gettext("You can undo the one before when the network is back."));
  }

  /** Returns {task}, of one that waited here, or the server's {outcome}, or {} for neither. */
  async #takeBackLast() {
    const { queue, server } = this.#parts;
    const last = queue.last;
    if (!last) return { outcome: await server.post("undo") };
    if (last.withdrawn) return {};
    // Never sent: gone, and nobody ever knew. Perhaps received: taken back as soon as the server can say.
    if (last.tried) queue.change(last.id, { withdrawn: true });
    else queue.remove(last.id);
    return { task: last.task };
  }

  #takenBackByServer(outcome) {
    const { progress, sitting } = this.#parts;
    if (outcome.kind === "taken") {
      const flagged = outcome.body.undone === "flag";
      if (!flagged) {
        progress.count(-1);
        sitting.saved(-1);
      }
      sitting.takenBack();
      say(outcome.body.message || (flagged ? gettext("The flag is taken back.") : gettext("taken back")));
      this.#page.take(outcome.body, { first: true });
    } else if (outcome.kind === "refused") {
      say(outcome.body.message);
      this.#page.take(outcome.body);
    } else if (outcome.kind === "away") {
      // Whether it arrived, the next answer tells. A second request might take back another one.
      say(gettext("The server can't be reached, so nothing more was undone."));
      setTimeout(() => this.#page.ask(), ASK_AGAIN_MS);
    } else this.#page.stopped(outcome);
  }
}
