// Sound and subtitles of the clip on stage, where the guideline asks for them (data-evidence). Sound is off until
// somebody turns it on, subtitles are on; what a person chose is remembered in this browser.

import { recall, remember } from "./remembered.js";
import { gettext } from "../translated.js";
import { put, say } from "./words.js";

const LOADED = 2; // of a track's readyState, and a video's with its first frame

export class Senses {
  #sound;
  #subtitles;
  #parts;
  #owner;
  #volume;
  #on; // whether the sound is wanted
  #refused = false; // the browser plays none before a key or a click
  #read; // whether subtitles are wanted
  #clip = null;
  #changed = () => {};

  /** `place`: the page's dataset; `parts`: {sound, volume, off, subtitles}, elements or null. */
  constructor(place, parts) {
    const kinds = (place.evidence ?? "").split(" ");
    this.#sound = kinds.includes("sound");
    this.#subtitles = kinds.includes("subtitles");
    this.#parts = parts;
    this.#owner = place.account;
    this.#on = this.#stored("sound") === "on";
    this.#read = this.#stored("subtitles") !== "off";
    const volume = Number(this.#stored("volume") ?? 1);
    this.#volume = volume >= 0 && volume <= 1 ? volume : 1;
    if (parts.volume) {
      parts.volume.value = String(Math.round(100 * this.#volume));
      parts.volume.addEventListener("input", () => this.#louder(Number(parts.volume.value) / 100));
      // Keys are the page's again.
      parts.volume.addEventListener("pointerup", () => parts.volume.blur());
    }
    this.#tell();
  }

  /** Whether a clip that plays now is seen as the guideline asks: where sound counts, it has to be heard. */
  get enough() {
    return !this.#sound || this.#audible;
  }

  /** Whether frames that are stepped through count as seen: where sound counts, nothing is heard of them. */
  get stepsCount() {
    return !this.#sound;
  }

  /** Calls `changed()` when what can be heard changes. */
  onChange(changed) {
    this.#changed = changed;
  }

  /** Another clip is on stage, or none. */
  begin(clip) {
    this.#clip = clip;
    this.#apply();
  }

  /** Sound on, or off. */
  toggleSound() {
    if (!this.#sound) return;
    this.#on = !this.#audible;
    this.#refused = false;
    this.#store("sound", this.#on ? "on" : "off");
    if (this.#on && !this.#volume) this.#louder(0.5);
    else this.#apply();
  }

  /** Subtitles on, or off. */
  toggleSubtitles() {
    if (!this.#subtitles) return;
    this.#read = !this.#read;
    this.#store("subtitles", this.#read ? "on" : "off");
    this.#apply();
  }

  /** The browser doesn't play the clip on stage with its sound: true where it may be tried again without. */
  refuse() {
    if (!this.#audible) return false;
    this.#refused = true;
    say(gettext("The browser plays no sound before a key or a click."));
    this.#apply();
    return true;
  }

  /** What is used of the clip on stage while it plays goes into the set. */
  note(used) {
    if (this.#sound && this.#audible) used.add("sound");
    if (this.#subtitles && this.#read && this.#clip?.words?.cues?.length) used.add("subtitles");
  }

  get #audible() {
    return this.#on && !this.#refused && this.#volume > 0;
  }

  #louder(volume) {
    this.#volume = volume;
    this.#store("volume", String(volume));
    if (this.#parts.volume) this.#parts.volume.value = String(Math.round(100 * volume));
    // Whoever moves it wants to hear.
    if (volume > 0 && (!this.#on || this.#refused)) this.toggleSound();
    else this.#apply();
  }

  #apply() {
    const clip = this.#clip;
    if (clip) {
      clip.video.volume = this.#volume;
      clip.video.muted = !(this.#sound && this.#audible);
      if (clip.words) clip.words.mode = this.#read ? "showing" : "hidden";
    }
    this.#changed();
    this.#tell();
  }

  /** Say what is on; also when more is known of the clip. */
  look() {
    this.#tell();
  }

  #tell() {
    const { sound, off, subtitles } = this.#parts;
    if (sound) {
      sound.setAttribute("aria-pressed", String(this.#audible));
      const silent = this.#clip && isSilent(this.#clip.video);
      put(sound.querySelector("span"), silent ? gettext("no sound in this clip") : this.#audible ? gettext("sound on") : gettext("sound off"));
      off.hidden = this.#audible || !this.#clip;
    }
    if (subtitles) {
      subtitles.setAttribute("aria-pressed", String(this.#read));
      const none = this.#clip?.video.querySelector("track")?.readyState === LOADED && !this.#clip.words.cues?.length;
      const lost = this.#clip?.wordsLost ? gettext("subtitles can't be loaded") : "";
      put(subtitles.querySelector("span"), lost || (none ? gettext("no subtitles here") : gettext("subtitles")));
    }
  }

  #stored(what) {
    return recall(`qreels:${what}:${this.#owner}`);
  }

  #store(what, value) {
    remember(`qreels:${what}:${this.#owner}`, value);
  }
}

/** Whether a clip has no sound, once the browser knows: each says it in another way. */
function isSilent(video) {
  if (video.readyState < LOADED) return false;
  if (video.mozHasAudio !== undefined) return !video.mozHasAudio;
  if (video.audioTracks) return !video.audioTracks.length;
  return video.currentTime > 0.2 && video.webkitAudioDecodedByteCount === 0;
}
