"""A whole notebook: valid, in order, with outputs that hold, for any Jupyter."""

import nbformat
import pytest
from nbformat import v4

from d2l_support.build.check import load_section
from d2l_support.build.export.citations import Source
from d2l_support.build.export.notebook import describe_kernel, show_stills
from d2l_support.build.export.targets import Targets
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import SectionName
from d2l_support.build.section import Cell
from d2l_support.build.widgets import STATE, VIEW

SECTION = SectionName("part", "section")


def edit_source(book, old, new):
    path = book.source(SECTION)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize("framework", ALL_KEYS)
def test_make_notebook_is_valid_and_opens_in_any_jupyter(export_one, framework):
    notebook = export_one(framework)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata.kernelspec.name == "python3"
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)


def test_make_notebook_has_title_then_setup_then_the_section(export_one):
    notebook = export_one("jax")
    assert [cell.id for cell in notebook.cells] == [
        *("prose_0", "book_about", "book_setup", "shared", "double"),
        *("prose_3", "half"),
    ]
    assert notebook.cells[0].source == "# A section"
    assert "in JAX" in notebook.cells[1].source


def test_make_notebook_shows_recorded_outputs_with_their_numbers(export_one):
    cells = {cell.id: cell for cell in export_one("jax").cells}
    assert cells["shared"].outputs[0].text == "x is 2\n"
    assert cells["shared"].execution_count == 2
    assert cells["half"].execution_count == 4
    assert cells["book_setup"].execution_count is None


def test_make_notebook_has_words_where_a_framework_has_no_code(export_one):
    sources = [cell.source for cell in export_one("mxnet").cells]
    assert "MXNet has no double, because this book is small." in sources
    assert not any("JAX" in source for source in sources)


def test_make_notebook_shows_no_stale_output_and_says_so(exportable, export_one):
    edit_source(exportable, "print(3 / x)", "print(6 / x)")
    notebook = export_one("jax")
    cells = {cell.id: cell for cell in notebook.cells}
    assert cells["shared"].outputs
    assert (cells["half"].outputs, cells["half"].execution_count) == ([], None)
    assert "Without recorded outputs: [4]." in cells["book_about"].source
    assert "Without" not in export_one("mxnet", solutions=True).cells[2].source


def test_make_notebook_without_record_says_so(exportable, export_one):
    exportable.record(SECTION, "jax").unlink()
    notebook = export_one("jax")
    assert "Without recorded outputs: [2], [3], [4]." in notebook.cells[1].source
    assert "No outputs are recorded." in notebook.cells[2].source


def test_make_notebook_links_to_its_page_and_lists_what_it_cites(
    exportable, export_one
):
    edit_source(exportable, "Words between", "Words {cite}`ada` between")
    targets = Targets(
        "https://book.test",
        titles={"chapters/part/section": "A section"},
        sources={"ada": Source("Ada, 1843", "Ada. *Notes*. 1843.")},
    )
    notebook = export_one("jax", targets=targets)
    page = "https://book.test/chapters/part/section.html?framework=jax"
    assert f"[A section]({page})" in notebook.cells[1].source
    assert notebook.cells[-1].source == "## References\n\n- Ada. *Notes*. 1843."
    wheel = "https://book.test/notebooks/d2l_support-1.whl"
    assert wheel in notebook.cells[2].source


def test_make_notebook_keeps_the_tag_of_an_error_that_is_the_lesson(
    exportable, export_one
):
    edit_source(exportable, ":id: half\n", ":id: half\n:tags: [raises-exception]\n")
    assert export_one("jax").cells[-1].metadata.tags == ["raises-exception"]


EXERCISE = """\
+++ {"exercise": "twice", "minutes": 5, "difficulty": "easy"}

## Twice

```{exercise}
:label: twice

Write `twice`.
```

```{code-cell} python
:id: twice-answer
:grade: solution
def twice(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION
```

```{code-cell} python
:id: twice-tests
:grade: tests
:points: 2
assert twice(1) == 2
### BEGIN HIDDEN TESTS
assert twice(3) == 6
### END HIDDEN TESTS
```

+++ {"grade": "solution"}

A product.

```{code-cell} python
:id: twice-square
:grade: mutant
:of: twice-answer
:fault: the square
def twice(x):
    return x * x
```

+++ {"grade": "written", "id": "twice-why", "points": 1, "rubric": ["1: says so"]}

Why?

### BEGIN SOLUTION
Because.
### END SOLUTION
"""


@pytest.fixture
def exercise_book(exportable):
    path = exportable.source(SECTION)
    path.write_text(path.read_text(encoding="utf-8") + "\n" + EXERCISE, "utf-8")
    load_section(exportable, SECTION)
    return exportable


def test_students_notebook_has_starters_and_no_line_of_a_solution(
    exercise_book, export_one
):
    notebook = export_one("jax")
    cells = {cell.id: cell for cell in notebook.cells}
    assert "NotImplementedError" in cells["twice-answer"].source
    assert cells["twice-tests"].source.startswith("# 2 points\nassert twice(1) == 2")
    assert cells["twice-tests"].metadata.tags == ["raises-exception"]
    assert "tags" not in cells["half"].metadata
    text = nbformat.writes(notebook)
    for secret in ('2 * x\\n"', "return 2 * x", "== 6", "product", "Because", "x * x"):
        assert secret not in text.replace('print(\\"JAX\\", 2 * x)', ""), secret
    assert "write your answer" in cells["book_about"].source
    assert "*3 points (2 by tests, 1 for words) · about 5 minutes · easy*" in [
        cell.source for cell in notebook.cells
    ]


def test_notebook_with_solutions_runs_and_tells_all_but_planted_answers(
    exercise_book, export_one
):
    notebook = export_one("jax", solutions=True)
    cells = {cell.id: cell for cell in notebook.cells}
    assert cells["twice-answer"].source == "def twice(x):\n    return 2 * x"
    assert "assert twice(3) == 6" in cells["twice-tests"].source
    assert "tags" not in cells["twice-tests"].metadata
    text = nbformat.writes(notebook)
    assert "BEGIN" not in text
    assert "x * x" not in text
    folds = [cell.source for cell in notebook.cells if "<details>" in cell.source]
    assert folds[0] == (
        "<details><summary>Solution</summary>\n\nA product.\n\n</details>"
    )
    assert "**In words.** Because." in folds[1]


@pytest.mark.parametrize(
    ("framework", "code", "asked"),
    [
        ("pytorch", "torch.cuda.is_available()", "GPU"),
        ("jax", "jax.devices()", "GPU"),
        ("mxnet", "torch.cuda", None),
        ("pytorch", "torch.ones(2)", None),
    ],
)
def test_describe_kernel_asks_for_a_gpu_where_code_asks_for_devices(
    framework, code, asked
):
    metadata = describe_kernel("a", [Cell("code", code, 1)], framework)
    assert metadata.get("accelerator") == asked


def test_show_stills_puts_what_a_widget_begins_with():
    states = {
        "a": {"model_name": "HTMLModel", "state": {"value": "<b>one</b>"}},
    }
    data = {VIEW: {"model_id": "a"}, STATE: states, "text/plain": "HTML()"}
    output = v4.new_output("display_data", data)
    (shown,) = show_stills([output])
    assert shown.data.keys() == {"text/plain", "text/html"}
    assert "<div><b>one</b></div>" in shown.data["text/html"]
    assert VIEW in output.data
