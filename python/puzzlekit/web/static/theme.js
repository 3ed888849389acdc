// Switches the pages between light and dark, as the system has it or as chosen; the colours are in style.css. The
// script is no module, so it runs before the page is shown, and the page never flashes in other colours.

{
  const KEY = "puzzlekit-theme";
  const kept = () => {
    try {
      return localStorage.getItem(KEY) ?? "";
    } catch {
      return ""; // the storage is switched off
    }
  };
  const show = (theme) => {
    if (["light", "dark"].includes(theme)) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
  };
  show(kept());
  document.addEventListener("DOMContentLoaded", () => {
    const chosen = document.getElementById("theme");
    chosen.value = document.documentElement.dataset.theme ?? "";
    chosen.addEventListener("change", () => {
      show(chosen.value);
      try {
        localStorage.setItem(KEY, chosen.value);
      } catch {
        // Without storage, the choice holds only for this page.
      }
    });
  });
}
