// Sends files in pieces, a few files at once, and goes on by itself after whatever breaks a connection.
//
// The server alone knows where a file goes on: it is asked after every break, and a piece counts once it says so.

import { gettext } from "../translated.js";
import { checksumOf } from "./marks.js";

const AT_ONCE = 3;
const LEAST = 256 * 1024;
const FIRST = 1024 * 1024;
const QUICK = 1000; // ms: a piece that took less is followed by a larger one
const SLOW = 15000;
const GIVEN_UP = 240000; // ms without an answer to a piece
const LONGEST_PAUSE = 30000;

/** What the server says of why a file isn't taken. */
class Refusal extends Error {}

export class Sending {
  #longest;
  #csrf;
  #told;
  #waiting = [];
  #active = 0;
  #wake = new Set();
  #paused = false;
  #piece = FIRST;

  /** `longest`: bytes of a piece; `told(entry)`: something of a file has changed. */
  constructor({ longest, csrf, told }) {
    this.#longest = longest;
    this.#csrf = csrf;
    this.#told = told;
    addEventListener("online", () => this.#goOn());
  }

  /** An entry: {file, address, offset, state, problem, note}; they are kept up to date. */
  add(entries) {
    this.#waiting.push(...entries);
    this.#fill();
  }

  /** Resolves once fewer than `count` files wait for their turn. */
  async fewerThan(count) {
    while (this.#waiting.length >= count) await this.#sleep(500);
  }

  /** Whether anything is on its way or waits. */
  get busy() {
    return this.#active > 0 || this.#waiting.length > 0;
  }

  get paused() {
    return this.#paused;
  }

  pause() {
    this.#paused = true;
  }

  resume() {
    this.#paused = false;
    this.#goOn();
    this.#fill();
  }

  #fill() {
    while (!this.#paused && this.#active < AT_ONCE && this.#waiting.length) {
      const entry = this.#waiting.shift();
      this.#active++;
      this.#send(entry).finally(() => {
        this.#active--;
        this.#tell(entry, {});
        this.#fill();
      });
    }
  }

  async #send(entry) {
    let failures = 0;
    while (entry.state === "arriving" && !entry.problem) {
      try {
        await this.#until(() => !this.#paused);
        if (failures) await this.#ask(entry);
        if (entry.state === "arriving") await this.#sendPiece(entry);
        failures = 0;
      } catch (fault) {
        if (fault instanceof Refusal) return this.#tell(entry, { problem: fault.message, note: "" });
        this.#piece = Math.max(LEAST, this.#piece / 2);
        this.#tell(entry, { note: fault.note ?? gettext("waits for the network") });
        const seconds = Math.min(LONGEST_PAUSE, 500 * 2 ** failures++);
        await this.#sleep(fault.least ? Math.max(fault.least, seconds) : seconds);
      }
    }
  }

  async #sendPiece(entry) {
    let bytes;
    try {
      bytes = new Uint8Array(await entry.file.slice(entry.offset, entry.offset + this.#piece).arrayBuffer());
    } catch {
      throw new Refusal(gettext("The file can't be read any more. Choose it again."));
    }
    const began = performance.now();
    const response = await this.#request(entry.address, {
      method: "PATCH",
      body: bytes,
      signal: AbortSignal.timeout(GIVEN_UP),
      headers: {
        "Content-Type": "application/offset+octet-stream",
        "Upload-Offset": String(entry.offset),
        "Upload-Checksum": checksumOf(bytes),
      },
    });
    if (response.status === 204 || response.status === 409) {
      const took = performance.now() - began;
      if (took < QUICK) this.#piece = Math.min(this.#longest, this.#piece * 2);
      if (took > SLOW) this.#piece = Math.max(LEAST, this.#piece / 2);
      return this.#heard(entry, response);
    }
    await this.#fail(response);
  }

  async #ask(entry) {
    const response = await this.#request(entry.address, { method: "HEAD", signal: AbortSignal.timeout(GIVEN_UP) });
    if (!response.ok) await this.#fail(response);
    this.#heard(entry, response);
  }

  #heard(entry, response) {
    this.#tell(entry, {
      offset: Number(response.headers.get("Upload-Offset")),
      state: response.headers.get("Upload-State"),
      report: response.headers.get("Upload-Report") ?? "",
      note: "",
    });
  }

  #request(address, options) {
    const headers = { ...options.headers, "X-CSRFToken": cookie() ?? this.#csrf };
    return fetch(address, { credentials: "same-origin", cache: "no-store", ...options, headers });
  }

  /** Throws a Refusal for what trying again doesn't mend, and an Error for all else. */
  async #fail(response) {
    const fault = new Error(`status ${response.status}`);
    if (response.status === 401 || response.status === 403) {
      const text = await response.text();
      // Logged in again in another tab, there is a new token, too: then it goes on.
      const lost = response.status === 401 || !text.startsWith("This ");
      if (!lost) throw new Refusal(text);
      throw Object.assign(fault, { note: gettext("you are logged out: log in in another tab, and the upload continues"), least: 3000 });
    }
    if (response.status === 423) throw Object.assign(fault, { note: gettext("another page is sending the file") });
    if (response.status === 460) throw Object.assign(fault, { note: gettext("a piece was damaged and is sent again") });
    if (response.status === 404) throw new Refusal(gettext("The file was removed, or you no longer lead here. Choose it again."));
    if ([400, 411, 413, 415, 507].includes(response.status)) {
      throw new Refusal((await response.text()).trim() || gettext("The server refused the file. Choose it again."));
    }
    throw Object.assign(fault, { note: gettext("waits for the server") });
  }

  #tell(entry, news) {
    Object.assign(entry, news);
    this.#told(entry);
  }

  #goOn() {
    for (const wake of [...this.#wake]) wake();
  }

  #sleep(milliseconds) {
    return new Promise((done) => {
      const end = () => {
        clearTimeout(timer);
        this.#wake.delete(end);
        done();
      };
      const timer = setTimeout(end, milliseconds);
      this.#wake.add(end);
    });
  }

  async #until(true_) {
    while (!true_()) await this.#sleep(LONGEST_PAUSE);
  }
}

/** The token as it is now: a login in another tab changes it. */
export function cookie() {
  const found = document.cookie.split("; ").find((part) => part.startsWith("csrftoken="));
  return found ? found.slice("csrftoken=".length) : null;
}
