// Forms with `data-passkey`: "get" has the browser answer by a passkey, "create" has it make one. What to ask is fetched
// from `data-options` when the form is sent; the answer goes along in its field `credential`, and the server judges it.
//
// A form's button is hidden until this script finds that the browser can. `data-or-why` says so where it can't.

import { gettext } from "./translated.js";

const bytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const described = (list = []) => list.map((one) => ({ ...one, id: bytes(one.id) }));

/** What the server asks, with its bytes as bytes. */
function question({ publicKey: asked }) {
  const ready = { ...asked, challenge: bytes(asked.challenge) };
  if (asked.user) ready.user = { ...asked.user, id: bytes(asked.user.id) };
  if (asked.excludeCredentials) ready.excludeCredentials = described(asked.excludeCredentials);
  if (asked.allowCredentials) ready.allowCredentials = described(asked.allowCredentials);
  return { publicKey: ready };
}

/** The browser's answer as JSON, in the form that WebAuthn has for it. */
function answer(made) {
  const response = { clientDataJSON: text(made.response.clientDataJSON) };
  for (const part of ["attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (made.response[part]) response[part] = text(made.response[part]);
  }
  const clientExtensionResults = made.getClientExtensionResults();
  return JSON.stringify({ id: made.id, rawId: text(made.rawId), type: made.type, response, clientExtensionResults });
}

function words(fault) {
  if (fault.name === "InvalidStateError") return gettext("This device has a passkey for your account already.");
  if (fault.name === "NotAllowedError") return gettext("No passkey was chosen in time. Try again when you have it at hand.");
  return gettext("Your browser could not use a passkey here: {fault}", { fault: fault.message });
}

async function asked(form) {
  const headers = { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value, Accept: "application/json" };
  const response = await fetch(form.dataset.options, { method: "POST", headers }).catch(() => null);
  if (!response) throw gettext("The site can't be reached. Try again when you are connected.");
  const said = await response.json().catch(() => ({}));
  if (!response.ok) throw said.message ?? gettext("Reload the page and try again.");
  return said;
}

async function send(form) {
  const problem = form.querySelector("[role=alert]");
  const button = form.querySelector("button");
  problem.textContent = "";
  button.disabled = true;
  try {
    const options = question(await asked(form));
    const create = form.dataset.passkey === "create";
    const made = await (create ? navigator.credentials.create(options) : navigator.credentials.get(options));
    form.elements.credential.value = answer(made);
    form.submit();
  } catch (fault) {
    problem.textContent = typeof fault === "string" ? fault : words(fault);
    button.disabled = false;
    button.focus();
  }
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  form.elements.credential.value = "";
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
  if (window.PublicKeyCredential && navigator.credentials) {
    for (const part of form.querySelectorAll("[hidden]:not(input)")) part.hidden = false;
  } else if (form.hasAttribute("data-or-why")) {
    form.querySelector("[role=alert]").textContent = gettext("This browser takes no passkeys.");
  }
}
