// The judging page: one query, one clip, five keys. What comes next is loaded while this one is judged.

const settings = document.getElementById("judge").dataset;
const stage = document.getElementById("stage");
const note = document.getElementById("note");
const queryLine = document.getElementById("query");
const grades = document.getElementById("grades");
const state = document.getElementById("state");
const strip = document.getElementById("strip");
const seen = document.getElementById("seen");
const today = document.getElementById("today");

const needed = Number(settings.played);
const hasClips = settings.hasClips === "1";
const RETRY_MS = 3000;
const LOOK_AGAIN_MS = 15000;

// Judgments on their way are kept in the browser until the server has them, so that a lost network,
// a closed tab or a lost login loses none. One list an annotator and collection.
const storeKey = `qreels:${settings.worker}:${location.pathname}`;
const waiting = JSON.parse(localStorage.getItem(storeKey) || "[]");
const answered = new Set(waiting.map((judgment) => judgment.pair));

let tasks = [];
let current = null;
let played = null;
let sending = false;
let timer = 0;
const clips = new Map();

// ---- clips -------------------------------------------------------------------------------------

function clipOf(task) {
  if (!clips.has(task.pair)) {
    const video = document.createElement("video");
    Object.assign(video, { src: task.clip, loop: true, muted: true, playsInline: true, preload: "auto", hidden: true });
    video.setAttribute("aria-label", "The clip to judge");
    video.addEventListener("timeupdate", () => watch(task, video));
    video.addEventListener("error", () => {
      if (current && current.pair === task.pair) say("This clip can't be loaded. Reload the page; if it stays so, tell the lead.");
    });
    stage.append(video);
    clips.set(task.pair, video);
  }
  return clips.get(task.pair);
}

// What was seen is measured in hundredths of the clip, each counted once, so that looping in one place
// doesn't count twice.
class Played {
  constructor() {
    this.parts = new Set();
    this.last = null;
  }

  see(time, duration) {
    if (!duration) return;
    const part = Math.min(99, Math.floor((time / duration) * 100));
    if (this.last !== null && part < this.last && time < 1) {
      for (let i = this.last; i < 100; i += 1) this.parts.add(i); // looped
      this.last = 0;
    }
    const from = this.last !== null && part >= this.last && part - this.last < 60 ? this.last : part;
    for (let i = from; i <= part; i += 1) this.parts.add(i);
    this.last = part;
  }

  get fraction() {
    return this.parts.size / 100;
  }
}

function watch(task, video) {
  if (!current || task.pair !== current.pair) return;
  played.see(video.currentTime, video.duration);
  showSeen();
}

function showSeen() {
  const fraction = hasClips ? played.fraction : 1;
  const percent = Math.round(Math.min(1, fraction) * 100);
  seen.firstElementChild.style.width = `${percent}%`;
  seen.setAttribute("aria-valuenow", String(percent));
  grades.toggleAttribute("data-closed", fraction < needed);
}

function follow() {
  const video = current && clips.get(current.pair);
  if (video && !video.paused) watch(current, video);
  requestAnimationFrame(follow);
}

// ---- what is shown -----------------------------------------------------------------------------

function say(text) {
  state.textContent = text;
}

function show() {
  clearTimeout(timer);
  const next = tasks[0] || null;
  const stays = current !== null && next !== null && next.pair === current.pair;
  if (!stays) change(next);
  current = next;
  for (const task of tasks) if (task.clip) clipOf(task);
  for (const [pair, video] of clips) {
    if (!tasks.some((task) => task.pair === pair)) {
      video.remove();
      clips.delete(pair);
    }
  }
}

// Another pair comes on stage. The server's answers repeat the pair that plays already: that one is left alone.
function change(next) {
  if (current && clips.has(current.pair)) clips.get(current.pair).pause();
  current = next;
  played = new Played();
  for (const [pair, video] of clips) video.hidden = !next || pair !== next.pair;
  grades.hidden = seen.hidden = !next;
  queryLine.textContent = next ? next.query : "";
  if (!next) return;
  note.hidden = Boolean(next.clip);
  if (next.clip) {
    const video = clipOf(next);
    video.hidden = false;
    video.currentTime = 0;
    video.play().catch(() => say("Press Space to play the clip."));
  } else {
    note.textContent = "This collection has no clips: there is nothing to watch for this moment.";
  }
  showSeen();
}

