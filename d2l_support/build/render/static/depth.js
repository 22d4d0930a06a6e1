/* How deep the reader wants to go: beginner, developer or researcher.

   The choice stands on <html>, where depth.css looks; it is remembered, and
   `?depth=beginner` in the address sets it. */
(() => {
  "use strict";
  const NAME = "depth";
  const STORED = `book-${NAME}`;
  const KEYS = ["beginner", "developer", "researcher"];
  const root = document.documentElement;

  function show(depth) {
    root.dataset[NAME] = depth;
    document.dispatchEvent(new CustomEvent("book:depth", { detail: depth }));
  }

  /* Follows a choice. What a link opens is shown, not remembered. */
  function choose(depth, { remember = true } = {}) {
    if (remember) {
      window.bookStored.write(STORED, depth);
      window.bookAddress.write(NAME, depth);
    }
    window.bookPlace.keep(() => show(depth));
  }

  /* The depth at which an element is shown that another depth hides. */
  function around(element) {
    const block = element.closest(".depth-prose");
    const own = KEYS.find((key) => block?.classList.contains(`depth-${key}`));
    return own ?? "developer";
  }

  const asked = window.bookAddress.read(NAME);
  if (asked !== null && !KEYS.includes(asked)) window.bookAddress.write(NAME, null);
  const known = [asked, window.bookStored.read(STORED)].find((key) =>
    KEYS.includes(key),
  );
  root.dataset[NAME] = known ?? "developer";
  if (known === asked && known) window.bookStored.write(STORED, known);
  window.bookDepth = { choose, around };
})();
