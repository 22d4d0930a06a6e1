/* Opens what is hidden by a choice when a link points into it. */
(() => {
  "use strict";
  const root = document.documentElement;

  /* Chooses what shows an element, and brings it into view; false: it was. */
  function reveal(element, block = "start") {
    const frameworks = window.bookFramework.around(element);
    const isOther =
      frameworks.length > 0 && !frameworks.includes(root.dataset.framework);
    if (isOther) window.bookFramework.choose(frameworks[0], { remember: false });
    let folded = element.closest("details:not([open])");
    const wasHidden = isOther || folded !== null || !element.checkVisibility();
    for (; folded; folded = element.closest("details:not([open])")) folded.open = true;
    if (!element.checkVisibility()) {
      window.bookDepth.choose(window.bookDepth.around(element), { remember: false });
    }
    if (wasHidden) element.scrollIntoView({ block, behavior: "instant" });
    return wasHidden;
  }

  function openTarget() {
    const name = window.location.hash.slice(1);
    const target =
      document.getElementById(name) ?? document.getElementById(decode(name));
    if (target) reveal(target);
  }

  function decode(name) {
    try {
      return decodeURIComponent(name);
    } catch {
      return name; // somebody wrote a lone % into the address
    }
  }

  document.addEventListener("DOMContentLoaded", openTarget);
  window.addEventListener("hashchange", openTarget);
  window.bookReveal = reveal;
})();
