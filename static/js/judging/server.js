// The page's requests, and what their answers mean.

const PATIENCE_MS = 20000;
const ALIVE_MS = 60000;

export class Server {
  #place;
  #token;

  /** Milliseconds by which the server's clock is ahead of this one. */
  clockOffset = 0;

  /** `place`: the dataset with the addresses, the worker and a CSRF token. */
  constructor(place) {
    this.#place = place;
    // Whose login goes with a page that was kept from before is asked first.
    this.#token = place.kept ? undefined : cookie();
  }

  has(name) {
    return Boolean(this.#place[name]);
  }

  /**
   * POST `body` to the address called `name`, in which `id` names the answer read, if it is about one. What became of it, as `kind`:
   * taken (200, 204) or refused (409), with `body`; unreadable (400) or barred (403), with `text`;
   * loggedOut (401); away (no network, no answer, 429, 5xx, anything else), which may be sent again.
   */
  async post(name, body = {}, id = 0) {
    try {
      const stranger = await this.#checkWhoIsLoggedIn();
      if (stranger) return stranger;
      const response = await fetch(this.#place[name].replace("/answers/0/", `/answers/${id}/`), {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRFToken": cookie() ?? this.#place.csrf },
        body: JSON.stringify(body),
        // Goes out also when the tab is closed this very moment.
        keepalive: true,
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      this.#setClock(response);
      // Refused as forged: the cookies are gone, and perhaps the login with them. Asking for the page tells, and brings
      // the cookie anew.
      if (response.status === 403 && !isPlain(response)) {
        return (await this.#askWhoIsLoggedIn()) ?? { kind: "away", why: "server" };
      }
      return await meaning(response);
    } catch {
      return { kind: "away", why: "network" };
    }
  }

  /** Tell the server every minute that somebody is here, while `here()`. */
  keepAlive(here) {
    if (this.has("alive")) setInterval(() => here() && this.post("alive"), ALIVE_MS);
  }

  #setClock(response) {
    const now = Date.parse(response.headers.get("Date") ?? "");
    if (now) this.clockOffset = now - Date.now();
  }

  /** GET the address called `name`, with this query: its JSON, or null where it can't be had just now. */
  get(name, query = null) {
    return this.read(query ? `${this.#place[name]}?${new URLSearchParams(query)}` : this.#place[name]);
  }

  /** GET an address that the server has told: its JSON, or null. */
  async read(address) {
    try {
      const response = await fetch(address, { signal: AbortSignal.timeout(PATIENCE_MS) });
      return response.ok && isJson(response) ? await response.json() : null;
    } catch {
      return null;
    }
  }

  // Every login changes the CSRF cookie. When it has changed, somebody has logged in in another tab: what this page
  // keeps is one worker's, and is sent only once the server says that it's still the same one.
  async #checkWhoIsLoggedIn() {
    const now = cookie();
    if (this.#token !== undefined && (now === null || now === this.#token)) return null;
    return this.#askWhoIsLoggedIn();
  }

  async #askWhoIsLoggedIn() {
    const response = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) });
    if (response.redirected) return { kind: "loggedOut" };
    if (!response.ok) return { kind: "away", why: "server" };
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (page.getElementById("judge")?.dataset.worker !== this.#place.worker) {
      location.reload();
      return { kind: "away", why: "server" };
    }
    this.#token = cookie();
    return null;
  }
}

async function meaning(response) {
  if (response.status === 204) return { kind: "taken", body: null };
  if (response.status === 401) return { kind: "loggedOut" };
  if (response.status === 400) return { kind: "unreadable", text: await response.text() };
  if (response.status === 403 && isPlain(response)) return { kind: "barred", text: await response.text() };
  if (isJson(response) && response.ok) return { kind: "taken", body: await response.json() };
  if (isJson(response) && response.status === 409) return { kind: "refused", body: await response.json() };
  return { kind: "away", why: "server" };
}

function isJson(response) {
  return (response.headers.get("Content-Type") ?? "").startsWith("application/json");
}

function isPlain(response) {
  return (response.headers.get("Content-Type") ?? "").startsWith("text/plain");
}

function cookie() {
  const found = document.cookie.split("; ").find((part) => part.startsWith("csrftoken="));
  return found ? found.slice("csrftoken=".length) : null;
}
