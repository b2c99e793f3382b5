// The lead's videos. The list follows what is typed; on a video's page a moment plays by click or key.

import { gettext } from "./translated.js";

const WAIT = 150; // ms of silence after a keystroke before the server is asked

function listOfVideos(form) {
  const list = document.getElementById("list");
  let timer = 0;
  let asked = null;

  async function show(address) {
    asked?.abort();
    asked = new AbortController();
    const part = new URL(address);
    part.searchParams.set("part", "list");
    try {
      const answer = await fetch(part, { signal: asked.signal });
      // A lost login answers with another page: let the browser go there.
      if (!answer.ok || answer.redirected) return void location.assign(address);
      list.innerHTML = await answer.text();
      history.replaceState(null, "", address);
    } catch (error) {
      if (error.name !== "AbortError") location.assign(address);
    }
  }

  const wanted = () => {
    const address = new URL(location.pathname, location.origin);
    for (const [name, value] of new FormData(form)) if (value) address.searchParams.set(name, value);
    return address;
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => show(wanted()), WAIT);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    show(wanted());
  });
  list.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button) return;
    const sorted = event.target.closest("th a");
    if (sorted) {
      event.preventDefault();
      const address = new URL(sorted.href);
      form.elements.sort.value = address.searchParams.get("sort");
      show(address).then(() => list.querySelector(`th.${CSS.escape(form.elements.sort.value.replace("-", ""))} a`)?.focus());
      return;
    }
    // The row is the link.
    if (!event.target.closest("a")) event.target.closest("tbody tr")?.querySelector("a")?.click();
  });
}

function oneVideo(timeline) {
  const player = document.getElementById("player");
  const note = document.getElementById("note");
  const preview = document.getElementById("preview");
  const rows = document.getElementById("moments");
  const bars = [...timeline.querySelectorAll(".moment")];
  let chosen = -1;

  function choose(number, { play = false, focus = false, scroll = true } = {}) {
    const before = chosen;
    chosen = Math.max(0, Math.min(bars.length - 1, number));
    const bar = bars[chosen];
    for (const [index, other] of bars.entries()) {
      other.tabIndex = index === chosen ? 0 : -1;
      other.toggleAttribute("aria-current", index === chosen);
    }
    for (const row of rows.children) row.toggleAttribute("aria-current", row.dataset.moment === bar.dataset.moment);
    if (focus) bar.focus({ preventScroll: true });
    if (scroll) document.getElementById(`moment-${bar.dataset.moment}`).scrollIntoView({ block: "nearest" });
    if (play) playChosen({ again: before === chosen });
  }

  function playChosen({ again = true } = {}) {
    const clip = bars[chosen].dataset.clip;
    hidePreview();
    if (!clip) {
      player.hidden = true;
      player.removeAttribute("src");
      player.load();
      note.hidden = false;
      note.textContent = gettext("This moment has no clip to play.");
      return;
    }
    note.hidden = true;
    player.hidden = false;
    if (player.getAttribute("src") === clip) {
      if (player.paused || !again) player.play().catch(() => {});
      else player.pause();
      return;
    }
    player.poster = bars[chosen].dataset.poster ?? "";
    player.src = clip;
    player.play().catch(() => {});
  }

  player.addEventListener("error", () => {
    if (!player.getAttribute("src")) return;
    player.hidden = true;
    note.hidden = false;
    note.textContent = gettext("The clip could not be loaded. Nothing is lost; reload the page to try again.");
  });
  player.addEventListener("click", () => (player.paused ? player.play().catch(() => {}) : player.pause()));

  function showPreview(bar) {
    if (!bar.dataset.poster || player.getAttribute("src") === bar.dataset.clip) return hidePreview();
    const box = bar.getBoundingClientRect();
    preview.querySelector("img").src = bar.dataset.poster;
    preview.hidden = false;
    const left = box.left + box.width / 2 - preview.offsetWidth / 2;
    preview.style.left = `${Math.max(8, Math.min(innerWidth - preview.offsetWidth - 8, left))}px`;
    preview.style.top = `${box.bottom + 8}px`;
  }
  function hidePreview() {
    preview.hidden = true;
  }

  for (const [number, bar] of bars.entries()) {
    bar.addEventListener("click", () => choose(number, { play: true }));
    bar.addEventListener("pointerenter", () => showPreview(bar));
    bar.addEventListener("focus", () => bar.matches(":focus-visible") && showPreview(bar));
    bar.addEventListener("pointerleave", hidePreview);
    bar.addEventListener("blur", hidePreview);
  }
  rows.addEventListener("click", (event) => {
    const row = event.target.closest("li");
    // Text is to be marked and copied, too.
    if (!row || !getSelection().isCollapsed) return;
    choose(bars.findIndex((bar) => bar.dataset.moment === row.dataset.moment), { play: true, focus: true, scroll: false });
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.target.closest("a, input, button:not(.moment)")) return;
    const to = { ArrowRight: chosen + 1, ArrowDown: chosen + 1, ArrowLeft: chosen - 1, ArrowUp: chosen - 1 }[event.key];
    const edge = { Home: 0, End: bars.length - 1 }[event.key];
    if (to !== undefined) choose(to, { focus: true });
    else if (edge !== undefined) choose(edge, { focus: true });
    else if (event.key === "Enter" || event.key === " ") {
      if (!event.repeat) choose(chosen, { play: true, focus: true });
    } else return;
    event.preventDefault();
  });

  const linked = bars.findIndex((bar) => `#moment-${bar.dataset.moment}` === location.hash);
  choose(Math.max(0, linked), { scroll: linked >= 0 });
}

const form = document.getElementById("find");
if (form) listOfVideos(form);
const timeline = document.getElementById("timeline");
if (timeline) oneVideo(timeline);
