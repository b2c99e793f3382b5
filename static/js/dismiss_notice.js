// Dismiss a lead's notice without leaving the page.

import { gettext } from "./translated.js";

for (const form of document.querySelectorAll("[data-notice]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const answer = await fetch(form.action, { method: "POST", body: new FormData(form) }).catch(() => null);
    if (!answer?.ok) return form.querySelector("button").setAttribute("title", gettext("The server can't be reached. Try again in a moment."));
    const next = form.nextElementSibling ?? form.previousElementSibling;
    form.remove();
    next?.querySelector("button")?.focus();
  });
}
