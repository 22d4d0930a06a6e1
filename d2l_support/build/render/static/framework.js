/* Prose follows the framework that the reader chose.

   sphinx-design keeps the tabs in step, remembers the choice under the key
   below and reads it from the address. This script, which runs before the
   page is painted, puts the same choice on <html>, where framework.css looks,
   and keeps the address true to it. */
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

  function writeAddress(framework) {
    const address = new URL(window.location.href);
    if (framework) address.searchParams.set(GROUP, framework);
    else address.searchParams.delete(GROUP);
    window.history.replaceState(window.history.state, "", address);
  }

  const asked = new URLSearchParams(window.location.search).get(GROUP);
  if (asked && !KEYS.includes(asked)) writeAddress(null);
  root.dataset.framework =
    [asked, stored()].find((key) => KEYS.includes(key)) ?? KEYS[0];

  document.addEventListener("change", (event) => {
    const label = event.target.nextElementSibling;
    if (label?.dataset.syncGroup !== GROUP) return;
    root.dataset.framework = label.dataset.syncId;
    writeAddress(label.dataset.syncId);
  });
})();
