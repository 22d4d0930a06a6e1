"""The drawn figures are what their scripts draw."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from figures.stills import DIGESTS, STILLS, digest_drawings

ROOT = Path(__file__).parents[2]
DRAWINGS = sorted((ROOT / "figures").glob("*.svg"))
SVG = "{http://www.w3.org/2000/svg}"


def check_figures(folder: Path) -> subprocess.CompletedProcess:
    """Runs ``python -m figures --check`` in a folder."""
    command = [sys.executable, "-m", "figures", "--check"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )


def test_figures_are_byte_for_byte_what_is_drawn():
    done = check_figures(ROOT)
    assert (done.returncode, done.stdout) == (0, "would change: nothing\n")


def test_check_names_figure_that_would_change(checkout, tmp_path):
    shutil.copytree(checkout / "figures", tmp_path / "figures")
    changed = tmp_path / "figures" / "randomness.svg"
    changed.write_text(changed.read_text(encoding="utf-8") + " ", encoding="utf-8")
    before = changed.read_bytes()
    done = check_figures(tmp_path)
    assert (done.returncode, done.stdout) == (1, "would change: randomness.svg\n")
    assert changed.read_bytes() == before


@pytest.mark.parametrize("path", DRAWINGS, ids=lambda path: path.stem)
def test_figure_is_svg_with_size_and_words(path):
    root = ElementTree.parse(path).getroot()  # noqa: S314 - our own files
    assert root.tag == f"{SVG}svg"
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert [text for text in root.iter(f"{SVG}text") if not text.text.strip()] == []
    assert len(list(root.iter(f"{SVG}text"))) > 0


@pytest.mark.parametrize("path", DRAWINGS, ids=lambda path: path.stem)
def test_figure_is_shown_in_the_book(path):
    pages = [*ROOT.glob("*.md"), *ROOT.glob("chapters/**/*.md")]
    shown = [page for page in pages if f"/{path.name}" in page.read_text("utf-8")]
    assert shown


def test_stills_are_of_the_drawings_as_they_stand():
    taken = json.loads(DIGESTS.read_text(encoding="utf-8"))
    assert taken == digest_drawings()
    assert {path.stem for path in STILLS.glob("*.png")} == taken.keys()
