// The clip on the login page: it plays by itself unless less motion is asked for, and a button pauses it.

import { gettext } from "./translated.js";

const glimpse = document.querySelector(".glimpse");
const video = glimpse.querySelector("video");
const button = glimpse.querySelector("button");

function tell() {
  button.textContent = video.paused ? gettext("play") : gettext("pause");
  glimpse.toggleAttribute("data-plays", !video.paused);
}

for (const event of ["play", "pause"]) video.addEventListener(event, tell);
button.addEventListener("click", () => (video.paused ? video.play() : video.pause()));
button.hidden = false;
tell();
// A browser that lets nothing play by itself leaves the button.
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) video.play().catch(() => {});
