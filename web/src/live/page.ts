/* Live cells: what static/live.js loads when the first of its buttons is used. */
import "./live.css";
import { LiveCell } from "./cell";
import { BookKernel } from "./kernel";
import { Runs } from "./runs";
import { type Page, Server } from "./server";
import { Strip } from "./strip";
import { explain } from "./trouble";

export type { Page };

const GONE = "The kernel has ended.";

/* One framework on this page. */
interface Lane {
  kernel: BookKernel;
  cells: Map<Element, LiveCell>;
  runs: Runs;
}

export class Live {
  private readonly server: Server;
  private readonly strip: Strip;
  private readonly lanes = new Map<string, Lane>();

  constructor(page: Page, place: HTMLElement) {
    this.server = new Server(page);
    this.strip = new Strip(place);
  }

  /* Does what a button of a cell says. */
  async act(action: string, root: HTMLElement): Promise<void> {
    const { cells, runs } = this.lane(root.dataset.framework!);
    const cell = cells.get(root)!;
    if (action === "run") await runs.run(cell);
    else if (action === "run-to") await runs.runTo(cell);
    else if (action === "edit") await cell.edit();
    else if (action === "reset") cell.reset();
    else if (action === "turn") cell.turn();
  }

  /* Connects to a kernel, such as one from before the page was loaded. */
  async connect(framework: string): Promise<void> {
    await this.lane(framework).kernel.connect();
  }

  private lane(framework: string): Lane {
    const known = this.lanes.get(framework);
    if (known) return known;
    const kernel = new BookKernel(framework, this.server);
    const label = labelOf(framework);
    const cells = new Map<Element, LiveCell>();
    const roots = `.book-cell[data-framework="${framework}"]`;
    for (const root of document.querySelectorAll<HTMLElement>(roots)) {
      cells.set(root, new LiveCell(root, kernel, `${root.dataset.step}, ${label}`));
    }
    const announce = (text: string) => this.strip.announce(`${label}: ${text}`);
    const runs = new Runs(kernel, [...cells.values()], this.server, announce);
    for (const cell of cells.values()) cell.onRun = () => void runs.run(cell);
    kernel.onLoss = () => runs.clear(GONE);
    const tell = (work: () => Promise<void>) => () =>
      work().catch((error) => announce(explain(error)));
    this.strip.add({
      kernel,
      label,
      interrupt: tell(() => runs.interrupt()),
      restart: tell(() => runs.restart()),
    });
    const lane = { kernel, cells, runs };
    this.lanes.set(framework, lane);
    return lane;
  }
}

function labelOf(framework: string): string {
  const tab = document.querySelector(`.framework-tabs > label[data-sync-id="${framework}"]`);
  return tab?.textContent?.trim() ?? framework;
}
