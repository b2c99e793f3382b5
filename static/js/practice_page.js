// Practice, exam and judging again, on top of the judging page: progress, the feedback after a grade, and a button to
// what comes next when nothing is left.

import { gettext, number } from "./translated.js";

const judge = document.getElementById("judge");
const feedback = document.getElementById("feedback");
const verdict = document.getElementById("verdict");
const why = document.getElementById("why");
const onward = document.getElementById("onward");
const nextStep = document.getElementById("next-step");
const steps = document.getElementById("steps");
const done = document.getElementById("done");

let goOn = null;

/** Nothing is left here: the button that the page now shows leads to `step`, {text, address, changes}. */
function offer(step) {
  if (!step) return;
  steps.textContent = step.text;
  nextStep.action = step.address;
  nextStep.method = step.changes ? "post" : "get";
  // The token goes with a POST, and into no address.
  nextStep.elements.csrfmiddlewaretoken.disabled = !step.changes;
}

/** That button is one Enter away, unless somebody is busy elsewhere on the page. */
function pointToSteps() {
  const at = document.activeElement;
  if (at === document.body || !at.checkVisibility()) steps.focus();
}

/** Shows the feedback on a grade: {grade, truth, out, why}. */
function tell({ grade, truth, out, why: reason }, before) {
  const values = { grade: number(grade), truth: number(truth) };
  if (before) {
    verdict.textContent = gettext("You gave {grade}; the truth is {truth}. Watch it again, then grade it again.", values);
  } else if (grade === truth) {
    verdict.textContent = gettext("You gave {grade}, the truth is {truth}: an exact match.", values);
  } else if (out && document.querySelector("#grades[data-slider]")) {
    verdict.textContent = gettext("You gave {grade}, the truth is {truth}: too far away.", values);
  } else if (out) {
    verdict.textContent = gettext("You gave {grade}, the truth is {truth}: more than one away.", values);
  } else verdict.textContent = gettext("You gave {grade}, the truth is {truth}: close enough.", values);
  why.textContent = reason;
  why.hidden = !reason;
  feedback.classList.toggle("out", out);
  onward.hidden = before;
  feedback.hidden = false;
}

function show(task) {
  if (task?.feedback) tell(task.feedback, true);
  else feedback.hidden = true;
}

judge.addEventListener("judging:task", ({ detail: task }) => show(task));

judge.addEventListener("judging:answer", (event) => {
  const { answer } = event.detail;
  offer(answer.step);
  if (answer.total) done.textContent = gettext("{done} of {total}", { done: number(answer.done), total: number(answer.total) });
  if (!answer.feedback) {
    // Once the page has taken the answer in, and shows the button.
    if (!answer.tasks.length) queueMicrotask(pointToSteps);
    return;
  }
  event.preventDefault();
  goOn = () => {
    goOn = null;
    show(answer.tasks[0]);
    event.detail.goOn();
    if (!answer.tasks.length) pointToSteps();
  };
  tell(answer.feedback, false);
  onward.focus();
});

onward.addEventListener("click", () => {
  onward.blur();
  goOn?.();
});
