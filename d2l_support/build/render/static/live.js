/* The buttons of live cells, on pages that the live server gives out.

   The server marks its pages; on any other this does nothing. What the buttons
   do is loaded when the first of them is used. */
(() => {
  "use strict";
  const mark = document.querySelector('meta[name="d2l-live"]');
  const place = document.querySelector(".book-live");
  if (!mark || !place) return;
  const page = JSON.parse(mark.content);
  const root = document.documentElement;
  const folder = new URL(`${root.dataset.content_root}bundled/`, window.location.href);
  const ACTIONS = {
    turn: "Show recorded",
    reset: "Reset",
    edit: "Edit",
    "run-to": "Run to here",
    run: "Run",
  };
  const GONE = "The server does not answer. Run `make live` again, then reload this page.";
  const LOGGED_OUT = "Your login has ended. Open the address that `make live` printed.";

  const REFUSED = [401, 403];

  let loading;
  function load() {
    loading ??= Promise.all([loadStyle(), import(new URL("live.js", folder))])
      .then(([, { Live }]) => new Live(page, place))
      .catch(async () => {
        loading = undefined;
        throw new Error(await findReason());
      });
    return loading;
  }

  /* Why the server did not give what was asked for. */
  async function findReason() {
    const answer = await fetch(`${page.base}api/sessions`).catch(() => null);
    return answer && REFUSED.includes(answer.status) ? LOGGED_OUT : GONE;
  }

  function loadStyle() {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL("live.css", folder);
    return new Promise((resolve, reject) => {
      link.onload = resolve;
      link.onerror = () => {
        link.remove();
        reject(new Error(GONE));
      };
      document.head.append(link);
    });
  }

  const labelOf = (framework) =>
    document.querySelector(`.framework-tabs > label[data-sync-id="${framework}"]`)
      ?.textContent.trim() ?? framework;

  function makeButton(text, label, act) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.setAttribute("aria-label", label);
    button.addEventListener("click", act);
    return button;
  }

  function addBar(cell) {
    const { framework, step } = cell.dataset;
    const bar = document.createElement("div");
    bar.className = "cell-bar";
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", `Cell ${step}, ${labelOf(framework)}`);
    const state = document.createElement("span");
    state.className = "cell-mark";
    bar.append(state);
    for (const [action, text] of Object.entries(ACTIONS)) {
      const act = () => use(cell, action);
      const button = makeButton(text, `${text}: ${step}, ${labelOf(framework)}`, act);
      button.dataset.action = action;
      button.hidden = action === "turn" || action === "reset";
      bar.append(button);
    }
    const code = cell.querySelector(".cell_input");
    code.after(bar);
    code.addEventListener("click", (event) => enter(event, cell));
    code.addEventListener("keydown", (event) => enter(event, cell));
  }

  /* Does what a button says, or says in the cell's bar why it cannot. */
  function use(cell, action) {
    load()
      .then((live) => live.act(action, cell))
      .catch((error) => {
        cell.querySelector(".cell-mark").textContent = error.message;
      });
  }

  /* A click on the code or Enter opens the editor; marking text does not. */
  function enter(event, cell) {
    if (event.type === "keydown" && event.key !== "Enter") return;
    if (event.target.closest("button, a")) return;
    if (!window.getSelection().isCollapsed) return;
    event.preventDefault();
    use(cell, "edit");
  }

  /* Kernels from before this page was loaded: they still have their variables. */
  async function findKernels() {
    const answer = await fetch(`${page.base}api/sessions`);
    if (REFUSED.includes(answer.status)) {
      note.textContent = LOGGED_OUT;
      return;
    }
    const sessions = answer.ok ? await answer.json() : [];
    const paths = new Set(sessions.map((session) => session.path));
    const running = page.frameworks.filter((framework) =>
      paths.has(`book/${page.page}.${framework}.ipynb`),
    );
    if (running.length) offer(running);
  }

  function offer(running) {
    const old = document.createElement("p");
    old.className = "live-note live-before";
    old.append("Kernels from before are still running, with their variables:");
    for (const framework of running) {
      const name = labelOf(framework);
      const button = makeButton(name, `Connect to the ${name} kernel`, () =>
        load()
          .then((live) => live.connect(framework))
          .catch((error) => {
            note.textContent = error.message;
          }),
      );
      old.append(" ", button);
    }
    note.after(old);
  }

  const note = place.querySelector(".live-note");
  note.textContent =
    "Live: run or edit any cell. A framework’s kernel starts when it is first used.";
  root.dataset.live = "";
  for (const cell of document.querySelectorAll(".book-cell")) addBar(cell);
  findKernels().catch(() => {
    note.textContent = GONE;
  });
})();
