// The service worker: judging goes on without a network, also after a reload.
//
// It stores nothing itself: the pages do (static/js/judging/offline.js), each in a cache of its account and address. A
// page and its scripts come from there when the network is away; clips and tasks are read by the page. All of it is
// emptied when somebody logs in or out.

const PREFIX = "qreels:kept:";
const JUDGING = /^\/c\/[^/]+\/(judge|exam)\/$/;
const AWAY = new Set([502, 503, 504]);
const PATIENCE_MS = 10000;

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== location.origin) return;
  if (request.method !== "GET") {
    if (request.mode === "navigate" && changesWhoIsHere(pathname)) event.respondWith(forgetAndGo(request));
  } else if (request.mode === "navigate") {
    if (JUDGING.test(pathname)) event.respondWith(pageOf(request, pathname));
  } else if (pathname.startsWith("/static/") || pathname.startsWith("/query-media/")) {
    event.respondWith(fetch(request).catch(async () => (await kept(pathname)) ?? Response.error()));
  }
});

/** Forms outside a collection log in and out, join, and erase; those within change its work alone. */
function changesWhoIsHere(pathname) {
  return !pathname.startsWith("/c/");
}

async function forgetAndGo(request) {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX));
  await Promise.all(names.map((name) => caches.delete(name)));
  for (const page of await clients.matchAll()) page.postMessage("forgotten");
  try {
    return await fetch(request);
  } catch {
    return new Response(OFFLINE, { status: 503, headers: { "Content-Type": "text/html; charset=utf-8" } });
  }
}

async function pageOf(request, pathname) {
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
  const answer = fetch(request).catch(() => null);
  const first = await Promise.race([answer, late]);
  if (first && !AWAY.has(first.status)) return first;
  return (await kept(pathname)) ?? (await answer) ?? Response.error();
}

/** From any page's cache: all of them are one account's. */
async function kept(pathname) {
  try {
    return (await caches.match(pathname)) ?? null;
  } catch {
    return null;
  }
}

const OFFLINE = `<!doctype html>
<html {% page_language %}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{% translate "No network" %} · Qreels</title><style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 15vh auto;
padding: 0 16px; color-scheme: light dark; }</style></head><body><h1>{% translate "No network" %}</h1>
<p>{% blocktranslate trimmed %}What was kept on this computer for judging without a network is gone. The server can't be
reached, so it doesn't know yet: if you were logging out, do it again when the network is back.{% endblocktranslate %}</p>
<p>{% translate "Grades that still wait here are sent when you log in again." %}</p>
<p><a href="/">{% translate "Try again" %}</a></p></body></html>`;
