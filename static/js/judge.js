// The judging page: one query, one clip, five keys. What comes next is loaded while this one is judged.
//
// The page gets everything from data attributes of #judge, so practice and exam use it with other addresses:
//   next, grade, undo            POST, each answered with the next tasks
//   flag, alive, leave, session, what isn't given is left out of the page
//   progress, guideline, guideline-confirm
//   service-worker               the address of the worker that keeps the page; without it nothing is kept
//   login                        where a lost login leads
//   account, worker              whose judgments and clips are in this browser; nobody else's are ever sent or shown
//   has-clips, played            whether there are clips, and the part (0-1) to be seen before a grade
//   idle, break                  seconds that a pause counts at most; minutes until a break is suggested
//   evidence                     what counts beside the picture: "sound", "subtitles"
//   adjust                       whether start and end of what fits are marked within the clip
//   uses                         what annotators may use beside the picture: sent with each grade
//   earlier                      where the person's own last clips of a query are told; without it nothing is compared
//   factors, top                 after which grades factors are asked ("every", "between" 0 and the top grade)
//   pace="answer"                wait for the answer to each grade instead of going on at once
// Every answer is also an event `judging:answer` at #judge, with {answer, goOn}: whoever cancels it (to show feedback,
// say) calls goOn() when the next task may come.

import { Activity } from "./judging/activity.js";
import { Stage } from "./judging/clips.js";
import { tellClip, tellMissing, tellNothing } from "./judging/clip_words.js";
import { Context } from "./judging/context.js";
import { bindKeyList, Drawer, dropUnused, FlagForm, whenNobodyTypes } from "./judging/dialogs.js";
import { Earlier } from "./judging/earlier.js";
import { Factors } from "./judging/factors.js";
import { Grades } from "./judging/grades.js";
import { SliderGrades } from "./judging/slider.js";
import { Hand } from "./judging/hand.js";
import { bindHands, bindSwitch, listen } from "./judging/keys.js";
import { Kept } from "./judging/offline.js";
import { BreakReminder, Progress } from "./judging/progress.js";
import { QueryLine } from "./judging/query_line.js";
import { newKey, Queue } from "./judging/queue.js";
import { Senses } from "./judging/senses.js";
import { Sender } from "./judging/sender.js";
import { Server } from "./judging/server.js";
import { Sitting } from "./judging/sitting.js";
import { Span } from "./judging/span.js";
import { Undo } from "./judging/undo.js";
import { Veil } from "./judging/veil.js";
import { calmStrip, say, saySaved, showSpeed, tell, tellLate, tellWaiting } from "./judging/words.js";
import { Zoom } from "./judging/zoom.js";
import { gettext, number } from "./translated.js";

const byId = (id) => document.getElementById(id);
const judge = byId("judge");
const place = judge.dataset;
const queryLine = new QueryLine(byId("query"), byId("medium"), byId("narrative"));
const stageArea = byId("stage");

const TOO_FAST_MS = 150; // a second press so soon was meant for the clip before
const SLOW_MS = 3000;
const LOOK_AGAIN_MS = 15000;
const ALIVE_MS = 60000;
const AWAY_AFTER_MS = 5 * 60 * 1000;
const KEEP_PAGE_MS = 2000; // after the first clips, which come first

const needed = Number(place.played);
const hasClips = place.hasClips === "1";

let current = null;
let gradedAt = -TOO_FAST_MS;
let held = false; // until the answer is there, or feedback was read
let refilling = false;
let left = false;
let answers = 0;
let unconfirmed = 0; // the version of the guideline that has to be confirmed first
let late = 0; // judgments that came after others had decided those pairs
let lookTimer = 0;

