/* Two choices above the table of cells: which framework, which section. */
(() => {
  const table = document.querySelector("table.measured-cells");
  if (!table) return;
  const rows = [...table.tBodies[0].rows];
  const names = (prefix) => [
    ...new Set(
      rows.flatMap((row) =>
        [...row.classList].filter((name) => name.startsWith(prefix)),
      ),
    ),
  ].sort();

  const makeChoice = (label, prefix) => {
    const choice = document.createElement("select");
    choice.append(new Option("all", ""));
    for (const name of names(prefix)) {
      choice.append(new Option(name.slice(prefix.length), name));
    }
    const field = document.createElement("label");
    field.append(`${label} `, choice);
    return { field, choice };
  };

  const choices = [makeChoice("Framework", "for-"), makeChoice("Section", "in-")];
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
