// The query that is judged, above the clip: its words, the picture, clip or sound that is one, and what its author says.

import { put } from "./words.js";
import { gettext } from "../translated.js";

export class QueryLine {
  #line;
  #medium;
  #narrative;
  #last = "";

  constructor(line, medium, narrative) {
    this.#line = line;
    this.#medium = medium;
    this.#narrative = narrative;
  }

  /** The query of the next task, or none. */
  show(next) {
    const query = next ? next.query || instead(next.medium) : gettext("Judging");
    put(this.#line, query);
    this.#line.classList.toggle("visually-hidden", !next);
    // Whoever has judged twenty clips of one query must see that the twenty-first is of another.
    const one = next && query + (next.medium?.address ?? "");
    this.#line.classList.toggle("new", Boolean(next && this.#last && one !== this.#last));
    if (one !== this.#last) this.#showMedium(next?.medium);
    this.#last = one ?? this.#last;
    // Open or closed it stays as the reader left it, from query to query.
    this.#narrative.hidden = !next?.narrative;
    put(this.#narrative.querySelector("p"), next?.narrative ?? "");
  }

  #showMedium(medium) {
    this.#medium.hidden = !medium;
    this.#medium.replaceChildren(...(medium ? [shown(medium)] : []));
  }
}

function instead({ kind }) {
  if (kind === "picture") return gettext("What this picture shows");
  return kind === "clip" ? gettext("What this clip shows") : gettext("What sounds like this");
}

function shown({ kind, address }) {
  const element = document.createElement({ picture: "img", clip: "video", sound: "audio" }[kind]);
  element.src = address;
  if (kind === "picture") element.alt = gettext("The picture that is the query");
  else {
    element.controls = true;
    element.setAttribute("aria-label", kind === "clip" ? gettext("The clip that is the query") : gettext("The sound that is the query"));
  }
  if (kind === "clip") Object.assign(element, { loop: true, muted: true, playsInline: true, autoplay: !matchMedia("(prefers-reduced-motion: reduce)").matches });
  return element;
}
