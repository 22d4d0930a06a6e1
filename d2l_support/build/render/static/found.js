/* Opens the variant and the depth in which a search found its words.

   Sphinx's search remembers its words for the next page, which marks them.
   Where all the marks stand in what is hidden, the best place is opened. */
(() => {
  "use strict";
  const BLOCKS = "p, li, dt, dd, td, th, pre, figcaption, h1, h2, h3, h4";
  const words =
    window.bookStored.read("sphinx_highlight_terms") ??
    window.bookAddress.read("highlight");
  if (!words) return;

  /* Sphinx ends the marks by a link that is a script; here it is a button. */
  function replaceLink() {
    const link = document.querySelector("#searchbox .highlight-link a");
    if (!link) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "btn btn-sm";
    button.textContent = link.textContent;
    button.addEventListener("click", () => SphinxHighlight.hideSearchWords());
    link.replaceWith(button);
  }

  /* The block that holds most of the words; among equals one in sight. */
  function findBest(marks) {
    const found = new Map();
    for (const mark of marks) {
      const block = mark.closest(BLOCKS) ?? mark;
      const held = found.get(block) ?? new Set();
      found.set(block, held.add(mark.textContent.toLowerCase()));
    }
    const rank = ([block, held]) => held.size + (block.checkVisibility() ? 0.5 : 0);
    const [first, ...others] = found;
    return others.reduce((best, next) => (rank(next) > rank(best) ? next : best), first);
  }

  function openBest() {
    const target = document.getElementById(window.location.hash.slice(1));
    const places = [target, document.querySelector(".bd-article")].filter(Boolean);
    const marks = places
      .map((place) => [...place.querySelectorAll(".highlighted")])
      .find((some) => some.length);
    if (!marks) return;
    const [block] = findBest(marks);
    if (!window.bookReveal(block, "center")) {
      block.scrollIntoView({ block: "center", behavior: "instant" });
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    replaceLink();
    setTimeout(openBest, 10); // Sphinx marks the words after as long a while
  });
})();
