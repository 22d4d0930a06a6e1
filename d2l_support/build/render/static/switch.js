/* One place in the page's header to choose the framework and the depth.

   Built by a script, since without one there is nothing to switch: the page
   then shows everything, labelled. */
(() => {
  "use strict";
  const FRAMEWORKS = {
    pytorch: "PyTorch",
    tensorflow: "TensorFlow",
    jax: "JAX",
    mxnet: "MXNet",
  };
  const DEPTHS = {
    beginner: "Beginner",
    developer: "Developer",
    researcher: "Researcher",
  };
  const root = document.documentElement;

  function makeSwitch(name, label, options, onChoose) {
    const select = document.createElement("select");
    select.className = "book-switch form-select form-select-sm";
    select.setAttribute("aria-label", label);
    select.id = `switch-${name}`;
    for (const [key, text] of Object.entries(options)) {
      select.add(new Option(text, key));
    }
    select.value = root.dataset[name];
    select.addEventListener("change", () => onChoose(select.value));
    return select;
  }

  function chooseFramework(key) {
    /* sphinx-design listens to its own tabs: choose one and it syncs. */
    const label = document.querySelector(
      `.sd-tab-label[data-sync-group="framework"][data-sync-id="${key}"]`,
    );
    if (label) document.getElementById(label.htmlFor).click();
  }

  const place = document.querySelector(".header-article-items__end");
  const hasTabs = document.querySelector(".framework-tabs");
  const hasDepths = document.querySelector(".depth-prose");
  if (!place) return;
  const bar = document.createElement("div");
  bar.className = "book-switches";
  if (hasTabs) {
    const frameworks = makeSwitch(
      "framework",
      "Framework",
      FRAMEWORKS,
      chooseFramework,
    );
    document.addEventListener("change", () => {
      frameworks.value = root.dataset.framework;
    });
    bar.append(frameworks);
  }
  if (hasDepths) {
    const depths = makeSwitch("depth", "Depth", DEPTHS, (key) =>
      window.bookDepth.choose(key),
    );
    document.addEventListener("book:depth", (event) => {
      depths.value = event.detail;
    });
    bar.append(depths);
  }
  place.prepend(bar);
})();
