/* The two choices in the page's header lead the page and follow it. */
(() => {
  "use strict";
  const root = document.documentElement;
  const LEADS = {
    framework: (key) => window.bookFramework.choose(key),
    depth: (key) => window.bookDepth.choose(key),
  };

  function follow() {
    for (const name of Object.keys(LEADS)) {
      const chosen = `[name="switch-${name}"][value="${root.dataset[name]}"]`;
      const input = document.querySelector(chosen);
      if (input) input.checked = true;
    }
  }

  for (const [name, choose] of Object.entries(LEADS)) {
    document
      .getElementById(`switch-${name}`)
      ?.addEventListener("change", ({ target }) => choose(target.value));
    document.addEventListener(`book:${name}`, follow);
  }
  window.addEventListener("pageshow", follow);
  follow();
})();
