/* One code cell of the page: its recorded side, and what a reader makes of it.

   The recorded code and output stay in the page as they are; a live side is
   put beside them, and one of the two is on show. */
import type { Kernel } from "@jupyterlab/services";
import type { EditorView } from "@codemirror/view";
import type { BookKernel } from "./kernel";
import { LiveOutput } from "./outputs";
import type { Tone, Verdict } from "./verdict";

type Action = "run" | "run-to" | "edit" | "reset" | "turn";

export class LiveCell {
  readonly framework: string;
  readonly step: string;
  /* An error is what this cell is there to show. */
  readonly raises: boolean;
  readonly recordedSource: string;
  /* What to do on Shift+Enter. */
  onRun: () => void = () => {};

  private readonly code: HTMLElement;
  private readonly recordedOutput: HTMLElement | null;
  private readonly bar: HTMLElement;
  private readonly mark: HTMLElement;
  private editor: EditorView | null = null;
  private editorHost: HTMLElement | null = null;
  private output: LiveOutput | null = null;
  private liveSide: HTMLElement | null = null;
  private verdict: HTMLElement | null = null;

  constructor(
    readonly root: HTMLElement,
    private readonly kernel: BookKernel,
    private readonly label: string,
  ) {
    this.framework = root.dataset.framework!;
    this.step = root.dataset.step!;
    this.raises = root.dataset.raises !== undefined;
    this.code = root.querySelector<HTMLElement>(".cell_input")!;
    this.recordedOutput = root.querySelector<HTMLElement>(".cell_output");
    this.bar = root.querySelector<HTMLElement>(".cell-bar")!;
    this.mark = this.bar.querySelector<HTMLElement>(".cell-mark")!;
    this.recordedSource = this.code.querySelector("pre")!.textContent!.trimEnd();
  }

  get source(): string {
    return this.editor ? this.editor.state.doc.toString() : this.recordedSource;
  }

  get edited(): boolean {
    return this.source.trimEnd() !== this.recordedSource;
  }

  get hidden(): boolean {
    return !this.root.checkVisibility();
  }

  /* Opens the editor in the place of the code, and enters it. */
  async edit(): Promise<void> {
    if (!this.editor) {
      const { openEditor } = await import("./editor");
      this.editorHost = document.createElement("div");
      this.editorHost.className = "cell-editor";
      this.code.after(this.editorHost);
      this.code.hidden = true;
      this.editor = openEditor({
        host: this.editorHost,
        source: this.recordedSource,
        label: `Code of ${this.label}. Escape leaves, Shift and Enter run.`,
        onChange: () => this.showEdited(),
        onRun: () => this.onRun(),
        onLeave: () => this.leave(),
      });
    }
    this.editor.focus();
  }

  /* Leaves the editor; it stays open while its code differs. */
  leave(): void {
    if (!this.edited) this.closeEditor();
    this.button("edit").focus();
  }

  /* Back to the recorded code and output. */
  reset(): void {
    this.closeEditor();
    this.output?.dispose();
    this.liveSide?.remove();
    this.output = this.liveSide = this.verdict = null;
    if (this.recordedOutput) this.recordedOutput.hidden = false;
    this.button("turn").hidden = true;
    this.say("");
    this.showEdited();
    this.button("run").focus();
  }

  /* Shows the other side: recorded or live. */
  turn(): void {
    this.showSide(this.liveSide!.hidden ? "live" : "recorded");
  }

  /* Says in the bar how it is with this cell. */
  say(text: string, tone: Tone = "neutral"): void {
    this.mark.textContent = text;
    this.mark.dataset.tone = tone;
  }

  /* Shows what a run puts out, from its beginning on. */
  follow(run: Kernel.IShellFuture<any, any>): void {
    if (!this.output) {
      this.liveSide = document.createElement("div");
      this.liveSide.className = "cell_output live-output";
      const area = document.createElement("div");
      this.verdict = document.createElement("p");
      this.verdict.className = "live-verdict";
      this.liveSide.append(area, this.verdict);
      (this.recordedOutput ?? this.bar).after(this.liveSide);
      this.output = new LiveOutput(area, this.kernel);
    }
    this.output.follow(run);
    this.judge({ text: "", tone: "neutral" });
    this.showSide("live");
    this.showEdited();
  }

  /* Says under the live output how it compares with the record. */
  judge({ text, tone }: Verdict): void {
    if (!this.verdict) return;
    this.verdict.textContent = text && `live: ${text}`;
    this.verdict.dataset.tone = tone;
  }

  outputs(): object[] {
    return this.output?.toJSON() ?? [];
  }

  private button(action: Action): HTMLButtonElement {
    return this.bar.querySelector<HTMLButtonElement>(`[data-action=${action}]`)!;
  }

  private closeEditor(): void {
    this.editor?.destroy();
    this.editorHost?.remove();
    this.editor = this.editorHost = null;
    this.code.hidden = false;
  }

  private showEdited(): void {
    this.root.toggleAttribute("data-edited", this.edited);
    this.button("reset").hidden = !(this.edited || this.output);
  }

  private showSide(side: "live" | "recorded"): void {
    this.liveSide!.hidden = side !== "live";
    if (this.recordedOutput) this.recordedOutput.hidden = side === "live";
    const turn = this.button("turn");
    turn.hidden = !this.recordedOutput;
    turn.textContent = side === "live" ? "Show recorded" : "Show live";
  }
}