function take(answer) {
  today.textContent = String(answer.today);
  tasks = answer.tasks.filter((task) => !answered.has(task.pair));
  show();
  if (!tasks.length && !waiting.length) {
    note.hidden = false;
    note.textContent = answer.empty || "Looking for work…";
    timer = setTimeout(ask, LOOK_AGAIN_MS);
  }
}

function showWaiting() {
  localStorage.setItem(storeKey, JSON.stringify(waiting));
  const many = waiting.length === 1 ? "1 judgment waits" : `${waiting.length} judgments wait`;
  strip.textContent = `${many} for the network. Nothing is lost; go on.`;
}

// ---- talking to the server ----------------------------------------------------------------------

async function post(url, body) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
    body: JSON.stringify(body || {}),
  });
  if (response.status === 401) {
    location.href = settings.login;
    throw new Error("logged out");
  }
  // What the server can't read at all it never will: sending it again would hold up all that waits behind it.
  if (response.status === 400) return { rejected: await response.text() };
  const isJson = (response.headers.get("Content-Type") || "").startsWith("application/json");
  if (response.status >= 500 || !isJson) throw new Error(`the server answered ${response.status}`);
  return response.json();
}

function csrfToken() {
  const cookie = document.cookie.split("; ").find((part) => part.startsWith("csrftoken="));
  return cookie ? cookie.slice("csrftoken=".length) : settings.csrf;
}

async function ask() {
  try {
    take(await post(settings.next));
  } catch {
    note.hidden = false;
    if (!current) note.textContent = "The server can't be reached. This page tries again by itself.";
    timer = setTimeout(ask, RETRY_MS);
  }
}

async function send() {
  if (sending) return;
  sending = true;
  while (waiting.length) {
    const judgment = waiting[0];
    try {
      const answer = await post(settings.grade, judgment);
      waiting.shift();
      answered.delete(judgment.pair);
      strip.hidden = true;
      showWaiting();
      if (answer.rejected) {
        say(`Not saved: ${answer.rejected}`);
        continue;
      }
      say(answer.message || "saved");
      // While more wait, what the server offers may be answered here already.
      take(answer);
    } catch {
      strip.hidden = false;
      showWaiting();
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  sending = false;
}

// ---- what a person does ---------------------------------------------------------------------------

function grade(value) {
  if (!current) return;
  const fraction = hasClips ? Math.min(1, played.fraction) : 1;
  if (fraction < needed) {
    say(`Watch ${Math.round(needed * 100)} % of the clip first.`);
    return;
  }
  const button = grades.querySelector(`[data-grade="${value}"]`);
  button.classList.add("lit");
  setTimeout(() => button.classList.remove("lit"), 120);
  waiting.push({ pair: current.pair, grade: value, key: crypto.randomUUID(), played: fraction });
  answered.add(current.pair);
  showWaiting();
  say("");
  tasks = tasks.slice(1);
  show();
  if (!current) {
    note.hidden = false;
    note.textContent = "Looking for work…";
  }
  send();
}

async function undo() {
  if (waiting.length) {
    say("Wait until your last judgment is saved, then take it back.");
    return;
  }
  try {
    const answer = await post(settings.undo);
    say(answer.message || "taken back");
    current = null;
    take(answer);
  } catch {
    say("The server can't be reached: nothing was taken back.");
  }
}

function pause() {
  const video = current && clips.get(current.pair);
  if (!video) return;
  if (video.paused) video.play();
  else video.pause();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key >= "0" && event.key <= "4") grade(Number(event.key));
  else if (event.key === "z" || event.key === "Z") undo();
  else if (event.key === " " && !event.target.closest("button")) {
    event.preventDefault();
    pause();
  }
});
grades.addEventListener("click", (event) => {
  const button = event.target.closest("[data-grade]");
  if (button) grade(Number(button.dataset.grade));
});
document.getElementById("undo").addEventListener("click", undo);
document.getElementById("pause").addEventListener("click", pause);
addEventListener("online", send);

requestAnimationFrame(follow);
if (waiting.length) send().then(ask);
else ask();
