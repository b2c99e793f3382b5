// The lead's review: one key a decision; a poster plays its clip while the pointer or the focus is on it.

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  document.querySelector(`#decide [data-key="${CSS.escape(event.key.toLowerCase())}"]:not(:disabled)`)?.click();
});

for (const frame of document.querySelectorAll(".frame[data-clip]")) {
  const play = () => {
    if (frame.querySelector("video")) return;
    const video = document.createElement("video");
    Object.assign(video, { src: frame.dataset.clip, loop: true, muted: true, playsInline: true });
    frame.querySelector("img").after(video);
    video.play().catch(() => {});
  };
  const stop = () => frame.querySelector("video")?.remove();
  frame.addEventListener("pointerenter", play);
  frame.addEventListener("focus", play);
  frame.addEventListener("pointerleave", stop);
  frame.addEventListener("blur", stop);
}
