/* A widget manager that knows the widgets of this book and nothing foreign:
   base, controls and output of ipywidgets 8, all from the bundle. */
import { HTMLManager } from "@jupyter-widgets/html-manager/lib/htmlmanager";
import * as controls from "@jupyter-widgets/controls";
import { cleanHtml } from "./pictures";
import "@lumino/widgets/style/index.css";
import "./colours.css";

const CONTROLS = "@jupyter-widgets/controls";

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

const SAFE: Record<string, View> = {
  HTMLView: makeSafe(controls.HTMLView),
  HTMLMathView: makeSafe(controls.HTMLMathView as unknown as View),
};

export class BookWidgetManager extends HTMLManager {
  protected loadClass(
    className: string,
    moduleName: string,
    moduleVersion: string,
  ): Promise<any> {
    if (moduleName === CONTROLS && className in SAFE) {
      return Promise.resolve(SAFE[className]);
    }
    return super.loadClass(className, moduleName, moduleVersion);
  }
}
