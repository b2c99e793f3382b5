// The clips: the one on stage, and those loaded ahead so that the next one is there when the key is pressed.

import { Clip } from "./clip.js";
import { Played } from "./played.js";
import { recall, remember } from "./remembered.js";

const SPEED = "qreels:speed";
const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 2];
const NEARLY = 0.01; // of a third
const JUST_BEGUN = 0.25; // of a third
const KEEP_SEEN = 100;
const NEAR = 4; // clips with a video element of their own: each takes a decoder
const MOST_BYTES = (navigator.deviceMemory ?? 4) > 2 ? 256 << 20 : 96 << 20; // of clips that lie ready

export class Stage {
  #element;
  #senses;
  #hear;
  #kept;
  #order = []; // pairs, in the order in which their clips are wanted
  #clips = new Map();
  #seen = new Map();
  #clip = null;
  #last = null;
  #ahead = false;
  #resume = false;
  #covers = new Set(); // what lies over the clip
  #still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  #speed = storedSpeed();

  /**
   * `hear`: {seen(), state(name), speed(times)}: more was seen; the clip is "loading", "playing", "paused", "broken" or
   * "none"; clips play so many times as fast.
   * `kept`: where clips are kept for a reload without a network. `senses`: its sound and subtitles.
   */
  constructor(element, hear, kept, senses) {
    this.#senses = senses;
    senses.onChange(() => this.#clip?.played.interrupt());
    this.#element = element;
    this.#hear = hear;
    this.#kept = kept;
    document.addEventListener("visibilitychange", () => this.#putAway());
    addEventListener("online", () => {
      if (this.#clip?.broken) this.again();
      for (const clip of this.#clips.values()) clip.readWords();
      this.#loadAhead();
    });
    element.addEventListener("click", (event) => {
      if (event.target.closest("video")) this.toggle();
    });
  }

  /** The part of the clip on stage that was seen, 0-1. */
  get fraction() {
    return this.#clip ? this.#clip.played.fraction : 0;
  }

  /** What was used beside the picture while the clip on stage was shown; a new one begins with nothing. */
  get used() {
    return this.#clip?.played.used ?? new Set();
  }

  get speed() {
    return this.#speed;
  }

  /** The place in the clip on stage, in seconds. */
  get time() {
    return this.#clip?.video.currentTime ?? 0;
  }

  /** How long the clip on stage is, in seconds; 0 while nobody knows. */
  get length() {
    const length = this.#clip?.video.duration;
    return Number.isFinite(length) ? length : 0;
  }

  get playing() {
    return Boolean(this.#clip) && !this.#clip.video.paused;
  }

  /** Have the clips of these tasks ready; those of others go, but for the last one shown, which undo brings back. */
  prepare(tasks) {
    const withClip = tasks.filter((task) => task.clip);
    this.#order = withClip.map((task) => task.pair);
    withClip.forEach((task, place) => (place < NEAR ? this.#onStage(task) : this.#clipOf(task)));
    const wanted = new Set(this.#order);
    for (const [pair, clip] of this.#clips) {
      if (wanted.has(pair) || clip === this.#clip || clip === this.#last) continue;
      clip.leave();
      this.#clips.delete(pair);
    }
    this.#loadAhead();
  }

  /** Bring a task's clip on stage and play it; null clears the stage. */
  show(task) {
    const before = this.#clip;
    if (before) {
      before.played.interrupt();
      before.video.pause();
      before.video.classList.remove("on");
      this.#last = before;
    }
    this.#clip = task?.clip ? this.#onStage(task) : null;
    this.#senses.begin(this.#clip);
    const clip = this.#clip;
    if (!clip) {
      this.#hear.state("none");
      return;
    }
    clip.stream();
    clip.video.classList.add("on");
    clip.video.defaultPlaybackRate = clip.video.playbackRate = this.#speed;
    if (clip.video.currentTime > 0) clip.video.currentTime = 0;
    const plays = this.#covered ? "paused" : clip.video.readyState >= 2 ? "playing" : "loading";
    this.#hear.state(clip.broken ? "broken" : plays);
    this.#hear.seen();
    this.play();
    this.#follow(clip);
  }

  play() {
    const clip = this.#clip;
    if (!clip || clip.broken || this.#covered) return;
    // Out of sight it waits until it's looked at again.
    if (document.hidden) this.#resume = true;
    else clip.video.play().catch((error) => {
      // Another clip came on stage, or it can't be loaded, which is reported elsewhere.
      if (error.name !== "NotAllowedError" || clip !== this.#clip) return;
      if (this.#senses.refuse()) this.play();
      else this.#hear.state("paused");
    });
  }

  pause() {
    this.#clip?.video.pause();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** One frame on (1) or back (-1). */
  step(direction) {
    const clip = this.#clip;
    if (!clip || !clip.video.duration || this.#covered) return;
    const { video, frame } = clip;
    video.pause();
    const from = video.currentTime;
    // Into the middle of the frame: at its edge the browser may show either.
    const to = (Math.floor(from / frame + 0.01) + direction + 0.5) * frame;
    video.currentTime = Math.max(0, Math.min(video.duration - frame / 2, to));
    if (this.#senses.stepsCount) clip.played.step(from, video.currentTime, video.duration);
    else clip.played.interrupt();
    this.#hear.seen();
  }

  /** From the beginning. */
  restart() {
    this.#jump(0);
    this.play();
  }

  /** On to the next third (1), or back to the beginning of this one, or of the one before (-1); round the end. */
  third(direction) {
    const part = (3 * this.time) / this.length;
    // Who has just come to the beginning of one wants the one before.
    const next = direction > 0 ? Math.floor(part + NEARLY) + 1 : Math.ceil(part - JUST_BEGUN) - 1;
    this.#jump((((next + 3) % 3) / 3) * this.length);
  }

  // What is left out by a jump wasn't seen: nothing counts until the clip is there.
  #jump(time) {
    const clip = this.#clip;
    if (!clip || !this.length || this.#covered) return;
    clip.played.interrupt();
    clip.jumping = true;
    clip.video.currentTime = time;
  }

  /** The veil, or the context, lies over the clip, which rests however it was told to play; or no longer. */
  cover(what, on) {
    if (on) this.#covers.add(what);
    else this.#covers.delete(what);
    if (on) this.pause();
  }

  get #covered() {
    return this.#covers.size > 0;
  }

  /** Faster (1) or slower (-1), remembered. */
  hurry(direction) {
    const at = SPEEDS.indexOf(this.#speed);
    this.#speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at + direction))];
    if (this.#clip) this.#clip.video.playbackRate = this.#speed;
    this.#hear.speed(this.#speed);
    remember(SPEED, String(this.#speed));
  }

  /** Reload the clip on stage. */
  async again() {
    const clip = this.#clip;
    if (!clip) return;
    this.#hear.state("loading");
    try {
      await clip.again();
      if (clip === this.#clip) this.show(clip.task);
    } catch {
      this.#fail(clip);
    }
  }

  #clipOf(task) {
    if (!this.#clips.has(task.pair)) {
      // What was seen of a pair stays seen: whoever takes a grade back needn't watch it all over.
      const played = this.#seen.get(task.pair) ?? new Played();
      this.#seen.set(task.pair, played);
      if (this.#seen.size > KEEP_SEEN) this.#seen.delete(this.#seen.keys().next().value);
      this.#clips.set(task.pair, new Clip(task, played, this.#kept));
    }
    return this.#clips.get(task.pair);
  }

  #onStage(task) {
    const clip = this.#clipOf(task);
    // Whoever asked for less motion sees it once; Space plays it again.
    if (clip.load(this.#element, !this.#still)) this.#listen(clip);
    return clip;
  }

  #listen(clip) {
    const { video } = clip;
    const on = (event, act) => video.addEventListener(event, () => clip === this.#clip && act());
    // A key of the keyboard's for media, say, asks nobody.
    on("play", () => this.#covered && video.pause());
    on("playing", () => this.#hear.state("playing"));
    on("timeupdate", () => this.#senses.look());
    // The way back to the beginning of a loop is no waiting.
    on("waiting", () => video.seeking || this.#hear.state("loading"));
    on("pause", () => {
      if (!video.ended) clip.played.interrupt();
      if (!clip.broken) this.#hear.state("paused");
    });
    on("ended", () => {
      clip.played.end(video.duration);
      this.#hear.seen();
    });
    video.addEventListener("seeked", () => (clip.jumping = false));
    on("timeupdate", () => this.#look(clip, video.currentTime));
    video.addEventListener("error", () => {
      if (!video.getAttribute("src")) return;
      if (clip !== this.#clip) {
        clip.spoilt();
      } else if (clip.retried) {
        this.#fail(clip);
      } else {
        clip.retried = true;
        this.again();
      }
    });
  }

  #fail(clip) {
    clip.broken = true;
    if (clip === this.#clip) this.#hear.state("broken");
  }

  #look(clip, time) {
    const { video } = clip;
    if (document.hidden || video.paused || clip.jumping || this.#covered) return;
    this.#senses.note(this.used);
    if (this.#senses.enough) clip.played.see(time, video.duration, performance.now(), video.playbackRate);
    this.#hear.seen();
  }

  // Frame by frame where the browser tells; elsewhere `timeupdate` comes four times a second, which is enough.
  #follow(clip) {
    if (!clip.video.requestVideoFrameCallback || clip.followed) return;
    clip.followed = true;
    let before = null;
    const frame = (_, shown) => {
      if (clip !== this.#clip) {
        clip.followed = false;
        return;
      }
      const length = before ? shown.mediaTime - before.mediaTime : 0;
      if (before && shown.presentedFrames === before.presentedFrames + 1 && length > 0.005 && length < clip.frame) {
        clip.frame = length;
      }
      before = shown;
      this.#look(clip, shown.mediaTime);
      clip.video.requestVideoFrameCallback(frame);
    };
    clip.video.requestVideoFrameCallback(frame);
  }

  async #loadAhead() {
    if (this.#ahead) return;
    this.#ahead = true;
    const tried = new Set();
    for (let clip = this.#nextToLoad(tried); clip; clip = this.#nextToLoad(tried)) {
      tried.add(clip);
      try {
        await clip.fetch();
      } catch {
        // Its turn will tell.
      }
    }
    // What was streamed plays on, and lies ready for a reload all the same.
    await this.#clip?.keep().catch(() => {});
    this.#ahead = false;
  }

  /** The next clip whose bytes aren't there, while they have room; the nearest ones always have. */
  #nextToLoad(tried) {
    let bytes = 0;
    for (const [place, pair] of this.#order.entries()) {
      const clip = this.#clips.get(pair);
      if (!clip) continue;
      bytes += clip.bytes;
      if (clip.fetched || clip === this.#clip || tried.has(clip)) continue;
      return place < NEAR || bytes < MOST_BYTES ? clip : null;
    }
    return null;
  }

  // Out of sight nothing is seen, so nothing plays.
  #putAway() {
    const clip = this.#clip;
    if (!clip) return;
    clip.played.interrupt();
    if (document.hidden) {
      this.#resume = !clip.video.paused;
      clip.video.pause();
    } else if (this.#resume) {
      this.play();
    }
  }
}

function storedSpeed() {
  const stored = Number(recall(SPEED));
  return SPEEDS.includes(stored) ? stored : 1;
}
