/* The output widget: what it holds is no more trusted than any other output. */
import { OutputModel, OutputView } from "@jupyter-widgets/html-manager/lib/output";
import { OutputAreaModel } from "@jupyterlab/outputarea";

export class SafeOutputModel extends OutputModel {
  initialize(attributes: any, options: any): void {
    super.initialize(attributes, options);
    const own = this as any;
    own._outputs = new OutputAreaModel({ trusted: false });
    own.setOutputs();
  }
}

export { OutputView };
