/* The page follows the framework that the reader chose.

   This script runs before the page is painted. It puts the choice on <html>,
   where framework.css looks, checks the tabs, and keeps memory and address
   true to the choice. */
(() => {
  "use strict";
  const GROUP = "framework";
  const STORED = `sphinx-design-tab-id-${GROUP}`;
  const KEYS = ["pytorch", "tensorflow", "jax", "mxnet"];
  const root = document.documentElement;

  const stored = () => window.bookStored.read(STORED);

  function checkTabs() {
    const chosen = `.framework-tabs > label[data-sync-id="${root.dataset.framework}"]`;
    for (const label of document.querySelectorAll(chosen)) {
      label.previousElementSibling.checked = true;
    }
  }

  function show(framework) {
    root.dataset.framework = framework;
    checkTabs();
    document.dispatchEvent(new CustomEvent("book:framework", { detail: framework }));
  }

  /* Follows a choice; `held` is what stays where it is in the window. */
  function choose(framework, { remember = true, held } = {}) {
    if (remember) window.bookStored.write(STORED, framework);
    window.bookAddress.write(GROUP, framework);
    window.bookPlace.keep(() => show(framework), held);
  }

  function start() {
    const asked = window.bookAddress.read(GROUP);
    const [entry] = window.performance.getEntriesByType("navigation");
    // Back and forward return to an old address; the last choice is newer.
    const returns = entry?.type === "back_forward";
    const wanted = returns ? [stored(), asked] : [asked, stored()];
    const framework = wanted.find((key) => KEYS.includes(key)) ?? KEYS[0];
    root.dataset.framework = framework;
    if (KEYS.includes(asked)) {
      window.bookStored.write(STORED, framework);
      window.bookAddress.write(GROUP, framework);
    } else if (asked !== null) window.bookAddress.write(GROUP, null);
  }

  /* The frameworks in whose variant an element stands; none: in all. */
  function around(element) {
    const panel = element.closest(".framework-tabs > .sd-tab-content");
    if (panel) return [panel.previousElementSibling.dataset.syncId];
    const prose = element.closest(".framework-prose");
    return KEYS.filter((key) => prose?.classList.contains(`for-${key}`));
  }

  start();
  // Marks the tabs while the page is parsed: none is painted with another.
  const parsing = new MutationObserver(checkTabs);
  parsing.observe(root, { childList: true, subtree: true });
  document.addEventListener("DOMContentLoaded", () => {
    parsing.disconnect();
    checkTabs();
  });
  window.addEventListener("pageshow", (event) => {
    if (event.persisted && KEYS.includes(stored())) choose(stored());
    else checkTabs(); // the browser has put old marks back into the tabs
  });
  document.addEventListener("change", ({ target }) => {
    const label = target.nextElementSibling;
    if (label?.dataset.syncGroup !== GROUP) return;
    choose(label.dataset.syncId, { held: target.parentElement });
  });
  window.bookFramework = { choose, around };
})();
