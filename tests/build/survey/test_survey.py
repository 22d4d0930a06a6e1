"""A whole survey, in kernels that have no framework."""

import json

import pytest

from d2l_support.build import cli
from d2l_support.build.frameworks import Framework
from d2l_support.build.survey import command, evidence, settings
from d2l_support.build.survey.ledger import PATH
from d2l_support.build.survey.settings import Setting, Setup

FACTS = """
import os
print("fact: drift =", os.environ.get("DRIFT", "none"))
"""
DRIFTS = {
    "number": "print(0.5 + (1e-3 if DRIFT else 0.0))",
    "noise": "print(0.5 + (1e-7 if DRIFT else 0.0))",
    "order": "print([1, 0, 2] if DRIFT else [0, 1, 2])",
    "dtype": "print('float64' if DRIFT else 'float32')",
    "warnings": "print(2 if DRIFT else 1, 'warnings')",
    "picture": "print('drawn from', [1.0, 2.5 if DRIFT else 2.0])",
    "kind": "8 if DRIFT else None",
}


@pytest.fixture
def book(command_book, write_section, monkeypatch):
    """A checkout with a section that drifts, and one setting that makes it."""
    named = {
        "calm": Setting(
            "calm", "nothing changed", {"jax": Setup(facts={"drift": "none"})}
        ),
        "drift": Setting(
            "drift",
            "made to drift",
            {"jax": Setup({"DRIFT": "1"}, "x = 1", {"drift": "1"})},
        ),
        "idle": Setting("idle", "without effect", {"jax": Setup(facts={"drift": "2"})}),
    }
    monkeypatch.setattr(evidence, "PROGRAMS", {"jax": FACTS})
    settings.SETTINGS.clear()
    settings.SETTINGS.update(named)
    write_section(start="import os\nDRIFT = 'DRIFT' in os.environ", **DRIFTS)
    assert cli.main(["record", "--framework", "jax"]) == 0
    return command_book


@pytest.fixture(autouse=True)
def _table():
    """Puts the real settings back."""
    before = dict(settings.SETTINGS)
    yield
    settings.SETTINGS.clear()
    settings.SETTINGS.update(before)


def survey(*options: str) -> int:
    return cli.main(["survey", "--framework", "jax", "--setting", *options])


def read_cells(book, setting: str) -> dict:
    data = json.loads((book.root / PATH).read_text())
    return data["observations"]["part/section"]["jax"][setting].get("cells", {})


def test_survey_with_nothing_changed_sees_none(book, capsys):
    assert survey("calm") == 0
    assert read_cells(book, "calm") == {}
    assert capsys.readouterr().out.splitlines()[-1] == (
        "1 observations; 0 cells contradict their rule"
    )


def test_survey_sees_each_drift_at_its_cell(book, capsys):
    assert survey("drift") == 1
    kinds = {cell: seen["kind"] for cell, seen in read_cells(book, "drift").items()}
    assert kinds == {
        "number": "numbers",
        "noise": "numbers",
        "order": "text",
        "dtype": "text",
        "warnings": "text",
        "picture": "numbers",
        "kind": "outputs",
    }
    out = capsys.readouterr().out
    complaints = [line for line in out.splitlines() if "in the ledger" in line]
    assert len(complaints) == 6
    assert complaints[0].startswith("chapters/part/section.md:")
    assert not any("'noise'" in line for line in complaints)
    assert "cell 'number' (jax): found numbers differ by 2.0e-03 under 'made to " in out


def test_check_fails_where_the_ledger_contradicts_a_rule(book, capsys):
    survey("drift")
    capsys.readouterr()
    assert cli.main(["check", "--framework", "jax"]) == 1
    out = capsys.readouterr().out
    assert out.count("in the ledger") == 6


def test_check_passes_where_the_cell_names_the_setting(book, write_section, capsys):
    option = ":compare: exact\n:varies: drift\n:why: it drifts by design"
    write_section(
        start="import os\nDRIFT = 'DRIFT' in os.environ",
        order=f"{option}\n{DRIFTS['order']}",
    )
    assert cli.main(["record", "--framework", "jax"]) == 0
    assert survey("drift") == 0
    assert read_cells(book, "drift") == {"order": {"kind": "text"}}
    assert cli.main(["check", "--framework", "jax"]) == 0


def test_check_passes_once_the_cells_name_the_setting_afterwards(book, write_section):
    survey("drift")
    option = ":compare: exact\n:varies: drift\n:why: it drifts by design"
    drifts = {name: f"{option}\n{source}" for name, source in DRIFTS.items()}
    drifts["number"] = (
        f":compare: close\n:varies: drift\n:why: by design\n{DRIFTS['number']}"
    )
    drifts["noise"] = DRIFTS["noise"]
    write_section(start="import os\nDRIFT = 'DRIFT' in os.environ", **drifts)
    assert cli.main(["record", "--framework", "jax"]) == 0
    assert len(read_cells(book, "drift")) == len(DRIFTS)
    assert cli.main(["check", "--framework", "jax"]) == 0


def test_survey_does_not_count_a_setting_without_effect(book, capsys):
    assert survey("idle") == 1
    assert not (book.root / PATH).exists()
    assert (
        "facts of idle: (jax): found drift 'none' under 'idle', expected '2': the "
        "setting took no effect and is not surveyed." in capsys.readouterr().out
    )


