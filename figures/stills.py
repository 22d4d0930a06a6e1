"""Takes a picture of every drawn figure, for notebooks that show no SVG.

Run by hand after a figure is drawn anew; it needs the `test` environment and
Chromium (``apt-get install chromium``)::

    .envs/test/bin/python -m figures.stills

The pictures depend on the fonts of the machine, so no test compares them; a
test holds ``stills/drawn-from.json``, the digests of the drawings, to the files.
"""

import hashlib
import json
import shutil
from pathlib import Path

FOLDER = Path(__file__).parent
STILLS = FOLDER / "stills"
DIGESTS = STILLS / "drawn-from.json"
SCALE = 1.5
"""Pixels of a still for each of the drawing's."""
FRAME = 12
"""White pixels around the drawing: it has to be legible in dark, too."""


def main() -> None:
    """Writes ``stills/<name>.png`` for every drawing, and their digests."""
    # Not at the top: drawing the figures needs no browser.
    from playwright.sync_api import sync_playwright

    STILLS.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--headless", "--no-sandbox"],
        )
        page = browser.new_page(color_scheme="light", device_scale_factor=SCALE)
        for drawing in sorted(FOLDER.glob("*.svg")):
            page.set_content(wrap_drawing(drawing.read_text(encoding="utf-8")))
            still = STILLS / f"{drawing.stem}.png"
            page.locator("#frame").screenshot(path=still)
        browser.close()
    text = json.dumps(digest_drawings(), indent=1, sort_keys=True) + "\n"
    DIGESTS.write_text(text, encoding="utf-8")


def wrap_drawing(svg: str) -> str:
    """A page with one drawing on white."""
    style = f"display: inline-block; background: white; padding: {FRAME}px"
    return f'<div id="frame" style="{style}">{svg[svg.index("<svg") :]}</div>'


def digest_drawings() -> dict[str, str]:
    """The SHA-256 of each drawing as it stands, by name."""
    return {
        drawing.stem: hashlib.sha256(drawing.read_bytes()).hexdigest()
        for drawing in sorted(FOLDER.glob("*.svg"))
    }


if __name__ == "__main__":
    main()
