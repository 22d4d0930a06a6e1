"""What a new course is told: nbgrader's configuration, the instructor's guide."""

import shlex
from collections.abc import Iterator

import nbformat
from nbformat import NotebookNode

from d2l_support.build.assign.course import Course
from d2l_support.build.assign.notebook import TEXT_STUB
from d2l_support.build.exercises.regions import STUB
from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.scripts import GRADING_TOOL

FORMGRADER = "CHECKOUT/.envs/grading/bin/jupyter notebook"

CONFIG = """\
# nbgrader's configuration of this course, written once: it is yours to change.
c = get_config()
c.CourseDirectory.course_id = {course!r}

# What students find where a solution was cut out, as on the pages of the book.
c.ClearSolutions.code_stub = {{"python": {code!r}}}
c.ClearSolutions.text_stub = {text!r}

# Nothing here runs a submission. `d2l-support grade` does, in a kernel without
# access to this folder; `nbgrader autograde` would run it as you, in this folder.
"""

GUIDE = """\
# {course}

This file is written by `d2l-support assign`; keep notes of your own elsewhere.

| assignment | framework | points by tests | points for words |
|---|---|---|---|
{rows}

## What was run

In the checkout of the book, with the environment that grades:

{commands}

For each assignment it wrote

    source/NAME/NAME.ipynb     with solutions and hidden tests: keep it to yourself
    release/NAME/NAME.ipynb    made from it by nbgrader's generate_assignment
    gradebook.db               nbgrader's database, in which each is registered

Run it again after the book has changed, or for more sections and frameworks. It \
leaves alone what has not changed, what you edited in `source/`, and all that was \
handed in or graded. To release an edit of yours, where CHECKOUT is the folder of the \
book:

    cd {folder}
    PATH=CHECKOUT/.envs/grading/bin:$PATH nbgrader generate_assignment NAME --force

## Hand out

Give each student the folder `release/NAME`, whole, by whatever way you use: a \
learning platform, a repository, or nbgrader's own exchange \
(`nbgrader release_assignment NAME`). Beside the notebook lie

- `requirements.txt`: the releases with which it is graded, for Python 3.11;
- `requirements-colab.txt`: the same packages in whatever release is there.

The notebooks open in Jupyter and in Colab. They name the kernel {kernels}. A student \
gets a kernel of that name by

{kernel_commands}

or picks any other one that has the framework, from the menu *Kernel*. In Colab there \
is nothing to pick: run `%pip install -r requirements-colab.txt` in a cell of your \
own. Grading uses the kernel of the book, whichever the student had.

## Collect

Put what each student hands in where nbgrader looks for it; the folder's name is how \
the student is called in the grades:

    submitted/STUDENT/NAME/NAME.ipynb

## Grade

In the checkout of the book:

    {grade}

It runs each submission that is new, outside this folder, and writes grades into \
`gradebook.db`. Answers in words are graded by you, in nbgrader's own form:

{formgrader}

In the address that it prints, put `/formgrader` in place of `/tree`. *Manual Grading* \
shows each answer, with the points of the rubric below its question. Leave *Autograde* \
alone there: it would run a submission as you, in this folder, and give no points to \
a test during which something was written to stderr, as MXNet does at its first \
operation. Then run the command above again, so that feedback and the table of \
grades hold both.

## Give back

`feedback/STUDENT/NAME/` holds a page for each submission. Send it the way the \
submissions came, or by nbgrader's exchange: `nbgrader release_feedback NAME`.
"""


def write_config(course: Course) -> str:
    """The configuration of nbgrader for a new course."""
    return CONFIG.format(course=course.root.name, code=STUB, text=TEXT_STUB)


def write_guide(course: Course, command: str) -> str:
    """The instructor's guide to a course, as it is now.

    Args:
        course: The course.
        command: The command that was just run; those before it are kept.
    """
    notebooks = list(read_sources(course))
    keys = sorted({notebook.metadata.book.framework for notebook in notebooks})
    known = [FRAMEWORKS[key] for key in FRAMEWORKS if key in keys]
    installs = [
        f"python -m ipykernel install --user --name {each.kernel} "
        f'--display-name "{each.label}"'
        for each in known
    ]
    folder = shlex.quote(str(course.root))
    return GUIDE.format(
        course=course.root.name,
        folder=folder,
        rows="\n".join(map(_describe, notebooks)),
        commands=_as_code([*_list_commands(course), command]),
        kernels=", ".join(f"`{each.kernel}`" for each in known),
        kernel_commands=_as_code(["pip install -r requirements.txt", *installs]),
        grade=f"{GRADING_TOOL} grade {folder}",
        formgrader=_as_code([f"cd {folder}", FORMGRADER]),
    )


def read_sources(course: Course) -> Iterator[NotebookNode]:
    """The sources in a course that this command wrote, by name."""
    for path in sorted(course.root.glob("source/*/*.ipynb")):
        try:
            notebook = nbformat.read(path, as_version=4)
        except (OSError, ValueError, nbformat.ValidationError):
            continue  # the instructor's own, or left alone as it was found
        if notebook.metadata.get("book", {}).get("framework") in FRAMEWORKS:
            yield notebook


def _describe(notebook: NotebookNode) -> str:
    """The row of an assignment."""
    key = notebook.metadata.book.framework
    section = notebook.metadata.book.section.rpartition("/")[2]
    points = {"code": 0, "markdown": 0}
    for cell in notebook.cells:
        points[cell.cell_type] += cell.metadata.get("nbgrader", {}).get("points", 0)
    label = FRAMEWORKS[key].label
    return f"| {section}-{key} | {label} | {points['code']} | {points['markdown']} |"


def _list_commands(course: Course) -> list[str]:
    """The commands that the guide in the course names already."""
    if not course.guide.is_file():
        return []
    lines = course.guide.read_text(encoding="utf-8").splitlines()
    return [
        line.strip() for line in lines if line.startswith(f"    {GRADING_TOOL} assign")
    ]


def _as_code(commands: list[str]) -> str:
    return "\n".join(f"    {command}" for command in dict.fromkeys(commands))
