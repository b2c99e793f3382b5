// A request of a review page: resolves with the answer's JSON, or throws an Error with a sentence for the person.

import { gettext } from "./translated.js";

/** `fields`, with `csrfmiddlewaretoken`, make it a POST. */
export async function ask(address, fields = null) {
  const options = { headers: { Accept: "application/json" }, credentials: "same-origin" };
  if (fields) {
    options.method = "POST";
    options.body = new URLSearchParams(fields);
    options.keepalive = true; // goes out also when the tab is closed this very moment
    options.priority = "high"; // posters loaded ahead can wait
  }
  let response;
  try {
    response = await fetch(address, options);
  } catch {
    throw new Error(gettext("You are offline. Nothing was changed; try again."));
  }
  if (!(response.headers.get("Content-Type") || "").includes("json")) {
    throw new Error(response.redirected ? gettext("You are logged out. Log in again; nothing is lost.") : gettext("The server could not answer. Nothing was changed; try again."));
  }
  return response.json();
}
