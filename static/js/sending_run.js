// Sends a team's run and says how much of it has arrived. Without this script the form is sent as any other.
//
// #send-run is a form whose address answers {address} or, with status 400, {wrong: {field: sentence}}; [data-sent] is
// where the progress is said.

import { gettext, number } from "./translated.js";

const form = document.getElementById("send-run");
const told = form?.querySelector("[data-sent]");
const button = form?.querySelector("button.first");

/** Show what is wrong beside the fields, the first of them focused. */
function show(wrong) {
  for (const [name, said] of Object.entries(wrong)) {
    const field = form.querySelector(`[name="${name}"]`) ?? form.querySelector("[name=file]");
    const place = document.createElement("p");
    place.className = "wrong";
    place.id = `${field.id}-wrong`;
    place.textContent = said;
    field.closest(".field").append(place);
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", place.id);
    field.focus();
  }
}

function clear() {
  for (const place of form.querySelectorAll(".wrong")) place.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
}

function ended(request) {
  let answer = null;
  try {
    answer = JSON.parse(request.responseText);
  } catch {
    // A page, such as that of the login, or a sentence.
  }
  if (request.status === 200 && answer?.address) return location.assign(answer.address);
  button.disabled = false;
  told.hidden = true;
  if (answer?.wrong) return show(answer.wrong);
  const said = request.getResponseHeader("Content-Type")?.startsWith("text/plain") ? request.responseText.trim() : "";
  show({ file: answer?.message || said || gettext("The run wasn't taken. Reload the page and send it again.") });
}

form?.addEventListener("submit", (event) => {
  event.preventDefault();
  clear();
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  request.setRequestHeader("Accept", "application/json");
  request.upload.addEventListener("progress", (part) => {
    const share = part.lengthComputable ? Math.floor((100 * part.loaded) / part.total) : 0;
    told.textContent = share < 100 ? gettext("{share} % sent.", { share: number(share) }) : gettext("All is sent.");
  });
  request.addEventListener("load", () => ended(request));
  request.addEventListener("error", () => ended(request));
  button.disabled = true;
  told.hidden = false;
  told.textContent = gettext("Sending…");
  request.send(new FormData(form));
});
