"""``d2l-support assign`` from the command line to a course."""

import pytest

from d2l_support.build import cli, scripts
from d2l_support.build.assign import writing
from d2l_support.build.assign.release import Release


@pytest.fixture
def assign(exercise_book, monkeypatch, capsys, tmp_path_factory):
    """A function that runs the command for a course, nbgrader's part imitated."""
    monkeypatch.chdir(exercise_book.root)
    monkeypatch.setenv("COLUMNS", "200")
    course = tmp_path_factory.mktemp("instructor") / "course"

    def generate(course, names):
        for name in names:
            course.release(name).mkdir(parents=True, exist_ok=True)
            course.release_notebook(name).touch()
            course.gradebook.touch()
        return [Release(name) for name in names]

    monkeypatch.setattr(writing, "generate_releases", generate)

    def assign(*words):
        code = cli.main(["assign", *words, "--to", str(course)])
        captured = capsys.readouterr()
        return code, captured.out + captured.err, course

    return assign


def test_run_assign_writes_a_course(assign):
    code, said, course = assign("--framework", "jax", "--section", "section")
    assert code == 0
    assert "section-exercises-jax: written" in said
    assert "section-more-exercises-jax: written" in said
    assert f"next: {course}/README.md" in said
    names = {path.name for path in course.iterdir() if path.name[0] != "."}
    assert names == {
        "README.md",
        "gradebook.db",
        "nbgrader_config.py",
        "release",
        "source",
    }
    beside = {path.name for path in (course / "source/section-exercises-jax").iterdir()}
    assert beside == {
        "section-exercises-jax.ipynb",
        "requirements.txt",
        "requirements-colab.txt",
    }


def test_run_assign_of_several_frameworks_and_sections(assign):
    words = ["--framework", "jax", "mxnet", "--section", "other", "section-exercises"]
    _, _, course = assign(*words)
    assert {path.name for path in (course / "source").iterdir()} == {
        f"{section}-exercises-{key}"
        for section in ("other", "section")
        for key in ("jax", "mxnet")
    }
    command = (
        f"assign --framework jax mxnet --section other section-exercises --to {course}"
    )
    assert command in (course / "README.md").read_text()


def test_run_assign_again_says_what_it_left_alone(assign, edit_exercises):
    words = ("--framework", "jax", "--section", "section")
    _, _, course = assign(*words)
    edit_exercises("limit = 4", "limit = 5")
    (course / "submitted/ann/section-exercises-jax").mkdir(parents=True)
    config = course / "nbgrader_config.py"
    config.write_text(config.read_text() + "# mine\n")
    code, said, _ = assign(*words)
    assert code == 0
    assert (
        "section-exercises-jax: written anew, it has changed in the book; "
        "1 handed in were made for the one before" in said
    )
    assert "section-more-exercises-jax: as it was" in said
    assert config.read_text().endswith("# mine\n")


def test_run_assign_ends_with_1_where_nbgrader_refuses(assign, monkeypatch):
    def refuse(course, names):
        return [Release(name, "found why") for name in names]

    monkeypatch.setattr(writing, "generate_releases", refuse)
    code, said, _ = assign("--framework", "jax", "--section", "other")
    assert code == 1
    assert "other-exercises-jax: found why" in said


def test_run_assign_refuses_a_folder_that_is_no_course(assign):
    _, _, course = assign("--section", "other", "--framework", "jax")
    (course / "nbgrader_config.py").unlink()
    code, said, _ = assign("--section", "other", "--framework", "jax")
    assert code == 2
    assert "and no nbgrader_config.py in it" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--section", "sectoin"], "did you mean 'section'?"),
        (["--section", "lonely"], "found no exercises beside section 'lonely'"),
        (["--exercise", "halve"], "did you mean 'half'?"),
    ],
)
def test_run_assign_of_an_unknown_name_makes_no_folder(assign, words, message):
    code, said, course = assign(*words)
    assert code == 2
    assert message in said
    assert not course.exists()


def test_run_assign_without_nbgrader_says_what_to_run(assign, monkeypatch):
    monkeypatch.setattr(scripts, "find_spec", lambda name: None)
    code, said, course = assign("--section", "other")
    assert code == 2
    assert "found no nbgrader in this environment" in said
    assert "Run: make grading" in said
    assert not course.exists()


def test_run_assign_brings_the_helpers_where_a_cell_uses_them(
    assign, edit_exercises, exercise_book
):
    edit_exercises("limit = 4", "from d2l_support import jax\nlimit = 4")
    project = '[project]\nname = "d2l-support"\nversion = "0.1.0"\n'
    project += 'description = "Helpers"\nrequires-python = ">=3.11"\n'
    project += 'license = "Apache-2.0"\n'
    (exercise_book.root / "pyproject.toml").write_text(project)
    words = ("--section", "section-exercises", "--framework", "jax", "mxnet")
    code, _, course = assign(*words)
    assert code == 0
    wheels = [path.parent.name for path in course.glob("source/*/*.whl")]
    assert wheels == ["section-exercises-jax"]
