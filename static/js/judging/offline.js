// What a page needs to go on without a network, reloads included: itself, its scripts, the tasks at hand, their clips.
//
// All of it lies in one cache of the browser, named after the account and the page. The service worker (address in
// data-service-worker) serves the page from it when the network is away, and empties it when somebody logs in or out.
// Where the browser has neither (no https, no room), judging goes on without a network until the page is reloaded.

const PREFIX = "qreels:kept:";
const SETTLE_MS = 300; // tasks change in bursts
const FORGET_MS = 3000; // for a browser that never answers

export class Kept {
  #place;
  #cache = null;
  #clips = new Set();
  #media = new Set(); // addresses of the pictures, clips and sounds that are queries
  #timer = 0;

  /** `place`: the page's dataset, with service-worker, account and worker. */
  constructor(place) {
    this.#place = place;
  }

  /** Register the worker and open the cache. `gone()`: somebody has logged in or out in another tab. */
  async begin(gone) {
    if (!this.#place.serviceWorker || !navigator.serviceWorker || !window.caches) return;
    navigator.serviceWorker.addEventListener("message", (event) => {
      if (event.data !== "forgotten") return;
      this.#cache = null;
      gone();
    });
    // Not waited for: the first clip comes before it.
    navigator.serviceWorker
      .register(this.#place.serviceWorker, { scope: "/", updateViaCache: "none" })
      .catch(() => {});
    try {
      // Whoever is here now is the only one of whom anything stays.
      const mine = `${PREFIX}${this.#place.account}:`;
      const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && !name.startsWith(mine));
      await Promise.all(names.map((name) => caches.delete(name)));
      this.#cache = await caches.open(`${mine}${location.pathname}`);
      const addresses = (await this.#cache.keys()).map((kept) => new URL(kept.url).pathname);
      this.#clips = new Set(addresses.filter((address) => address.startsWith("/clips/")));
      this.#media = new Set(addresses.filter((address) => address.startsWith("/query-media/")));
    } catch {
      // Refused or full: then a reload needs the network.
    }
  }

  /** Keep the page as the server has it now, with every static file that it has loaded; those of an older build go. */
  async keepPage() {
    const cache = this.#cache;
    if (!cache) return;
    try {
      const response = await fetch(location.pathname, { cache: "no-store" });
      const text = await response.text();
      if (!response.ok || response.redirected || !this.#isMine(text)) return;
      const files = new Set(
        [...performance.getEntriesByType("resource").map((entry) => entry.name), ...linked()]
          .map((address) => new URL(address, location.href))
          .filter((address) => address.origin === location.origin && address.pathname.startsWith("/static/"))
          .map((address) => address.href),
      );
      await cache.addAll(files);
      const html = { headers: { "Content-Type": "text/html; charset=utf-8" } };
      await cache.put(location.pathname, new Response(text.replace('id="judge"', 'id="judge" data-kept="1"'), html));
      for (const kept of await cache.keys()) {
        if (new URL(kept.url).pathname.startsWith("/static/") && !files.has(kept.url)) await cache.delete(kept);
      }
    } catch {
      // The network went away, or there is no room: what was kept before is as good as it was.
    }
  }

  /** Keep the tasks at hand and what was `judged` last, and no other clips than theirs. */
  keepTasks(tasks, judged = null) {
    clearTimeout(this.#timer);
    if (!this.#cache) return;
    this.#timer = setTimeout(() => this.#writeTasks(tasks, judged), SETTLE_MS);
  }

  async #writeTasks(tasks, judged) {
    const cache = this.#cache;
    if (!cache) return;
    const json = { headers: { "Content-Type": "application/json" } };
    for (const [name, kept] of [["tasks-at-hand", tasks], ...(judged ? [["judged-last", judged]] : [])]) {
      await cache.put(`${location.pathname}${name}`, new Response(JSON.stringify(kept), json)).catch(() => {});
    }
    const wanted = new Set([...tasks, ...(judged ?? [])].flatMap((task) => [task.clip, task.subtitles]));
    for (const clip of [...this.#clips]) if (!wanted.has(clip)) this.dropClip(clip);
    await this.#keepMedia(cache, new Set(tasks.flatMap((task) => task.medium?.address ?? [])));
  }

  async #keepMedia(cache, wanted) {
    for (const address of this.#media) if (!wanted.has(address)) cache.delete(address).catch(() => {});
    const missing = [...wanted].filter((address) => !this.#media.has(address));
    this.#media = wanted;
    for (const address of missing) await cache.add(address).catch(() => this.#media.delete(address));
  }

  /** The tasks that were at hand, for a page that was loaded without a network; none where nothing was kept. */
  tasks() {
    return this.#list("tasks-at-hand");
  }

  /** What was judged last. */
  judged() {
    return this.#list("judged-last");
  }

  async #list(name) {
    try {
      const kept = await this.#cache?.match(`${location.pathname}${name}`);
      return kept ? await kept.json() : [];
    } catch {
      return [];
    }
  }

  hasClip(address) {
    return this.#clips.has(address);
  }

  /** A kept clip's bytes, or those of its subtitles, or null. */
  async clip(address) {
    if (!this.hasClip(address)) return null;
    try {
      const kept = await this.#cache?.match(address);
      return kept ? await kept.blob() : null;
    } catch {
      return null;
    }
  }

  /** Keep the bytes of a clip, or of its subtitles, under their address. */
  keepClip(address, blob) {
    if (!this.#cache || this.hasClip(address)) return;
    this.#clips.add(address);
    const headers = { "Content-Type": blob.type || "video/mp4", "Content-Length": String(blob.size) };
    this.#cache.put(address, new Response(blob, { headers })).catch(() => this.#clips.delete(address));
  }

  dropClip(address) {
    if (this.#clips.delete(address)) this.#cache?.delete(address).catch(() => {});
  }

  /** The login is over: nothing of it stays. Done when all of it is gone. */
  async forget() {
    this.#cache = null;
    clearTimeout(this.#timer);
    if (!window.caches) return;
    const late = new Promise((resolve) => setTimeout(resolve, FORGET_MS));
    await Promise.race([late, deleteAll().catch(() => {})]);
  }

  #isMine(text) {
    const page = new DOMParser().parseFromString(text, "text/html").getElementById("judge");
    return page?.dataset.worker === this.#place.worker;
  }
}

async function deleteAll() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX));
  await Promise.all(names.map((name) => caches.delete(name)));
}

function linked() {
  return [...document.querySelectorAll("link[href], script[src], img[src]")].map((part) => part.href || part.src);
}
