/* Keeps the reader's place when a choice changes the length of the page.

   What stood at the top of the window before the change stands there after it;
   if the change hides it, the next thing does that is still there. */
(() => {
  "use strict";
  const BLOCKS = ":is(h1, h2, h3, h4, p, li, dt, dd, pre, table, figure)";

  const isShown = (element) => element.getClientRects().length > 0;
  const edgeOf = (element, edge) => element.getBoundingClientRect()[edge];

  function headerBottom() {
    const header = document.querySelector(".bd-header-article");
    return Math.max(header?.getBoundingClientRect().bottom ?? 0, 0);
  }

  /* Blocks with their places: in sight from the top, then above from near. */
  function listBlocks() {
    const line = headerBottom();
    const below = [];
    const above = [];
    for (const block of document.querySelectorAll(`.bd-article ${BLOCKS}`)) {
      const { top, bottom, width } = block.getBoundingClientRect();
      if (width === 0) continue; // hidden
      if (top >= window.innerHeight) break;
      if (bottom <= line) above.push({ block, edge: "bottom", place: line });
      else below.push({ block, edge: "top", place: top });
    }
    return [...below, ...above.reverse()];
  }

  /* Makes a change that hides and shows things; `held` stays, if it is given. */
  function keep(change, held) {
    if (window.scrollY === 0 && !held) {
      change();
      return;
    }
    const blocks = held
      ? [{ block: held, edge: "top", place: edgeOf(held, "top") }]
      : listBlocks();
    change();
    const kept = blocks.find(({ block }) => isShown(block));
    if (!kept) return;
    const top = edgeOf(kept.block, kept.edge) - kept.place;
    window.scrollBy({ top, behavior: "instant" });
  }

  window.bookPlace = { keep };
})();
