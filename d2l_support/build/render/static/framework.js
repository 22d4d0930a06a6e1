/* The page follows the framework that the reader chose.

   sphinx-design keeps the tabs in step, remembers the choice under the key
   below and reads it from the address. This script, which runs before the
   page is painted, puts the same choice on <html>, where framework.css looks,
   keeps the address true to it, and opens what a link points into. */
(() => {
  "use strict";
  const GROUP = "framework";
  const STORED = `sphinx-design-tab-id-${GROUP}`;
  const KEYS = ["pytorch", "tensorflow", "jax", "mxnet"];
  const root = document.documentElement;

  function stored() {
    try {
      return window.localStorage.getItem(STORED);
    } catch {
      return null; // storage may be forbidden; the choice then lasts a page
    }
  }

  function remember(framework) {
    try {
      window.localStorage.setItem(STORED, framework);
    } catch {
      // as above
    }
  }

  function writeAddress(framework) {
    const address = new URL(window.location.href);
    if (framework) address.searchParams.set(GROUP, framework);
    else address.searchParams.delete(GROUP);
    window.history.replaceState(window.history.state, "", address);
  }

  function checkTabs() {
    const chosen = `.framework-tabs > label[data-sync-id="${root.dataset.framework}"]`;
    for (const label of document.querySelectorAll(chosen)) {
      label.previousElementSibling.checked = true;
    }
  }

  function choose(framework) {
    root.dataset.framework = framework;
    remember(framework);
    writeAddress(framework);
    checkTabs();
  }

  function start() {
    const inAddress = new URLSearchParams(window.location.search).get(GROUP);
    const [entry] = window.performance.getEntriesByType("navigation");
    // Back and forward return to an old address; the last choice is newer.
    const returns = entry?.type === "back_forward";
    const wanted = returns ? [stored(), inAddress] : [inAddress, stored()];
    const framework = wanted.find((key) => KEYS.includes(key)) ?? KEYS[0];
    root.dataset.framework = framework;
    if (KEYS.includes(inAddress)) choose(framework);
    else if (inAddress !== null) writeAddress(null);
  }

  /* The frameworks in whose variant an element stands; none: in all. */
  function frameworksAround(element) {
    const panel = element.closest(".framework-tabs > .sd-tab-content");
    if (panel) return [panel.previousElementSibling.dataset.syncId];
    const prose = element.closest(".framework-prose");
    return KEYS.filter((key) => prose?.classList.contains(`for-${key}`));
  }

  function openTarget() {
    const target = document.getElementById(window.location.hash.slice(1));
    const holders = target ? frameworksAround(target) : [];
    if (!holders.length || holders.includes(root.dataset.framework)) return;
    choose(holders[0]);
    target.scrollIntoView();
  }

  start();
  // Marks the tabs while the page is parsed: none is painted with another.
  const parsing = new MutationObserver(checkTabs);
  parsing.observe(root, { childList: true, subtree: true });
  document.addEventListener("DOMContentLoaded", () => {
    parsing.disconnect();
    checkTabs();
    openTarget();
  });
  window.addEventListener("hashchange", openTarget);
  window.addEventListener("pageshow", (event) => {
    if (event.persisted && KEYS.includes(stored())) choose(stored());
    else checkTabs(); // the browser has put old marks back into the tabs
  });
  document.addEventListener("change", (event) => {
    const label = event.target.nextElementSibling;
    if (label?.dataset.syncGroup === GROUP) choose(label.dataset.syncId);
  });
})();
