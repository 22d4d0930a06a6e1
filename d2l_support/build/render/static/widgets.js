/* Loads what draws recorded widgets, once one is about to be seen.

   Only pages with such widgets have this script; without it they show the
   words that stand in a widget's place. */
(() => {
  "use strict";
  const VIEW = 'script[type="application/vnd.jupyter.widget-view+json"]';
  const root = document.documentElement.dataset.content_root ?? "./";

  function load() {
    const style = document.createElement("link");
    style.rel = "stylesheet";
    style.href = `${root}bundled/widgets.css`;
    const script = document.createElement("script");
    script.src = `${root}bundled/widgets.js`;
    document.head.append(style, script);
  }

  const places = [...document.querySelectorAll(VIEW)].map((view) => view.parentElement);
  const near = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      near.disconnect();
      load();
    },
    { rootMargin: "600px" },
  );
  for (const place of places) near.observe(place);
})();
