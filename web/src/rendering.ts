/* How outputs become elements: as Jupyter shows what it does not trust.

   HTML is cleaned; an SVG, which could hold a script, is left to its picture
   or text; there is no renderer for JavaScript at all. */
import {
  RenderMimeRegistry,
  errorRendererFactory,
  htmlRendererFactory,
  imageRendererFactory,
  latexRendererFactory,
  markdownRendererFactory,
  textRendererFactory,
} from "@jupyterlab/rendermime";
import { Widget } from "@lumino/widgets";
import type { IManager } from "./widgets/manager";
import { nameParts } from "./widgets/naming";

const WIDGET_VIEW = "application/vnd.jupyter.widget-view+json";

const FACTORIES = [
  errorRendererFactory,
  htmlRendererFactory,
  imageRendererFactory,
  latexRendererFactory,
  markdownRendererFactory,
  textRendererFactory,
];

/* MathJax, where the page has it. */
const typesetter = {
  typeset(element: HTMLElement): void {
    const { MathJax } = window as any;
    void MathJax?.typesetPromise?.([element]);
  },
};

/* A registry of renderers; widgets come from the manager that is found then. */
export function makeRenderMime(findManager: () => Promise<IManager>): RenderMimeRegistry {
  const registry = new RenderMimeRegistry({
    initialFactories: FACTORIES,
    latexTypesetter: typesetter,
  });
  const factory = {
    safe: true,
    mimeTypes: [WIDGET_VIEW],
    createRenderer: () => new WidgetRenderer(findManager),
  };
  registry.addFactory(factory, 0);
  return registry;
}

/* Shows a widget in an output. */
class WidgetRenderer extends Widget {
  constructor(private readonly findManager: () => Promise<IManager>) {
    super();
  }

  async renderModel(output: { data: any }): Promise<void> {
    const { model_id } = output.data[WIDGET_VIEW];
    const manager = await this.findManager();
    const model = await manager.findModel(model_id);
    if (!model) {
      this.node.textContent = "This widget is gone from the kernel; run the cell again.";
      return;
    }
    const view: any = await manager.create_view(model);
    Widget.attach(view.luminoWidget, this.node);
    nameParts(this.node);
  }
}
