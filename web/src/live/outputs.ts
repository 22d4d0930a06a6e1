/* The live output of a cell. */
import { OutputArea, OutputAreaModel } from "@jupyterlab/outputarea";
import type { Kernel } from "@jupyterlab/services";
import { Widget } from "@lumino/widgets";
import { makeRenderMime } from "../rendering";
import type { BookKernel } from "./kernel";

export class LiveOutput {
  private readonly area: OutputArea;

  constructor(host: HTMLElement, kernel: BookKernel) {
    this.area = new OutputArea({
      model: new OutputAreaModel({ trusted: false }),
      rendermime: makeRenderMime(() => kernel.widgets()),
    });
    Widget.attach(this.area, host);
  }

  /* Shows what a run puts out, from now on; what was there goes. */
  follow(run: Kernel.IShellFuture<any, any>): void {
    this.area.future = run as any;
  }

  /* The outputs, as a notebook keeps them. */
  toJSON(): object[] {
    return this.area.model.toJSON().map(({ transient, ...output }: any) => output);
  }

  dispose(): void {
    this.area.dispose();
  }
}
