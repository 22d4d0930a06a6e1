/* Two choices above the table of cells: which framework, which section. */
(() => {
  const table = document.querySelector("table.measured-cells");
  if (!table) return;
  const rows = [...table.tBodies[0].rows];
  const listNames = (prefix) => [
    ...new Set(
      rows.flatMap((row) =>
        [...row.classList].filter((name) => name.startsWith(prefix)),
      ),
    ),
  ];
  // Both are called what their rows call them: "Title, cell (Framework)".
  const find = (name) => rows.find((row) => row.classList.contains(name)).cells[0];
  const readTitle = (name) => find(name).querySelector("a").textContent;
  const readFramework = (name) => find(name).textContent.match(/\((\w+)\)\s*$/)[1];

  const makeChoice = (label, prefix, read) => {
    const choice = document.createElement("select");
    choice.append(new Option("all", ""));
    const options = listNames(prefix).map((name) => new Option(read(name), name));
    options.sort((one, other) => one.text.localeCompare(other.text));
    choice.append(...options);
    const field = document.createElement("label");
    field.append(`${label} `, choice);
    return { field, choice };
  };

  const choices = [
    makeChoice("Framework", "for-", readFramework),
    makeChoice("Section", "in-", readTitle),
  ];
  const count = document.createElement("output");
  const show = () => {
    const wanted = choices.map(({ choice }) => choice.value).filter(Boolean);
    for (const row of rows) {
      row.hidden = !wanted.every((name) => row.classList.contains(name));
    }
    count.textContent = `${rows.filter((row) => !row.hidden).length} cells`;
  };

  const bar = document.createElement("form");
  bar.className = "measured-filter";
  bar.append(...choices.map(({ field }) => field), count);
  bar.addEventListener("change", show);
  bar.addEventListener("submit", (event) => event.preventDefault());
  table.before(bar);
  show();
})();