def test_survey_leaves_out_a_release_whose_python_is_missing(book, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    known = {"jax-next": Framework("jax-next", "JAX", 1.0, 0.1, python=(3, 99))}
    monkeypatch.setattr(command, "ENVIRONMENTS", known)
    book.requirements("jax-next").write_text("")
    later = Setting("later", "later", {"jax": Setup(environment="jax-next")})
    settings.SETTINGS.clear()
    settings.SETTINGS["later"] = later
    assert cli.main(["survey", "--framework", "jax"]) == 0
    said = capsys.readouterr().out
    assert "later: not surveyed; found Python" in said
    assert "expected 3.99" in said


def test_survey_again_runs_only_what_is_new(book, capsys):
    survey("calm")
    capsys.readouterr()
    assert survey("calm") == 0
    assert "notebooks" not in capsys.readouterr().out
    assert survey("calm", "--force") == 0
    assert "nothing changed: 1 notebooks" in capsys.readouterr().out


def test_observations_of_another_record_do_not_count(book, write_section, capsys):
    survey("drift")
    write_section(start="print(1)")
    cli.main(["record", "--framework", "jax"])
    capsys.readouterr()
    assert cli.main(["check", "--framework", "jax"]) == 0


def test_survey_of_a_section_that_fails_is_an_observation(book, write_section, capsys):
    write_section(
        start="import os\nprint(1)", fall="assert 'DRIFT' not in os.environ", last="1"
    )
    cli.main(["record", "--framework", "jax"])
    assert survey("drift") == 1
    assert read_cells(book, "drift") == {
        "fall": {"kind": "failed", "allowed": False},
        "last": {"kind": "unseen"},
    }
    assert "cell 'fall' (jax): found AssertionError" in capsys.readouterr().out


def test_survey_of_a_section_that_fails_compares_what_ran(book, write_section):
    write_section(
        start="import os\nprint('DRIFT' in os.environ)",
        calm="print(2)",
        fall="assert 'DRIFT' not in os.environ",
    )
    cli.main(["record", "--framework", "jax"])
    assert survey("drift") == 1
    assert read_cells(book, "drift") == {
        "start": {"kind": "text", "allowed": False},
        "fall": {"kind": "failed", "allowed": False},
    }


def test_survey_of_stale_records_says_what_to_run(book, write_section, capsys):
    write_section(start="print(2)")
    assert survey("calm") == 1
    assert "d2l-support record --framework jax section" in capsys.readouterr().err


def test_survey_lists_its_settings(book, capsys):
    assert cli.main(["survey", "--list"]) == 0
    out = capsys.readouterr().out
    assert "made to drift" in out
    assert "JAX" in out


def test_explain_says_which_cells_differ_and_why(book, monkeypatch, capsys):
    survey("drift")
    monkeypatch.setenv("DRIFT", "1")
    helpers = book.root / "d2l_support" / "jax.py"
    before = helpers.read_text()
    helpers.write_text(before.replace('"device": "cpu"', '"device": "gpu"'))
    capsys.readouterr()
    assert cli.main(["explain", "--framework", "jax"]) == 1
    out = capsys.readouterr().out.splitlines()
    place = "part/section: cell 'noise' (jax): "
    index = out.index(f"{place}numbers differ by 2.0e-07, within its rule")
    assert out[index + 1] == (
        "  likely: device, cpu to gpu (the book has no measurement of it; draws and "
        "kernels may be others)"
    )
    assert out[-1] == (
        "1 cells print the recorded text, 1 differ within their rule, "
        "6 differ beyond it"
    )


def test_explain_where_nothing_differs(book, capsys):
    assert cli.main(["explain", "--framework", "jax"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == (
        "8 cells print the recorded text, 0 differ within their rule, "
        "0 differ beyond it"
    )


def test_explain_names_the_code_that_was_edited(book, write_section, capsys):
    write_section(start="batch = 64\nprint(0.5)", loss="print(1.5 / batch)")
    cli.main(["record", "--framework", "jax"])
    write_section(start="batch = 32\nprint(0.5)", loss="print(1.5 / batch)")
    capsys.readouterr()
    assert cli.main(["explain", "--framework", "jax"]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[-3].startswith("part/section: cell 'loss' (jax): numbers differ")
    assert said[-2].startswith("  likely: batch, batch 64 to 32 in cell 'start' (")


def test_explain_refuses_other_cells_than_recorded(book, write_section, capsys):
    write_section(start="print(0.5)", loss="print(1.5)")
    assert cli.main(["explain", "--framework", "jax"]) == 1
    assert (
        "chapters/part/section.md: (jax): found a cell 'loss', expected the cells that "
        "were recorded. Run: d2l-support record --framework jax section"
        in capsys.readouterr().out
    )


def test_diff_against_another_run_shows_the_drift(book, monkeypatch, tmp_path, capsys):
    folder = tmp_path / "other"
    monkeypatch.setenv("DRIFT", "1")
    cli.main(["execute", "--framework", "jax", "--output", str(folder)])
    monkeypatch.delenv("DRIFT")
    capsys.readouterr()
    assert cli.main(["diff", "--framework", "jax", "--against", str(folder)]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[-1] == "8 cells in 1 notebooks: 7 drifted, 6 beyond their rule"
    rows = [[part.strip() for part in line.split("│")[1:-1]] for line in out]
    drifts = {row[2]: row[3] for row in rows if row}
    assert drifts["dtype"] == "other text"
    assert drifts["noise"] == "numbers differ by 2.0e-07"


def test_diff_against_a_folder_without_notebooks_says_what_is_expected(
    book, tmp_path, capsys
):
    assert cli.main(["diff", "--framework", "jax", "--against", str(tmp_path)]) == 2
    assert "found no notebook of these sections" in capsys.readouterr().err
