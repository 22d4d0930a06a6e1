/* Gives widgets what their views leave out for those who listen: a
   slider its name and its place in words, the steps their announcements. */

const STEPS = "data-steps";

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
    const watch = new MutationObserver(() => tellPlace(handle));
    watch.observe(handle, { attributeFilter: ["aria-valuetext"] });
  }
  for (const stage of place.querySelectorAll(".steps-stage:not([aria-live])")) {
    stage.setAttribute("aria-live", "polite");
  }
  if (place.querySelector(".steps-stage")) {
    for (const handle of place.querySelectorAll(".noUi-handle")) {
      handle.setAttribute(STEPS, "");
      tellPlace(handle);
    }
  }
}

/* The slider of a stepper counts from zero, and people count from one. */
function tellPlace(handle: Element): void {
  if (!handle.hasAttribute(STEPS)) return;
  const [least, now, most] = ["min", "now", "max"].map((which) =>
    Number(handle.getAttribute(`aria-value${which}`)),
  );
  const words = `${now - least + 1} of ${most - least + 1}`;
  if (handle.getAttribute("aria-valuetext") !== words) {
    handle.setAttribute("aria-valuetext", words);
  }
}
