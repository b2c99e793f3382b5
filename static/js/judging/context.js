// The seconds before and after the clip, for as long as the key or the button is held, where the lead allows it.
//
// They are another video, over the clip, dimmed and named, so that nobody takes them for the moment: what comes before
// it, then what comes after, again and again. They don't count as seen; that they were looked at goes with the grade.

import { gettext } from "../translated.js";
import { put, say } from "./words.js";

const EDGE = 0.01; // seconds

export class Context {
  #area;
  #button;
  #stage;
  #server;
  #task = null;
  #found = new Map(); // pair -> {clip, start, end}: which part of that clip is the moment, in seconds
  #video = null;
  #label;
  #resume = false;
  #down = false;

  /** `area` has the clips, `button` is held by finger (null: none is shown here); `stage` has the clip that rests meanwhile. */
  constructor(area, button, stage, server) {
    this.#area = area;
    this.#button = button;
    this.#stage = stage;
    this.#server = server;
  }

  /** Another pair is on stage, or none. */
  begin(task) {
    this.hold(false);
    this.#task = task?.context ? task : null;
    if (this.#button) this.#button.hidden = !this.#task;
  }

  /** The key went down, or up. */
  hold(down) {
    if (down === this.#down || (down && !this.#task)) return;
    this.#down = down;
    this.#button?.setAttribute("aria-pressed", String(down));
    if (down) {
      this.#resume = this.#stage.playing;
      this.#stage.cover("context", true);
      this.#show(this.#task);
    } else {
      this.#video?.remove();
      this.#label?.remove();
      this.#video = null;
      this.#stage.cover("context", false);
      if (this.#resume) this.#stage.play();
    }
  }

  async #show(task) {
    const told = this.#found.get(task.pair) ?? (await this.#server.read(task.context));
    if (!this.#down || task !== this.#task) return;
    if (!told) return say(gettext("What comes before and after needs the network."));
    if (!told.clip) return say(told.message);
    this.#found.set(task.pair, told);
    this.#play(told);
  }

  #play({ clip, start, end }) {
    const video = document.createElement("video");
    Object.assign(video, { muted: true, playsInline: true, src: clip, className: "context" });
    video.setAttribute("aria-label", gettext("Before and after the clip"));
    const label = document.createElement("p");
    label.className = "context-label";
    label.setAttribute("role", "status");
    const again = () => {
      video.currentTime = start > 0 ? 0 : end;
      video.play().catch(() => {});
    };
    // The moment itself is what is judged, and is left out here.
    const skip = () => (end < video.duration ? (video.currentTime = end) : again());
    const look = () => {
      if (video !== this.#video) return;
      const part = video.currentTime < start ? "before" : "after";
      if (part === "after" && video.currentTime < end - EDGE) return void (video.seeking || skip());
      // What is named is in sight.
      this.#stage.used.add("context");
      put(label, part === "before" ? gettext("before") : gettext("after"));
      label.dataset.part = part;
    };
    const follow = () => {
      look();
      if (video === this.#video) video.requestVideoFrameCallback?.(follow);
    };
    video.addEventListener("loadedmetadata", again);
    video.addEventListener("timeupdate", look);
    video.addEventListener("ended", again);
    video.addEventListener("playing", look);
    video.requestVideoFrameCallback?.(follow);
    video.addEventListener("error", () => video === this.#video && say(gettext("What comes before and after needs the network.")));
    this.#video = video;
    this.#label = label;
    this.#area.append(video, label);
  }
}
