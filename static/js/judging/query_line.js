// The query that is judged, above the clip, and what its author says of it, where there is such a word.

import { put } from "./words.js";
import { gettext } from "../translated.js";

export class QueryLine {
  #line;
  #narrative;
  #last = "";

  constructor(line, narrative) {
    this.#line = line;
    this.#narrative = narrative;
  }

  /** The query of the next task, or none. */
  show(next) {
    put(this.#line, next ? next.query : gettext("Judging"));
    this.#line.classList.toggle("visually-hidden", !next);
    // Whoever has judged twenty clips of one query must see that the twenty-first is of another.
    this.#line.classList.toggle("new", Boolean(next && this.#last && next.query !== this.#last));
    this.#last = next?.query ?? this.#last;
    // Open or closed it stays as the reader left it, from query to query.
    this.#narrative.hidden = !next?.narrative;
    put(this.#narrative.querySelector("p"), next?.narrative ?? "");
  }
}
