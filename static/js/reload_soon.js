// A page whose figures are computed for the first time: loads itself again soon, unless nobody looks at it.

const EVERY_MS = 5000;

setInterval(() => {
  if (!document.hidden) location.reload();
}, EVERY_MS);
