/* Puts recorded widgets into a page, with no kernel. */
import type { WidgetModel } from "@jupyter-widgets/base";
import { BookWidgetManager } from "./manager";
import { nameParts } from "./naming";

const STATE = 'script[type="application/vnd.jupyter.widget-state+json"]';
const VIEW = 'script[type="application/vnd.jupyter.widget-view+json"]';

/* Shows every recorded widget below an element, where its view stands.

   Marks the place of a view `data-widget="shown"`, or "failed" where the state
   holds no such model. */
export async function showRecordedWidgets(root: ParentNode): Promise<void> {
  const manager = new BookWidgetManager();
  const models: WidgetModel[] = [];
  for (const script of root.querySelectorAll(STATE)) {
    models.push(...(await manager.set_state(JSON.parse(script.textContent ?? ""))));
  }
  const views = [...root.querySelectorAll(VIEW)];
  await Promise.all(views.map((script) => showView(manager, models, script)));
}

async function showView(
  manager: BookWidgetManager,
  models: WidgetModel[],
  script: Element,
): Promise<void> {
  const { model_id } = JSON.parse(script.textContent ?? "");
  const model = models.find((one) => one.model_id === model_id);
  const place = document.createElement("div");
  place.className = "widget-subarea";
  script.before(place);
  if (!model) {
    place.dataset.widget = "failed";
    place.textContent = "This widget was not recorded whole; run the cell to see it.";
    return;
  }
  await manager.display_view(manager.create_view(model), place);
  nameParts(place);
  place.dataset.widget = "shown";
}
