/* The strip that says how the kernels are, one entry for each in use. */
import type { BookKernel, Phase } from "./kernel";

const WORDS: Record<Phase, string> = {
  "not started": "not started",
  environment: "environment",
  starting: "starting",
  idle: "idle",
  busy: "busy",
  restarting: "restarting",
  dead: "ended",
  lost: "no connection",
  failed: "did not start",
};

const REMEMBERED = 20;

export interface Entry {
  kernel: BookKernel;
  label: string;
  interrupt: () => Promise<void>;
  restart: () => Promise<void>;
}

export class Strip {
  private readonly list = document.createElement("ul");
  private readonly voice = document.createElement("div");

  constructor(place: HTMLElement) {
    const strip = document.createElement("section");
    strip.className = "live-strip";
    strip.setAttribute("aria-label", "Kernels");
    this.voice.className = "visually-hidden";
    this.voice.setAttribute("role", "log");
    strip.append(this.list, this.voice);
    place.append(strip);
    document.documentElement.dataset.liveStrip = "";
  }

  /* Tells those who do not see the strip; what comes at once is all said. */
  announce(text: string): void {
    const line = document.createElement("p");
    line.textContent = text;
    this.voice.append(line);
    if (this.voice.childElementCount > REMEMBERED) this.voice.firstElementChild!.remove();
  }

  /* Adds a kernel's entry; it follows the kernel from then on. */
  add({ kernel, label, interrupt, restart }: Entry): void {
    const item = document.createElement("li");
    item.dataset.framework = kernel.framework;
    const name = document.createElement("b");
    name.textContent = label;
    const state = document.createElement("span");
    state.className = "kernel-state";
    const notice = document.createElement("span");
    notice.className = "kernel-notice";
    const stop = makeButton("Interrupt", `Interrupt the ${label} kernel`, interrupt);
    const anew = makeButton("Restart", `Restart the ${label} kernel`, restart);
    item.append(name, state, notice, stop, anew);
    this.list.append(item);
    let told = "";
    const tell = () => {
      if (kernel.phase === "busy" || kernel.phase === "idle") return;
      // What pip prints is for the eye: it would talk for minutes.
      const notice = kernel.phase === "environment" ? "" : kernel.notice;
      const words = `${label}: ${WORDS[kernel.phase]}. ${notice}`.trim();
      if (words !== told) this.announce(words);
      told = words;
    };
    const show = () => {
      item.dataset.phase = kernel.phase;
      state.textContent = WORDS[kernel.phase];
      notice.textContent = notice.title = kernel.notice;
      stop.disabled = kernel.phase !== "busy";
      anew.disabled = ["environment", "starting", "restarting"].includes(kernel.phase);
      tell();
    };
    kernel.onChange = show;
    show();
  }
}

function makeButton(text: string, label: string, act: () => Promise<void>): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  button.setAttribute("aria-label", label);
  button.addEventListener("click", () => void act());
  return button;
}
