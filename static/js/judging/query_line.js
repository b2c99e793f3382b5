// The query that is judged, above the clip.

import { put } from "./words.js";
import { gettext } from "../translated.js";

export class QueryLine {
  #line;
  #last = "";

  constructor(line) {
    this.#line = line;
  }

  /** The query of the next task, or none. */
  show(next) {
    put(this.#line, next ? next.query : gettext("Judging"));
    this.#line.classList.toggle("visually-hidden", !next);
    // Whoever has judged twenty clips of one query must see that the twenty-first is of another.
    this.#line.classList.toggle("new", Boolean(next && this.#last && next.query !== this.#last));
    this.#last = next?.query ?? this.#last;
  }
}
