// A poster (.frame with data-play) plays its clip in its place while the pointer or the focus is on it.

function play(frame) {
  if (!frame || frame.querySelector("video")) return;
  const video = document.createElement("video");
  Object.assign(video, { src: frame.dataset.play, loop: true, muted: true, playsInline: true });
  frame.append(video);
  video.play().catch(() => {});
}

function stop(frame) {
  if (!frame || frame.matches(":hover, :focus")) return;
  frame.querySelector("video")?.remove();
}

const frameOf = (event) => event.target.closest?.(".frame[data-play]");

document.addEventListener("pointerover", (event) => play(frameOf(event)));
document.addEventListener("focusin", (event) => play(frameOf(event)));
document.addEventListener("pointerout", (event) => stop(frameOf(event)));
document.addEventListener("focusout", (event) => setTimeout(stop, 0, frameOf(event)));
