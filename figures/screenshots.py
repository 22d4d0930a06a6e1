"""Takes the two pictures of a page that README.md shows: light, and live in dark.

Run by hand after a change of the page's looks; nothing else depends on it::

    make book kernels
    .envs/test/bin/python -m figures.screenshots

It needs the `test` environment, the JAX kernel and Chromium (``apt-get install
chromium``). The pictures depend on the fonts of the machine, so no test
compares them.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGINT

FOLDER = Path(__file__).parent
BOOK = FOLDER.parent / "_build" / "html"
PAGE = "chapters/reproducibility/seeds.html?framework=jax"
PART = ("#a-seed-fixes-the-sequence > h2", "#a-seed-fixes-the-sequence")
CELL = ".book-cell[data-framework=jax][data-step=sequence]"
SIZE = {"width": 820, "height": 900}
FRAME = 20
"""Pixels around the part of the page that is shown."""


def main() -> None:
    """Writes ``page-light.png`` and ``page-dark.png`` into this folder."""
    # Not at the top: drawing the figures needs no browser.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, serve() as address:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--headless", "--no-sandbox"],
        )
        page = open_page(browser, f"{BOOK.as_uri()}/{PAGE}", "light")
        take_picture(page, FOLDER / "page-light.png")
        home, token = address.split("?", 1)
        page = open_page(browser, f"{home}{PAGE}&{token}", "dark")
        page.locator(f"{CELL} [data-action=run]").click()
        page.locator(f"{CELL} .live-verdict:has-text('as recorded')").wait_for()
        take_picture(page, FOLDER / "page-dark.png")
        browser.close()


@contextmanager
def serve() -> Iterator[str]:
    """A live server over the built book; gives its address with the token."""
    command = [sys.executable, "-P", "-m", "d2l_support.build.cli", "live", "--port=0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield re.search(r"http://\S+token=\w+", process.stdout.readline())[0]
        finally:
            process.send_signal(SIGINT)


def open_page(browser, address: str, scheme: str):
    """A page in a window of its own; ``scheme`` is "light" or "dark"."""
    page = browser.new_page(viewport=SIZE, color_scheme=scheme, device_scale_factor=1.5)
    page.set_default_timeout(120_000)
    page.goto(address)
    return page


def take_picture(page, path: Path) -> None:
    """Writes a picture of one part of a page."""
    first, last = (page.locator(selector).bounding_box() for selector in PART)
    clip = {
        "x": last["x"] - FRAME,
        "y": page.evaluate("window.scrollY") + first["y"] - FRAME,
        "width": last["width"] + 2 * FRAME,
        "height": last["y"] + last["height"] - first["y"] + 2 * FRAME,
    }
    page.screenshot(path=path, clip=clip, full_page=True)
    print(f"{path.name}: {path.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
