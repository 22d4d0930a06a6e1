/* Runs the cells of one framework, one after another. */
import type { LiveCell } from "./cell";
import type { BookKernel } from "./kernel";
import type { Server } from "./server";
import { explain } from "./trouble";
import { type Comparison, describePlan, EDITED, judge, type Verdict } from "./verdict";

const INTERRUPTED: Verdict = { text: "interrupted: not compared", tone: "neutral" };

export class Runs {
  private queue: LiveCell[] = [];
  private working = false;

  constructor(
    private readonly kernel: BookKernel,
    private readonly cells: LiveCell[],
    private readonly server: Server,
    private readonly announce: (text: string) => void,
  ) {}

  run(cell: LiveCell): Promise<void> {
    return this.add([cell]);
  }

  /* Runs a cell and all that stand above it, on show or not. */
  runTo(cell: LiveCell): Promise<void> {
    return this.add(this.cells.slice(0, this.cells.indexOf(cell) + 1));
  }

  /* Lets go of what still waits. */
  clear(reason: string): void {
    for (const cell of this.queue) cell.say(reason);
    this.queue = [];
  }

  async interrupt(): Promise<void> {
    this.clear("not run: interrupted");
    await this.kernel.interrupt();
  }

  async restart(): Promise<void> {
    this.clear("not run: the kernel was restarted");
    await this.kernel.restart();
  }

  private async add(cells: LiveCell[]): Promise<void> {
    const hidden = cells.filter((cell) => cell.hidden).length;
    this.announce(describePlan(cells.length, hidden));
    for (const cell of cells) cell.say("waits");
    this.queue.push(...cells);
    if (this.working) return;
    this.working = true;
    for (let cell = this.queue.shift(); cell; cell = this.queue.shift()) {
      const goOn = await this.runOne(cell);
      if (!goOn) this.clear(`not run: ${cell.step} did not end well`);
    }
    this.working = false;
  }

  /* Runs one cell; returns whether those below it make sense. */
  private async runOne(cell: LiveCell): Promise<boolean> {
    const { edited } = cell;
    const afterEdited = this.kernel.edited;
    cell.say(this.kernel.phase === "idle" ? "runs" : "waits for the kernel");
    let reply;
    try {
      const run = await this.kernel.execute(cell.source);
      cell.say("runs");
      cell.follow(run);
      reply = (await run.done).content;
    } catch (error) {
      const stopped = String(error).includes("Canceled");
      cell.say(stopped ? "stopped: the kernel has ended" : explain(error), "differs");
      return false;
    }
    this.kernel.ran.add(cell.step);
    this.kernel.edited ||= edited;
    const ended = reply.status === "ok" || cell.raises;
    cell.say(this.describe(cell, reply), ended ? "neutral" : "differs");
    const verdict = await this.compare(cell, reply, edited, afterEdited);
    cell.judge(verdict);
    this.announce(`${cell.step}: ${verdict.text}`);
    return ended;
  }

  private describe(cell: LiveCell, reply: { status: string; ename?: string }): string {
    if (reply.status === "ok" || cell.raises) return "ran";
    const above = this.cells.slice(0, this.cells.indexOf(cell));
    const missing = above.some(({ step }) => !this.kernel.ran.has(step));
    const hint = missing ? "; cells above have not run in this kernel: Run to here" : "";
    return `${reply.ename ?? "stopped"}${hint}`;
  }

  private async compare(
    cell: LiveCell,
    reply: { status: string; ename?: string },
    edited: boolean,
    afterEdited: boolean,
  ): Promise<Verdict> {
    if (edited) return EDITED;
    if (reply.ename === "KeyboardInterrupt") return INTERRUPTED;
    const { framework, step } = cell;
    const { page } = this.server.page;
    const asked = { page, framework, step, outputs: cell.outputs() };
    try {
      const found: Comparison = await this.server.post("book-live/compare", asked);
      return judge(found, afterEdited);
    } catch (error) {
      return { text: `not compared: ${explain(error)}`, tone: "neutral" };
    }
  }
}
