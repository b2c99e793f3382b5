// A run's query: a moment or prediction under the pointer or focus plays its clip and shows its match alone.

const links = [...document.querySelectorAll(".drawn .link")];

function only(row) {
  const [name, value] = row.dataset.moment === undefined ? ["prediction", row.dataset.prediction] : ["moment", row.dataset.moment];
  const own = links.filter((link) => link.dataset[name] === value);
  for (const link of links) link.classList.toggle("dim", own.length > 0 && !own.includes(link));
}

function play(row) {
  if (!row.dataset.clip || row.querySelector("video")) return;
  const video = document.createElement("video");
  video.src = row.dataset.clip;
  video.muted = true;
  video.loop = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  video.playsInline = true;
  row.querySelector(".frame").append(video);
  video.play().catch(() => {});
}

function leave(row) {
  if (row.matches(":hover, :focus")) return;
  for (const link of links) link.classList.remove("dim");
  row.querySelector("video")?.remove();
}

for (const row of document.querySelectorAll(".drawn li")) {
  for (const name of ["pointerenter", "focus"]) {
    row.addEventListener(name, () => {
      only(row);
      play(row);
    });
  }
  for (const name of ["pointerleave", "blur"]) row.addEventListener(name, () => leave(row));
}
