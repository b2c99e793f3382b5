// Buttons that copy the text of an element (data-copy: its id). Without a clipboard the text is selected instead.

import { gettext } from "./translated.js";

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  const said = button.textContent;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = gettext("Copied");
    } catch {
      getSelection().selectAllChildren(source);
      button.textContent = gettext("Selected");
    }
    setTimeout(() => (button.textContent = said), 2000);
  });
}
