/* A widget manager that knows the widgets of this book and nothing foreign:
   base, controls and output of ipywidgets 8, all from the bundle. */
import type { WidgetModel } from "@jupyter-widgets/base";
import * as controls from "@jupyter-widgets/controls";
import { HTMLManager } from "@jupyter-widgets/html-manager/lib/htmlmanager";
import { makeRenderMime } from "../rendering";
import { OutputView, SafeOutputModel } from "./output";
import { cleanHtml } from "./pictures";
import "@lumino/widgets/style/index.css";
import "./colours.css";

/* What an output needs of a manager. */
export interface IManager {
  findModel(id: string): Promise<WidgetModel | undefined>;
  create_view(model: WidgetModel): Promise<unknown>;
}

type View = new (...options: any[]) => controls.HTMLView;

/* A view like the one it is given, whose HTML may format the page but not
   script it: not even for the moment before it is cleaned. */
function makeSafe(Original: View): View {
  const beyond = Object.getPrototypeOf(Original.prototype);
  return class extends Original {
    update(): void {
      this.content.innerHTML = cleanHtml(this.model.get("value"));
      beyond.update.call(this);
    }
  };
}

export class BookWidgetManager extends HTMLManager implements IManager {
  /* Our own classes, by module, where they differ from those of the packages. */
  protected readonly own: Record<string, Record<string, unknown>> = {
    "@jupyter-widgets/controls": {
      HTMLView: makeSafe(controls.HTMLView),
      HTMLMathView: makeSafe(controls.HTMLMathView as unknown as View),
    },
    "@jupyter-widgets/output": { OutputModel: SafeOutputModel, OutputView },
  };

  constructor() {
    super();
    this.renderMime = makeRenderMime(() => Promise.resolve(this));
  }

  async findModel(id: string): Promise<WidgetModel | undefined> {
    return this.has_model(id) ? this.get_model(id) : undefined;
  }

  protected loadClass(name: string, module: string, version: string): Promise<any> {
    const known = this.own[module]?.[name];
    return known ? Promise.resolve(known) : super.loadClass(name, module, version);
  }
}
