// A poster (.frame with data-play) plays its clip in its place while the pointer or the focus is on it.

let heard = false; // M, where sound counts (data-sounds): leads hear what annotators heard, once they ask for it

function play(frame) {
  if (!frame || frame.querySelector("video")) return;
  const video = document.createElement("video");
  const muted = !(heard && "sounds" in frame.dataset);
  Object.assign(video, { src: frame.dataset.play, loop: true, muted, playsInline: true });
  if (frame.dataset.words) {
    const track = Object.assign(document.createElement("track"), { kind: "subtitles", src: frame.dataset.words });
    video.append(track);
    track.track.mode = "showing";
  }
  frame.append(video);
  video.play().catch(() => {});
}

function stop(frame) {
  if (!frame || frame.matches(":hover, :focus")) return;
  frame.querySelector("video")?.remove();
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "m" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  heard = !heard;
  for (const video of document.querySelectorAll(".frame[data-sounds] video")) video.muted = !heard;
});

const frameOf = (event) => event.target.closest?.(".frame[data-play]");

document.addEventListener("pointerover", (event) => play(frameOf(event)));
document.addEventListener("focusin", (event) => play(frameOf(event)));
document.addEventListener("pointerout", (event) => stop(frameOf(event)));
document.addEventListener("focusout", (event) => setTimeout(stop, 0, frameOf(event)));
