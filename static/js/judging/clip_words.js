// What is said in the place of the clip: that it loads, is missing or can't be played, or why there is none.

import { tell } from "./words.js";
import { gettext } from "../translated.js";

const LOADING_MS = 500;

let loading = 0;

/** What the clip does now; `shown`: whether there is one. */
export function tellClip(state, shown) {
  clearTimeout(loading);
  if (state === "playing" && shown) tell("");
  if (state === "loading") loading = setTimeout(() => tell(gettext("The clip is loading…")), LOADING_MS);
  if (state === "broken") {
    if (navigator.onLine) tell(gettext("This clip can't be played."), "broken", "reload");
    else tell(gettext("This clip can't be loaded while the network is away. It starts by itself when it's back."));
  }
}

/** A moment without a clip; `expected`: whether the collection has clips. */
export function tellMissing(expected) {
  if (expected) tell(gettext("The clip of this moment is missing. Flag it to go on with the next one."), "broken");
  else tell(gettext("This collection has no clips: there is nothing to watch for this moment."));
}

/** Nothing is at hand; `reason`: why, by the server; `trouble`: whether it can't be reached, while so many answers wait. */
export function tellNothing(reason, trouble, waiting) {
  // Practice and exam have the way back to one's steps here; in real work more may come.
  if (reason) tell(reason, "steps");
  else if (trouble && waiting) {
    tell(gettext("You have judged what was loaded. The page goes on by itself when the network is back."));
  } else if (trouble) tell(gettext("The server can't be reached. This page tries again by itself."));
  else tell(gettext("Looking for work…"));
}
