/* The widgets of one kernel, connected to their models there. */
import {
  type IClassicComm,
  shims,
  type WidgetModel,
} from "@jupyter-widgets/base";
import type { Kernel, KernelMessage } from "@jupyterlab/services";
import { BookWidgetManager } from "../widgets/manager";
import { OutputView, SafeOutputModel } from "../widgets/output";

/* An output widget that takes what a cell prints while it is entered. */
class LiveOutputModel extends SafeOutputModel {
  private hook?: { id: string; take: (message: KernelMessage.IIOPubMessage) => boolean };

  initialize(attributes: any, options: any): void {
    super.initialize(attributes, options);
    this.listenTo(this, "change:msg_id", this.listen);
    this.listen();
  }

  private get kernel(): Kernel.IKernelConnection {
    return (this.widget_manager as unknown as KernelWidgets).kernel;
  }

  private listen(): void {
    if (this.kernel.isDisposed) return;
    if (this.hook) this.kernel.removeMessageHook(this.hook.id, this.hook.take);
    this.hook = undefined;
    const id: string = this.get("msg_id");
    if (!id) return;
    this.hook = { id, take: (message) => this.take(message) };
    this.kernel.registerMessageHook(id, this.hook.take);
  }

  /* Keeps an output; false says that the cell is not to show it too. */
  private take(message: KernelMessage.IIOPubMessage): boolean {
    const { content } = message as { content: any };
    switch (message.header.msg_type) {
      case "clear_output":
        this.clear_output(content.wait);
        break;
      case "stream":
      case "display_data":
      case "execute_result":
      case "error":
        this.outputs.add({ ...content, output_type: message.header.msg_type });
        break;
      default:
        return true;
    }
    this.set("outputs", this.outputs.toJSON(), { newMessage: true });
    this.save_changes();
    return false;
  }
}

export class KernelWidgets extends BookWidgetManager {
  constructor(readonly kernel: Kernel.IKernelConnection) {
    super();
    this.own["@jupyter-widgets/output"] = { OutputModel: LiveOutputModel, OutputView };
  }

  /* Makes the model that the kernel has opened. */
  async open(comm: Kernel.IComm, message: KernelMessage.ICommOpenMsg): Promise<void> {
    await this.handle_comm_open(new shims.services.Comm(comm), message);
  }

  /* A model by its id; after a reload the kernel has some that we have not. */
  async findModel(id: string): Promise<WidgetModel | undefined> {
    if (!this.has_model(id)) await this._loadFromKernel();
    return super.findModel(id);
  }

  async _create_comm(
    target: string,
    id: string,
    data?: any,
    metadata?: any,
    buffers?: any,
  ): Promise<IClassicComm> {
    const comm = this.kernel.createComm(target, id);
    if (data || metadata) comm.open(data, metadata, buffers);
    return new shims.services.Comm(comm);
  }

  async _get_comm_info(): Promise<any> {
    const reply = await this.kernel.requestCommInfo({ target_name: this.comm_target_name });
    return reply.content.status === "ok" ? reply.content.comms : {};
  }
}
