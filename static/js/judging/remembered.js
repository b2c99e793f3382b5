// What this browser remembers of a person's choices; nothing where its storage is full or switched off.

export function recall(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Returns whether it is kept: otherwise for as long as the page is open. */
export function remember(name, value) {
  try {
    localStorage.setItem(name, value);
    return true;
  } catch {
    return false;
  }
}
