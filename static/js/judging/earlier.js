// The last clips of the same query that this person judged, with their own grades, to compare with; where the lead allows
// it. The server tells; what waits to be sent, and what was judged here while the network is away, this page knows.

import { gettext, language } from "../translated.js";
import { say } from "./words.js";

const MOST = 3;

export class Earlier {
  #dialog;
  #list;
  #stage;
  #server;
  #kept;
  #task = null;
  #judged = []; // {query, clip, poster, grade}, the newest first
  #blobs = [];
  #resume = false;

  /** `dialog` shows them, null where the lead allows none; `kept` has clips for when the network is away. */
  constructor(dialog, stage, server, kept) {
    this.#dialog = dialog;
    this.#list = dialog?.querySelector("ul");
    this.#stage = stage;
    this.#server = server;
    this.#kept = kept;
    dialog?.querySelector("[data-close]").addEventListener("click", () => dialog.close());
    dialog?.addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() !== "h") return;
      event.stopPropagation();
      dialog.close();
    });
    dialog?.addEventListener("close", () => {
      this.#clear();
      if (this.#resume) stage.play();
    });
  }

  /** Another pair is on stage, or none: what it was given before was taken back. */
  begin(task) {
    this.#task = task;
    this.#judged = this.#judged.filter(({ clip }) => clip !== task?.clip);
  }

  /** The pair on stage was given this grade. */
  judged(grade) {
    const { clip, poster } = this.#task;
    if (!this.#dialog || !clip) return;
    const query = asked(this.#task);
    this.#judged = [{ query, clip, poster, grade }, ...this.#judged].filter((one) => one.query === query).slice(0, MOST);
  }

  /** What is to be kept for when the network is away; null where nothing is compared. */
  get last() {
    return this.#dialog ? this.#judged : null;
  }

  /** The page was loaded anew: this is what it knew before. */
  async restore() {
    if (this.#dialog) this.#judged = await this.#kept.judged();
  }

  async open() {
    const task = this.#task;
    if (!this.#dialog || !task) return;
    const told = await this.#server.get("earlier", { pair: task.pair });
    if (task !== this.#task || this.#dialog.open) return;
    const here = this.#judged.filter(({ query }) => query === asked(task));
    const known = new Set([task.clip, ...here.map(({ clip }) => clip)]);
    const clips = [...here, ...(told?.clips ?? []).filter(({ clip }) => !known.has(clip))].slice(0, MOST);
    if (!clips.length) {
      say(told ? gettext("You have judged no other clip of this query.") : gettext("Your earlier clips need the network."));
      return;
    }
    this.#resume = this.#stage.playing;
    this.#stage.pause();
    this.#dialog.showModal();
    this.#list.replaceChildren(...(await Promise.all(clips.map((clip) => this.#item(clip)))));
  }

  async #item({ clip, poster, grade }) {
    const item = document.createElement("li");
    const video = document.createElement("video");
    const said = document.createElement("p");
    const blob = await this.#kept.clip(clip);
    if (blob) this.#blobs.push(URL.createObjectURL(blob));
    Object.assign(video, { muted: true, loop: true, playsInline: true, autoplay: !matchMedia("(prefers-reduced-motion: reduce)").matches });
    Object.assign(video, { controls: !video.autoplay, src: blob ? this.#blobs.at(-1) : clip });
    if (poster) video.poster = poster;
    video.setAttribute("aria-label", gettext("A clip that you judged"));
    const meaning = document.querySelector(`#grades [data-grade="${grade}"] span`)?.textContent ?? "";
    said.textContent = `${grade} ${meaning}`.trim();
    said.lang = document.getElementById("grades").lang || language;
    item.append(video, said);
    return item;
  }

  #clear() {
    this.#list.replaceChildren();
    for (const blob of this.#blobs) URL.revokeObjectURL(blob);
    this.#blobs = [];
  }
}

/** What tells a query from others: its words, and the picture, clip or sound that may stand in their place. */
function asked({ query, medium }) {
  return medium ? `${query} ${medium.address}` : query;
}
