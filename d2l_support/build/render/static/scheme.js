/* Light or dark, before the page is painted.

   The theme's own script, which comes later, has the button and keeps what the
   reader chose. Paper is always light. */
(() => {
  "use strict";
  const root = document.documentElement;
  const stored = window.bookStored.read("mode");
  const mode = ["light", "dark"].includes(stored) ? stored : "auto";
  const isDark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  const system = isDark ? "dark" : "light";
  root.dataset.mode = mode;
  root.dataset.theme = mode === "auto" ? system : mode;

  let onScreen = root.dataset.theme;
  window.addEventListener("beforeprint", () => {
    onScreen = root.dataset.theme;
    root.dataset.theme = "light";
  });
  window.addEventListener("afterprint", () => {
    root.dataset.theme = onScreen;
  });
})();
