/* How deep the reader wants to go: beginner, developer or researcher.

   The choice stands on <html>, where depth.css looks; it is remembered, and
   `?depth=beginner` in the address sets it. A link into what is hidden opens
   it. */
(() => {
  "use strict";
  const NAME = "depth";
  const STORED = `book-${NAME}`;
  const KEYS = ["beginner", "developer", "researcher"];
  const root = document.documentElement;

  function choose(depth, remember = true) {
    root.dataset[NAME] = depth;
    if (remember) window.bookStored.write(STORED, depth);
    document.dispatchEvent(new CustomEvent("book:depth", { detail: depth }));
  }

  function openTarget() {
    const target = document.getElementById(
      decodeURIComponent(window.location.hash.slice(1)),
    );
    if (!target || target.checkVisibility()) return;
    const block = target.closest(".depth-prose");
    const own = KEYS.find((key) => block?.classList.contains(`depth-${key}`));
    choose(own ?? "developer", false);
    target.scrollIntoView();
  }

  const asked = new URLSearchParams(window.location.search).get(NAME);
  const known = [asked, window.bookStored.read(STORED)].find((key) => KEYS.includes(key));
  choose(known ?? "developer", KEYS.includes(asked));
  window.addEventListener("DOMContentLoaded", openTarget);
  window.addEventListener("hashchange", openTarget);
  window.bookDepth = { choose };
})();
