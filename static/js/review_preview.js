// A poster or its bar, under the pointer or the focus, shows its clip large, with everything known of the pair.

const preview = document.getElementById("preview");
const video = preview.querySelector("video");
const caption = preview.querySelector("figcaption");
let at = null;

// Where sound counts, leads hear what annotators heard, once they ask for it.
document.addEventListener("keydown", (event) => {
  const typing = event.target.matches?.("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey;
  if ("sounds" in video.dataset && !typing && event.key.toLowerCase() === "m") video.muted = !video.muted;
});

const rankOf = (target) => target.closest?.("[data-rank]")?.dataset.rank;
const inSheet = (target) => target.closest?.("#sheet");
const poster = (rank) => document.querySelector(`.posters li[data-rank="${rank}"]`);

function open(rank) {
  const item = poster(rank);
  if (!item || at === rank) return;
  close();
  at = rank;
  for (const part of document.querySelectorAll(`#sheet [data-rank="${rank}"]`)) part.classList.add("on");
  const address = item.querySelector(".frame").dataset.play;
  video.hidden = !address;
  if (address) {
    video.poster = item.querySelector("img")?.src ?? "";
    video.src = address;
    const words = video.querySelector("track");
    if (words) {
      words.src = address.replace(/mp4$/, "vtt");
      words.track.mode = "showing";
    }
    video.play().catch(() => {});
  }
  caption.replaceChildren(item.querySelector("template").content.cloneNode(true));
  preview.hidden = false;
  place(item);
}

function place(item) {
  const frame = item.getBoundingClientRect();
  const query = document.querySelector("#sheet .query");
  const { width } = preview.getBoundingClientRect();
  let { height } = preview.getBoundingClientRect();
  const margin = 8;
  const left = frame.left + frame.width / 2 - width / 2;
  preview.style.left = `${Math.max(margin, Math.min(left, document.documentElement.clientWidth - width - margin))}px`;
  let top = frame.top - height - margin;
  if (top < query.getBoundingClientRect().bottom) {
    const below = frame.bottom + margin;
    if (top < margin || below + height <= innerHeight - margin) top = Math.min(below, innerHeight - height - margin);
    else {
      // It lies over the query, so it says it too.
      const asked = document.createElement("p");
      asked.className = "asked";
      asked.textContent = query.textContent;
      caption.prepend(asked);
      ({ height } = preview.getBoundingClientRect());
      top = Math.max(margin, frame.top - height - margin);
    }
  }
  preview.style.top = `${top}px`;
}

function close() {
  if (at === null) return;
  for (const part of document.querySelectorAll("#sheet .on")) part.classList.remove("on");
  at = null;
  preview.hidden = true;
  video.pause();
  video.removeAttribute("src");
  video.load();
}

/** A new sheet: whatever was shown of the one before is closed. */
export function prepare() {
  close();
}

document.addEventListener("pointerover", (event) => {
  const rank = inSheet(event.target) && rankOf(event.target);
  if (rank) open(rank);
  else close();
});
document.addEventListener("focusin", (event) => {
  const rank = inSheet(event.target) && rankOf(event.target);
  if (rank) open(rank);
  else close();
});
document.addEventListener("focusout", close);
addEventListener("scroll", close, { passive: true });

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return close();
  const steps = { ArrowLeft: -1, ArrowRight: 1 };
  if (!(event.key in steps)) return;
  const frames = [...document.querySelectorAll(".posters .frame")];
  const here = frames.indexOf(document.activeElement);
  if (!frames.length) return;
  event.preventDefault();
  const next = here < 0 ? (event.key === "ArrowRight" ? 0 : frames.length - 1) : here + steps[event.key];
  frames[Math.max(0, Math.min(next, frames.length - 1))].focus();
});