const server = new Server(place);
const queue = new Queue(place.worker, place.grade);
const activity = new Activity(Number(place.idle) || 60);
const kept = new Kept(place);
const markButton = (name) => document.querySelector(`[data-do="${name}"]`);
const hearing = { sound: markButton("sound"), volume: byId("volume"), off: byId("sound-off"), subtitles: markButton("subtitles") };
const senses = new Senses(place, hearing);
const stage = new Stage(stageArea, { seen: showSeen, state: showClip, speed: (times) => say(showSpeed(times)) }, kept, senses);
const veil = new Veil(byId("veil"), stageArea, stage);
const zoom = new Zoom(stageArea, showScale);
const hand = new Hand();
const marks = { start: markButton("markStart"), end: markButton("markEnd"), whole: markButton("markWhole") };
const span = new Span(place.adjust ? byId("span") : null, marks, stage);
const context = new Context(stageArea, markButton("context"), stage, server);
const earlier = new Earlier(byId("earlier"), stage, server, kept);
const slides = byId("grades").hasAttribute("data-slider");
const grades = new (slides ? SliderGrades : Grades)(byId("grades"), byId("seen"), needed, give);
const factors = new Factors(byId("factors"), byId("grades"), { asked: place.factors, top: Number(place.top) }, keepGrade);
const sender = new Sender(queue, server, `${place.worker}:${place.grade}`, {
  delivered,
  takenBack,
  stopped,
  changed: showWaiting,
});
const figures = { today: byId("today"), list: byId("figures"), notices: byId("notices") };
const progress = new Progress(server, sender, queue, place.worker, figures);
const card = { place: byId("place"), card: byId("session"), notices: byId("notices") };
const sitting = new Sitting(server, `${place.worker}:${place.grade}`, card);
const rest = new BreakReminder(Number(place.break) || 0, activity, byId("notices"));
const takingBack = new Undo(
  { queue, sender, server, progress, sitting },
  { again, take, stopped, ask, changed: showWaiting },
);
const flagForm = new FlagForm(byId("flag"), stage);
const drawer = new Drawer(byId("guideline"), server, { confirmed, closed: () => showUnconfirmed() });

// ---- what is shown -----------------------------------------------------------------------------

function show() {
  const next = hand.first;
  if (next?.pair !== current?.pair || (next && !current)) change(next);
  current = next;
  stage.prepare(hand.tasks);
  kept.keepTasks(hand.tasks, earlier.last);
  sitting.show(hand.tasks.length);
}

// Another pair comes on stage. An answer that repeats the pair that plays already leaves it alone.
function change(next) {
  current = next;
  clearTimeout(lookTimer);
  queryLine.show(next);
  grades.begin(Boolean(next));
  factors.end();
  judge.dispatchEvent(new CustomEvent("judging:task", { detail: next }));
  if (next) {
    activity.begin();
    tell("");
  }
  context.begin(next);
  earlier.begin(next);
  zoom.reset();
  veil.begin(next);
  stage.show(next);
  span.begin(next);
  if (next && !next.clip) tellMissing(hasClips);
  showSeen();
}

function fraction() {
  return hasClips ? stage.fraction : 1;
}

function showSeen() {
  grades.show(fraction(), Boolean(current) && !held);
  span.follow();
}

function showClip(state) {
  stageArea.dataset.clip = state;
  byId("pause-word").textContent = state === "paused" ? gettext("play") : gettext("pause");
  tellClip(state, Boolean(current?.clip));
}

function showScale(scale) {
  say(scale > 1 ? gettext("{scale} times as large", { scale: number(Math.round(scale * 10) / 10) }) : "");
}

function showWaiting() {
  tellWaiting(queue, sender.trouble);
  progress.show();
}

function showNothing(reason) {
  if (!current && !left) tellNothing(reason, Boolean(sender.trouble), queue.length);
}

// ---- what the server says ------------------------------------------------------------------------

/** The tasks of an answer. `first`: its first one was taken back and comes on stage; `whole`: it has all there are. */
function take(answer, { first = false, whole = false } = {}) {
  answers += 1;
  const goOn = () => {
    held = false;
    // What is being watched stays on stage, wherever the answer has it.
    hand.take(answer.tasks, { whole, answered: queue.pairs(), stays: first ? null : current?.pair });
    show();
    showSeen();
    if (answer.consent && !hand.first && !queue.length) kept.forget().then(() => location.assign(answer.consent));
    else if (answer.confirm) askToConfirm(answer.confirm);
    else if (!hand.first && !queue.length) lookAgain(answer.empty);
    else if (hand.wantsMore && place.pace !== "answer") refill();
  };
  const afterReading = () => {
    // A press so soon after is meant for what comes now.
    gradedAt = -TOO_FAST_MS;
    goOn();
  };
  const event = new CustomEvent("judging:answer", { detail: { answer, goOn: afterReading }, cancelable: true });
  if (judge.dispatchEvent(event)) goOn();
  else held = true;
}

function lookAgain(reason) {
  showNothing(reason);
  sitting.showCard(() => !current);
  clearTimeout(lookTimer);
  lookTimer = setTimeout(() => (document.hidden ? lookAgain(reason) : ask(reason)), LOOK_AGAIN_MS);
}

function askToConfirm(version) {
  unconfirmed = version;
  drawer.open();
  showUnconfirmed();
}

// One button at a time: the open drawer has its own.
function showUnconfirmed() {
  if (!unconfirmed) return;
  const text = gettext("Version {version} of the guideline is new to you. Read it and confirm it to go on.", { version: unconfirmed });
  tell(text, ...(drawer.isOpen ? [] : ["guideline"]));
}

