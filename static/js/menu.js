// The menu of leads' pages: the current page is in sight, also where a button opens the menu.

const rail = document.getElementById("rail");
const show = () => rail?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });

rail?.addEventListener("toggle", show);
show();
