// What opens over the page: the guideline drawer, the flag form, the list of keys.

import { gettext } from "../translated.js";

/** The flag form: what is wrong with this pair, by keyboard alone. */
export class FlagForm {
  #dialog;
  #form;
  #stage;
  #send = null;

  /** `stage`: whose clip rests while the form is open. */
  constructor(dialog, stage) {
    this.#dialog = dialog;
    this.#stage = stage;
    this.#form = dialog.querySelector("form");
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      const { flag, note } = this.#form.elements;
      if (["other", "question"].includes(flag.value) && !note.value.trim()) {
        note.setCustomValidity(flag.value === "other" ? gettext("Say in a few words what is wrong.") : gettext("Write your question."));
        note.reportValidity();
        return;
      }
      this.#dialog.close();
      this.#send(flag.value, note.value.trim());
    });
    this.#form.addEventListener("input", () => this.#form.elements.note.setCustomValidity(""));
    this.#form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#form.requestSubmit();
    });
    for (const button of dialog.querySelectorAll("[data-close]")) {
      button.addEventListener("click", () => this.#dialog.close());
    }
  }

  /** Opens with `kind` chosen, "" for none: Enter then sends nothing. Calls `send(kind, note)`, or lets the clip go on when it's closed without. */
  open(kind, send) {
    const played = this.#stage.playing;
    this.#stage.pause();
    this.#form.reset();
    const first = this.#form.querySelector(`[name="flag"]${kind && `[value="${kind}"]`}`);
    first.checked = Boolean(kind);
    let sent = false;
    this.#send = (...flag) => {
      sent = true;
      send(...flag);
    };
    this.#dialog.addEventListener("close", () => sent || (played && this.#stage.play()), { once: true });
    this.#dialog.showModal();
    first.focus();
  }
}

/** The list of keys: a dialog that closes by its button, by Escape, and by the key that opened it. */
export function bindKeyList(dialog) {
  dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "?") return;
    event.stopPropagation();
    dialog.close();
  });
}

const WIDE = matchMedia("(min-width: 1000px)");

/** The guideline: beside the clip where there is room, so that one can judge on; over it elsewhere. */
export class Drawer {
  #dialog;
  #server;
  #version = null;
  #opener = null;

  /** `confirmed(outcome)`: a version was confirmed; `closed()`. */
  constructor(dialog, server, { confirmed, closed }) {
    this.#dialog = dialog;
    this.#server = server;
    dialog.querySelector("[data-close]").addEventListener("click", () => this.close());
    dialog.addEventListener("close", () => {
      this.#closed();
      closed();
    });
    // A drawer that isn't modal gets no Escape of its own.
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && dialog.open && !dialog.matches(":modal")) {
        event.stopPropagation();
        this.close();
      }
      if (event.key.toLowerCase() === "g" && dialog.matches(":modal")) {
        event.stopPropagation();
        this.close();
      }
    }, { capture: true });
    dialog.querySelector("#confirm").addEventListener("click", async () => {
      const outcome = await server.post("guidelineConfirm", { version: this.#version });
      if (outcome.kind === "taken" || outcome.kind === "refused") this.close();
      else this.#say(outcome.text ?? gettext("The server can't be reached. Try again in a moment."));
      confirmed(outcome);
    });
  }

  get isOpen() {
    return this.#dialog.open;
  }

  toggle() {
    if (this.#dialog.open) this.close();
    else this.open();
  }

  async open() {
    if (this.#dialog.open) return;
    this.#opener = document.activeElement;
    if (WIDE.matches) this.#dialog.show();
    else this.#dialog.showModal();
    document.body.classList.toggle("with-drawer", WIDE.matches);
    this.#dialog.querySelector("h2").focus();
    const guideline = await this.#server.get("guideline");
    if (!guideline) {
      this.#say(gettext("The guideline can't be loaded right now. Close it and try again in a moment."));
      return;
    }
    this.#version = guideline.version;
    this.#say("");
    // The lead's text, rendered and cleaned by the server.
    this.#dialog.querySelector("#guideline-text").innerHTML = guideline.html;
    this.#mustConfirm(guideline.confirmed === false && this.#server.has("guidelineConfirm"));
  }

  close() {
    this.#dialog.close();
  }

  // One way on: what has to be confirmed offers no button that only closes it.
  #mustConfirm(must) {
    const confirm = this.#dialog.querySelector("#confirm");
    confirm.hidden = !must;
    confirm.textContent = gettext("I have read version {version}: begin", { version: this.#version });
    this.#dialog.querySelector("[data-close]").hidden = must;
  }

  #closed() {
    document.body.classList.remove("with-drawer");
    if (this.#opener?.isConnected && this.#opener !== document.body) this.#opener.focus();
  }

  #say(text) {
    this.#dialog.querySelector("#guideline-state").textContent = text;
  }
}

/** Now, or when the dialog that somebody types in is closed. */
export function whenNobodyTypes(act) {
  const open = document.querySelector("dialog:modal");
  if (open) open.addEventListener("close", act, { once: true });
  else act();
}

/** Where there is no address, there is neither key nor button. */
export function dropUnused(server) {
  for (const name of ["flag", "guideline", "leave", "undo", "progress", "session", "earlier"]) {
    if (server.has(name)) continue;
    for (const part of document.querySelectorAll(`[data-do="${name}"], [data-for="${name}"]`)) part.remove();
  }
}
