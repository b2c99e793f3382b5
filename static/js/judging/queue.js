// What waits to be sent, kept in the browser so that a lost network, a closed tab or a lost login loses none of it.
//
// Each entry lies under a name of its own and is added, changed and removed alone: two tabs can't overwrite each
// other's. The names sort in the order in which the entries were made.

export function newKey() {
  if (crypto.randomUUID) return crypto.randomUUID();
  // Without https there is no randomUUID.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

export class Queue {
  #prefix;
  #memory = new Map(); // what the browser refused to keep: its storage is full or switched off

  /** `owner`: the worker whose entries these are; `place`: where they go. Nobody else's are ever seen. */
  constructor(owner, place) {
    this.#prefix = `qreels:queue:${owner}:${place}:`;
  }

  /** Entries, oldest first, each with its `id`. */
  entries() {
    const ids = [...this.#memory.keys()];
    try {
      for (let i = 0; i < localStorage.length; i += 1) {
        const name = localStorage.key(i);
        if (name.startsWith(this.#prefix)) ids.push(name);
      }
    } catch {
      // Switched off: what is in memory is all there is.
    }
    return ids.sort().map((id) => this.read(id)).filter(Boolean);
  }

  read(id) {
    if (this.#memory.has(id)) return { ...this.#memory.get(id), id };
    try {
      const kept = JSON.parse(localStorage.getItem(id));
      return kept && { ...kept, id };
    } catch {
      return null;
    }
  }

  get first() {
    return this.entries()[0] ?? null;
  }

  get last() {
    return this.entries().at(-1) ?? null;
  }

  get length() {
    return this.entries().length;
  }

  /** Whether closing the page would lose something. */
  get volatile() {
    return this.#memory.size > 0;
  }

  /** Pairs that were answered here and whose answer stands. */
  pairs() {
    return new Set(this.entries().filter((entry) => !entry.withdrawn).map((entry) => entry.pair));
  }

  add(entry) {
    const before = this.last;
    const latest = before ? Number(before.id.slice(this.#prefix.length).split("-")[0]) : 0;
    // Later than every other, also where the clock was set back.
    const stamp = String(Math.max(Date.now(), latest + 1)).padStart(16, "0");
    const id = `${this.#prefix}${stamp}-${newKey().slice(0, 8)}`;
    this.#write(id, entry);
    return id;
  }

  change(id, more) {
    const entry = this.read(id);
    if (!entry) return;
    delete entry.id;
    this.#write(id, { ...entry, ...more });
  }

  remove(id) {
    this.#memory.delete(id);
    try {
      localStorage.removeItem(id);
    } catch {
      // Switched off, so it wasn't there.
    }
  }

  /** Calls `hear` when another tab has added, changed or removed an entry. */
  onOtherTab(hear) {
    addEventListener("storage", (event) => {
      if (event.key === null || event.key.startsWith(this.#prefix)) hear();
    });
  }

  #write(id, entry) {
    try {
      localStorage.setItem(id, JSON.stringify(entry));
      this.#memory.delete(id);
    } catch {
      this.#memory.set(id, entry);
    }
  }
}
