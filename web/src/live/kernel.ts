/* One framework's kernel: found or started on first use. */
import {
  Kernel,
  KernelConnection,
  type KernelMessage,
  type Session,
  SessionAPI,
} from "@jupyterlab/services";
import { prepareEnvironment } from "./environments";
import type { Server } from "./server";
import { explain } from "./trouble";
import type { KernelWidgets } from "./widgets";

export type Phase =
  | "not started"
  | "environment"
  | "starting"
  | "idle"
  | "busy"
  | "restarting"
  | "dead"
  | "lost"
  | "failed";

const DIED = "The kernel died; its variables are gone. Restart it, then run again.";
const ANEW = "The kernel died and was started anew; its variables are gone.";
const LOST = "The connection to the server is lost; trying again.";

export class BookKernel {
  phase: Phase = "not started";
  /* What the reader should know beside the phase: progress, or what is wrong. */
  notice = "";
  /* The steps that ran since the kernel started, and whether one was edited. */
  readonly ran = new Set<string>();
  edited = false;
  /* Called when phase or notice change, and when the variables are gone. */
  onChange: () => void = () => {};
  onLoss: () => void = () => {};

  private session: Session.IModel | null = null;
  private connection: Kernel.IKernelConnection | null = null;
  private opening: Promise<Kernel.IKernelConnection> | null = null;
  private manager: Promise<KernelWidgets> | null = null;

  constructor(
    readonly framework: string,
    private readonly server: Server,
  ) {}

  /* The connection; the first call makes the environment and the kernel. */
  connect(): Promise<Kernel.IKernelConnection> {
    this.opening ??= this.open().catch((error) => {
      this.opening = null;
      this.show("failed", explain(error));
      throw error;
    });
    return this.opening;
  }

  async execute(code: string): Promise<Kernel.IShellFuture<any, any>> {
    const connection = await this.connect();
    this.notice = "";
    return connection.requestExecute({ code, stop_on_error: true });
  }

  async interrupt(): Promise<void> {
    await this.connection?.interrupt();
  }

  /* A fresh kernel in the place of this one, be it alive or dead. */
  async restart(): Promise<void> {
    this.show("restarting");
    this.forget();
    if (this.connection && !this.connection.isDisposed) {
      await this.connection.restart();
    } else {
      await this.end();
      await this.connect();
    }
  }

  /* The widgets of this kernel; their code is loaded with the first of them. */
  widgets(): Promise<KernelWidgets> {
    this.manager ??= import("./widgets").then(
      ({ KernelWidgets }) => new KernelWidgets(this.connection!),
    );
    return this.manager;
  }

  private async open(): Promise<Kernel.IKernelConnection> {
    this.show("starting");
    await prepareEnvironment(this.server, this.framework, (line) =>
      this.show("environment", line),
    );
    this.show("starting");
    const path = this.server.sessionPath(this.framework);
    const kernel = { name: `d2l-${this.framework}` };
    const asked = { path, name: path, type: "notebook", kernel };
    this.session = await SessionAPI.startSession(asked, this.server.settings);
    const model = this.session.kernel!;
    const connection = new KernelConnection({
      model,
      serverSettings: this.server.settings,
    });
    this.connection = connection;
    this.watch(connection);
    // A kernel from before may be busy and say so to no one.
    if (model.execution_state === "busy") this.show("busy");
    return connection;
  }

  private watch(connection: Kernel.IKernelConnection): void {
    connection.statusChanged.connect((_, status) => this.follow(status));
    connection.connectionStatusChanged.connect((_, status) => {
      if (status !== "connected") this.show("lost", LOST);
      else if (this.phase === "lost") this.show("idle");
    });
    connection.registerCommTarget("jupyter.widget", async (comm, message) => {
      await (await this.widgets()).open(comm, message);
    });
  }

  private follow(status: KernelMessage.Status): void {
    if (status === "dead") {
      this.opening = null;
      this.lose("dead", DIED);
    } else if (status === "autorestarting") {
      this.lose("restarting", ANEW);
    } else if (status === "restarting") {
      this.show("restarting", this.notice);
    } else if (status === "idle" || status === "busy" || status === "starting") {
      this.show(status, this.notice);
    }
  }

  private lose(phase: Phase, notice: string): void {
    this.forget();
    this.show(phase, notice);
    this.onLoss();
  }

  private forget(): void {
    this.ran.clear();
    this.edited = false;
    void this.manager?.then((manager) => manager.disconnect());
    this.manager = null;
  }

  private async end(): Promise<void> {
    this.opening = null;
    if (!this.session) return;
    const gone = (error: any) => {
      if (error.response?.status !== 404) throw error;
    };
    await SessionAPI.shutdownSession(this.session.id, this.server.settings).catch(gone);
  }

  private show(phase: Phase, notice = ""): void {
    if (phase === this.phase && notice === this.notice) return;
    this.phase = phase;
    this.notice = notice;
    this.onChange();
  }
}
