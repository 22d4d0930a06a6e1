/* One framework's kernel: found or started on first use. */
import {
  Kernel,
  KernelAPI,
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

const ENDED =
  "The kernel has ended: it died, or nothing ran for long. Its variables are gone.";
const ANEW = "The kernel died and was started anew: its variables are gone.";
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

  /* What stays to be said until the reader acts: how the kernel was lost. */
  private aftermath = "";
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
    this.aftermath = "";
    this.show(this.phase);
    return connection.requestExecute({ code, stop_on_error: true });
  }

  async interrupt(): Promise<void> {
    await this.connection?.interrupt();
  }

  /* A fresh kernel in the place of this one, be it alive or dead. */
  async restart(): Promise<void> {
    this.aftermath = "";
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
      // A kernel that starts anew is connected anew.
      if (this.phase === "restarting") return;
      if (status !== "connected") this.show("lost", LOST);
      else if (this.phase === "lost") void this.findPhase(connection);
    });
    connection.registerCommTarget("jupyter.widget", async (comm, message) => {
      await (await this.widgets()).open(comm, message);
    });
  }

  /* Connected again: was the kernel at work all the while? */
  private async findPhase(connection: Kernel.IKernelConnection): Promise<void> {
    const model = await KernelAPI.getKernelModel(connection.id, this.server.settings);
    if (this.phase === "lost") {
      this.show(model?.execution_state === "busy" ? "busy" : "idle");
    }
  }

  private follow(status: KernelMessage.Status): void {
    if (status === "dead") {
      this.opening = null;
      this.lose("dead", ENDED);
    } else if (status === "autorestarting") {
      this.lose("restarting", ANEW);
    } else if (["restarting", "idle", "busy", "starting"].includes(status)) {
      this.show(status as Phase);
    }
  }

  private lose(phase: Phase, notice: string): void {
    this.forget();
    this.aftermath = notice;
    this.show(phase);
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

  private show(phase: Phase, notice = this.aftermath): void {
    if (phase === this.phase && notice === this.notice) return;
    this.phase = phase;
    this.notice = notice;
    this.onChange();
  }
}