function confirmed(outcome) {
  if (outcome.kind === "taken" || outcome.kind === "refused") {
    unconfirmed = 0;
    say(outcome.body.message || gettext("Confirmed."));
    take(outcome.body);
  } else stopped(outcome);
}

/** Ask for tasks, after all that waits was sent. `reason`: what is said meanwhile where there is no clip. */
async function ask(reason = "") {
  clearTimeout(lookTimer);
  showNothing(reason);
  if (!(await sender.send())) {
    // What waits is tried again by itself, and its answer brings the next tasks.
    await goOnWithKept();
    showNothing();
    return;
  }
  const outcome = await askForTasks();
  if (outcome.kind === "taken") {
    sender.trouble = "";
    take(outcome.body, { whole: true });
    progress.ask();
  } else {
    stopped(outcome);
    if (outcome.kind === "away") {
      await goOnWithKept();
      if (!current) tell(gettext("The server can't be reached. This page tries again by itself."));
      lookTimer = setTimeout(ask, SLOW_MS);
    }
  }
}

function askForTasks() {
  return sender.alone(() => server.post("next", { ahead: hand.ahead }));
}

/** The page was loaded without a network: what was at hand before is there still. */
async function goOnWithKept() {
  if (current || left) return;
  const tasks = await kept.tasks();
  if (current || left || !tasks.length) return;
  hand.take(tasks, { whole: true, answered: queue.pairs() });
  show();
}

function delivered(entry, outcome) {
  if (outcome.kind === "unreadable") {
    say(gettext("Not saved: {why}", { why: outcome.text }));
    // The next answer brings the pair back; without another on the way, ask.
    if (!queue.length) setTimeout(ask);
    return;
  }
  const body = outcome.body;
  let saved = 0;
  // Of a clip that was graded before, in another tab say, the first grade counts.
  const second = typeof body.stands === "number";
  // The next answer would cover it.
  if (second && queue.length) byId("notices").append(calmStrip(body.message));
  if (body.known) byId("notices").append(calmStrip(body.known));
  if (body.saved && !second) {
    progress.count(1);
    saved = sitting.saved(1);
    if (body.message) tellLate(++late);
  }
  if (body.message || entry.op === "flag") say(body.message || gettext("Flagged. The lead will look at it."));
  else saySaved(saved, server.has("undo"));
  rest.look();
  take(body);
}

function takenBack(entry, outcome) {
  if (outcome.kind === "refused") say(outcome.body.message);
  take(outcome.body);
}

function stopped(outcome) {
  if (outcome.kind === "loggedOut") {
    progress.forget();
    say(gettext("You are logged out. Nothing is lost: log in again."));
    // Not before: a page that is left deletes nothing any more.
    kept.forget().then(() => whenNobodyTypes(() => location.assign(place.login)));
  } else if (outcome.kind === "barred" || outcome.kind === "unreadable") {
    hand.clear();
    show();
    showNothing(outcome.text);
    clearTimeout(lookTimer);
    lookTimer = setTimeout(ask, ALIVE_MS);
  } else showNothing();
}

// ---- what a person does ---------------------------------------------------------------------------

function grade(value) {
  if (!current || held || takingBack.busy) return;
  if (performance.now() - gradedAt < TOO_FAST_MS) return;
  if (factors.asking) {
    if (factors.answer(value)) gradedAt = performance.now();
  } else if (!grades.has(value)) return;
  else if (fraction() >= needed) give(value);
  else if (current.clip) {
    grades.choose(value);
    showSeen();
  }
}

function give(value) {
  grades.light(value);
  grades.clear();
  say("");
  gradedAt = performance.now();
  if (factors.follow(value)) factors.ask(value);
  else keepGrade(value);
}

/** `answers` to factors, by their keys, where they were asked. */
function keepGrade(value, answers) {
  earlier.judged(value);
  const more = { ...span.sentWith(value), ...usedEvidence(), ...(answers && { factors: answers }) };
  keep({ op: "grade", grade: value, key: newKey(), played: Math.min(1, fraction()), ...more });
}

/** What goes with a grade where the collection shows more than pictures: {used}, or {}. */
function usedEvidence() {
  return place.uses ? { used: [...stage.used] } : {};
}

/** The pair on stage is answered: keep the answer, go on, and send it. */
function keep(answer) {
  const entry = { pair: current.pair, active_ms: activity.task, at: new Date().toISOString(), task: current };
  queue.add({ ...entry, ...answer });
  progress.show();
  if (place.pace === "answer") {
    held = true;
    showSeen();
  } else {
    // A question holds nothing up: its pair stays.
    if (answer.flag !== "question") sitting.judged(() => sender.send());
    hand.drop(new Set([entry.pair]));
    show();
  }
  send();
}

