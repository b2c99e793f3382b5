// The account page: time zones to choose from, the browser's own first.

const zones = document.getElementById("zones");
const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
const all = Intl.supportedValuesOf?.("timeZone") ?? [];
for (const name of new Set([own, "UTC", ...all])) zones.append(new Option(name, name));
