// What somebody has chosen or dropped, folders too: [{file, name}], where `name` is its path in the folder.

const isHidden = (name) => name.split("/").some((part) => part.startsWith(".") || part === "Thumbs.db");

/** Of an <input type="file">. */
export function chosenIn(input) {
  const found = [...input.files].map((file) => ({ file, name: file.webkitRelativePath || file.name }));
  return found.filter(({ name }) => !isHidden(name));
}

/** Of a drop. */
export async function droppedIn(transfer) {
  // Taken at once: after the event the list is empty.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files].map((file) => ({ file, name: file.name }));
  const found = [];
  for (const entry of entries) await collect(entry, found);
  return found.filter(({ name }) => !isHidden(name));
}

async function collect(entry, found) {
  if (entry.isFile) {
    const file = await new Promise((done, failed) => entry.file(done, failed));
    found.push({ file, name: entry.fullPath.replace(/^\//, "") });
    return;
  }
  const reader = entry.createReader();
  // A browser gives at most a hundred at a time.
  for (;;) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return;
    for (const one of some) await collect(one, found);
  }
}