async function send() {
  const late = setTimeout(() => {
    if (queue.length && !sender.trouble) say(gettext("saving…"));
  }, SLOW_MS);
  if (!current) showNothing();
  const before = answers;
  const empty = await sender.send();
  clearTimeout(late);
  // Another tab has sent it, and got the answer.
  if (empty && answers === before) refill();
}

async function refill() {
  if (refilling) return;
  refilling = true;
  const outcome = await askForTasks().finally(() => (refilling = false));
  if (outcome.kind === "taken") take(outcome.body, { whole: true });
}

function undo() {
  if (takingBack.busy || held || factors.takeBack() || grades.takeOff() || span.takeBack() || !server.has("undo")) return;
  gradedAt = -TOO_FAST_MS;
  takingBack.last();
}

function again(task) {
  hand.putFirst(task);
  show();
}

function openFlag(kind) {
  if (!current || held || !server.has("flag")) return;
  const pair = current.pair;
  context.hold(false);
  flagForm.open(kind, (flag, note) => current?.pair === pair && keep({ op: "flag", flag, note }));
}

async function leave() {
  byId("progress").hidePopover();
  if (!(await sender.send())) {
    say(gettext("Some judgments still wait for the network. Leave the page open, or come back to it later."));
    return;
  }
  const outcome = await sender.alone(() => server.post("leave"));
  if (outcome.kind !== "taken") return stopped(outcome);
  left = true;
  clearTimeout(lookTimer);
  hand.clear();
  show();
  tell(gettext("Everything is saved, and your place is free for somebody else. See you next time."), "return");
  await sitting.showCard(() => left);
  sitting.end();
}

function comeBack() {
  left = false;
  ask();
}

const actions = {
  undo,
  takeOff: () => factors.takeBack() || grades.takeOff(),
  give: () => slides && !factors.asking && (grades.value === null ? grades.open() : grade(grades.value)),
  lift: () => veil.lift(),
  pause: () => veil.lift() || stage.toggle(),
  back: () => veil.down || stage.step(-1),
  on: () => veil.down || stage.step(1),
  slower: () => stage.hurry(-1),
  faster: () => stage.hurry(1),
  restart: () => veil.down || stage.restart(),
  thirdBack: () => veil.down || stage.third(-1),
  thirdOn: () => veil.down || stage.third(1),
  larger: () => zoom.step(1),
  smaller: () => zoom.step(-1),
  left: () => veil.down || zoom.pan(-1, 0) || stage.step(-1),
  right: () => veil.down || zoom.pan(1, 0) || stage.step(1),
  up: () => zoom.pan(0, -1),
  down: () => zoom.pan(0, 1),
  context: (down) => (veil.down && down) || context.hold(down),
  earlier: () => held || (context.hold(false), earlier.open()),
  markStart: () => held || veil.down || span.mark("start"),
  markEnd: () => held || veil.down || span.mark("end"),
  markWhole: () => held || span.whole(),
  sound: () => senses.toggleSound(),
  subtitles: () => senses.toggleSubtitles(),
  flag: () => openFlag(""),
  broken: () => openFlag("clip"),
  reload: () => stage.again(),
  guideline: () => server.has("guideline") && drawer.toggle(),
  keys: () => byId("keys").showModal(),
  full: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()),
  leave,
  return: comeBack,
};

// ---- what else happens ------------------------------------------------------------------------------

// Another tab has answered, sent or taken something back: what it answered leaves this one.
queue.onOtherTab(() => {
  if (hand.drop(queue.pairs())) {
    show();
    if (hand.wantsMore) refill();
  }
  showWaiting();
});

// The back button may bring the page as it was: ask the server for its state again.
addEventListener("pageshow", (event) => {
  if (event.persisted && !left) ask();
});

addEventListener("beforeunload", (event) => {
  if (queue.volatile) event.preventDefault();
});

server.keepAlive(() => !document.hidden && !left && activity.idleFor < AWAY_AFTER_MS);
markButton("full").hidden = !document.fullscreenEnabled;
bindHands(byId("keys"), document.querySelectorAll("[name=hand]"), place.account || place.worker);
const pressed = (digit) => (slides && !factors.asking ? grades.type(digit) : grade(digit));
listen({ grade: pressed, actions, list: byId("keys"), busy: () => document.querySelector("dialog:modal") !== null });
dropUnused(server);
bindKeyList(byId("keys"));
bindSwitch(byId("single-keys"));
showSpeed(stage.speed);
showWaiting();
await kept.begin(() => progress.forget());
await earlier.restore();
ask();
if (!place.kept) setTimeout(() => kept.keepPage(), KEEP_PAGE_MS);
