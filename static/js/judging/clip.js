// One clip: its bytes, fetched whole and ahead; and, once its turn is near, a video element on the stage.

import { gettext } from "../translated.js";

const FRAME = 1 / 25; // seconds, until the clip has shown its own

export class Clip {
  frame = FRAME;
  retried = false;
  jumping = false; // to another place, by the person's wish
  broken = false;
  bytes = 0;
  video = null;
  words = null; // its subtitles, a TextTrack, where it is given any
  wordsLost = false; // they couldn't be fetched
  #words = null;
  #reading = null;
  #blob = null;
  #loading = null;
  #kept;

  /** `kept`: where its bytes are kept for a reload without a network. */
  constructor(task, played, kept) {
    this.task = task;
    this.played = played;
    this.#kept = kept;
  }

  /** Whether it plays without a network. */
  get fetched() {
    return Boolean(this.#blob);
  }

  /** Put it on the stage, hidden, so that showing it is only a matter of sight. */
  load(element, loop) {
    if (this.video) return false;
    this.video = document.createElement("video");
    Object.assign(this.video, { loop, muted: true, playsInline: true, preload: "auto" });
    this.video.setAttribute("aria-label", gettext("The clip to judge"));
    this.video.tabIndex = -1;
    if (this.#blob) this.video.src = this.#blob;
    element.append(this.video);
    this.#addWords();
    return true;
  }

  #addWords() {
    if (!this.task.subtitles) return;
    const track = Object.assign(document.createElement("track"), { kind: "subtitles", label: gettext("subtitles") });
    this.video.append(track);
    this.words = track.track;
    this.words.mode = "hidden";
    if (this.#words) track.src = this.#words;
    this.readWords();
  }

  /** Fetch its subtitles, once. */
  readWords() {
    if (!this.task.subtitles) return;
    this.#reading ??= this.#bytesOf(this.task.subtitles)
      .then((blob) => {
        this.wordsLost = false;
        this.#words = URL.createObjectURL(blob);
        const track = this.video?.querySelector("track");
        if (track) track.src = this.#words;
      })
      .catch(() => {
        this.wordsLost = true;
        this.#reading = null;
      });
  }

  async #bytesOf(address) {
    const kept = await this.#kept.clip(address);
    if (kept) return kept;
    const response = await fetch(address);
    if (!response.ok) throw new Error(String(response.status));
    const blob = await response.blob();
    this.#kept.keepClip(address, blob);
    return blob;
  }

  /** Fetch it whole, so that it starts at once. */
  async fetch(cache = "default") {
    this.#loading = new AbortController();
    this.readWords();
    const { signal } = this.#loading;
    try {
      const blob = (cache === "default" && (await this.#kept.clip(this.task.clip))) || (await this.#download(cache, signal));
      if (signal.aborted) return;
      this.bytes = blob.size;
      this.#blob = URL.createObjectURL(blob);
      if (this.video) this.video.src = this.#blob;
      this.#kept.keepClip(this.task.clip, blob);
    } finally {
      this.#loading = null;
    }
  }

  async #download(cache, signal) {
    const response = await fetch(this.task.clip, { cache, signal });
    if (!response.ok) throw new Error(String(response.status));
    return response.blob();
  }

  /** Have its bytes kept for a reload, where they came as a stream. */
  async keep() {
    if (this.fetched || this.#kept.hasClip(this.task.clip)) return;
    this.#kept.keepClip(this.task.clip, await this.#download("default"));
  }

  /** It's needed now: play what comes in instead of waiting for all of it; what is kept needs no network. */
  stream() {
    this.readWords();
    if (this.video.src) return;
    this.#loading?.abort();
    if (this.#kept.hasClip(this.task.clip)) {
      this.fetch().catch(() => (this.video.src = this.task.clip));
      return;
    }
    if (this.task.poster) this.video.poster = this.task.poster;
    this.video.src = this.task.clip;
  }

  async again() {
    this.spoilt();
    this.broken = false;
    await this.fetch("reload");
  }

  /** What was fetched is no good: nothing of it stays. */
  spoilt() {
    this.#release();
    this.#kept.dropClip(this.task.clip);
    this.video.removeAttribute("src");
  }

  leave() {
    this.#loading?.abort();
    if (this.video) {
      this.video.removeAttribute("src");
      this.video.load();
      this.video.remove();
    }
    if (this.#words) URL.revokeObjectURL(this.#words);
    this.#release();
  }

  #release() {
    if (this.#blob) URL.revokeObjectURL(this.#blob);
    this.#blob = null;
    this.bytes = 0;
  }
}
