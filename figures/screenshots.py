"""Takes the two pictures of a page that README.md shows, in light and dark.

Run by hand after a change of the page's looks; nothing else depends on it::

    make book
    .envs/test/bin/python -m figures.screenshots

It needs the `test` environment and Chromium (``apt-get install chromium``).
The pictures depend on the fonts of the machine, so no test compares them.
"""

import argparse
import shutil
from pathlib import Path

FOLDER = Path(__file__).parent
PAGE = "chapters/reproducibility/seeds.html"
PART = ("#a-seed-fixes-the-sequence > h2", "#a-seed-fixes-the-sequence")
SIZE = {"width": 820, "height": 900}
FRAME = 20
"""Pixels around the part of the page that is shown."""


def main() -> None:
    """Writes ``page-light.png`` and ``page-dark.png`` into this folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--html", type=Path, default=FOLDER.parent / "_build" / "html")
    address = (parser.parse_args().html / PAGE).resolve().as_uri()
    # Not at the top: drawing the figures needs no browser.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--headless", "--no-sandbox"],
        )
        for scheme in ("light", "dark"):
            take_picture(browser, address, scheme, FOLDER / f"page-{scheme}.png")
        browser.close()


def take_picture(browser, address: str, scheme: str, path: Path) -> None:
    """Writes a picture of one part of a page.

    Args:
        browser: Playwright's.
        address: The page.
        scheme: ``light`` or ``dark``.
        path: The picture.
    """
    page = browser.new_page(viewport=SIZE, color_scheme=scheme, device_scale_factor=1.5)
    page.goto(f"{address}?framework=jax")
    first, last = (page.locator(selector).bounding_box() for selector in PART)
    clip = {
        "x": last["x"] - FRAME,
        "y": first["y"] - FRAME,
        "width": last["width"] + 2 * FRAME,
        "height": last["y"] + last["height"] - first["y"] + 2 * FRAME,
    }
    page.screenshot(path=path, clip=clip, full_page=True)
    print(f"{path.name}: {path.stat().st_size // 1000} kB")
    page.close()


if __name__ == "__main__":
    main()
