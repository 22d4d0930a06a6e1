/* Gives recorded widgets what their views leave out for those who listen: a
   slider its name and its place in words, the steps their announcements. */

/* Names what is in a widget's place, and what will come: the views of children
   are drawn after that of their box. */
export function nameParts(place: Element): void {
  nameNow(place);
  const watch = new MutationObserver(() => nameNow(place));
  watch.observe(place, { childList: true, subtree: true });
}

function nameNow(place: Element): void {
  const title = place.querySelector(".widget-html-content")?.textContent?.trim();
  for (const handle of place.querySelectorAll(".noUi-handle:not([aria-label])")) {
    const label = handle.closest(".widget-slider")?.querySelector("label")?.textContent;
    handle.setAttribute("aria-label", label?.trim() || title || "value");
    tellPlace(handle);
    const watch = new MutationObserver(() => tellPlace(handle));
    watch.observe(handle, { attributeFilter: ["aria-valuetext"] });
  }
  for (const stage of place.querySelectorAll(".steps-stage:not([aria-live])")) {
    stage.setAttribute("aria-live", "polite");
  }
}

/* A slider that begins at zero counts steps, and people count from one. */
function tellPlace(handle: Element): void {
  const [least, now, most] = ["min", "now", "max"].map((which) =>
    Number(handle.getAttribute(`aria-value${which}`)),
  );
  const words = least === 0 ? `${now + 1} of ${most + 1}` : `${now}`;
  if (handle.getAttribute("aria-valuetext") !== words) {
    handle.setAttribute("aria-valuetext", words);
  }
}
