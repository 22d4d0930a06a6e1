"""Prints a document with a headless Chromium that stays on this machine."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from d2l_support.build.problems import CannotWork

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
FOREIGN = re.compile(r"^(?!file:|data:)")
"""Addresses that a document may not ask for."""

WIDTH = 643
"""Pixels of CSS between the margins of the paper: 170 mm."""

PATIENCE = 10 * 60 * 1000
"""Milliseconds for a print. Several hundred pages take one or two minutes."""

WIDE = """
() => [...document.querySelectorAll("main pre, main table, main img, main svg")]
  .filter((element) => {
    const {left, right} = element.getBoundingClientRect();
    const inside = element.matches("pre") &&
      element.scrollWidth > element.clientWidth;
    return inside || right > document.body.clientWidth + 1 || left < -1;
  })
  .map((element) => (element.closest("[id]")?.id ?? "") + ": "
    + element.tagName.toLowerCase() + " " + element.textContent.trim().slice(0, 60))
"""


@dataclass
class Printer:
    """A running browser.

    Attributes:
        name: It with its version, such as ``Chromium 140.0``.
    """

    name: str
    _browser: "Browser"

    def print(self, document: Path, pdf: Path) -> list[str]:
        """Prints a document and measures it.

        Args:
            document: An HTML file.
            pdf: The file to write.

        Returns:
            What does not fit between the margins.
        """
        page = self._browser.new_page(viewport={"width": WIDTH, "height": 900})
        page.set_default_timeout(PATIENCE)
        page.route(FOREIGN, lambda route: route.abort())
        page.emulate_media(media="print", color_scheme="light")
        page.goto(document.as_uri(), wait_until="load")
        wide = page.evaluate(WIDE)
        _print(page, pdf)
        page.close()
        return wide


def _print(page: "Page", pdf: Path) -> None:
    page.pdf(path=pdf, prefer_css_page_size=True, tagged=True, outline=True)


def find_chromium() -> str:
    """The path of a Chromium: ``CHROMIUM`` names one, or the machine has it.

    Raises:
        CannotWork: There is none.
    """
    found = (os.environ.get("CHROMIUM"), *map(shutil.which, BROWSERS))
    path = next(filter(None, found), None)
    if path is None or not Path(path).exists():
        raise CannotWork(
            f"found no browser {path or 'among ' + ', '.join(BROWSERS)}, expected one "
            "that prints. Run: apt-get install chromium, or set CHROMIUM to the path "
            "of one"
        )
    return path


@contextmanager
def open_printer() -> Iterator[Printer]:
    """A Chromium for as long as the block runs.

    Raises:
        CannotWork: There is no Chromium, it does not start, or nothing drives it.
    """
    path = find_chromium()
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError as error:
        raise CannotWork(
            "found no playwright, expected the environment that prints. Run: make pdf"
        ) from error
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path=path, args=[*ARGUMENTS]
            )
        except Error as error:
            first = str(error).splitlines()[0]
            raise CannotWork(
                f"found that {path} does not start ({first}), expected a Chromium"
            ) from error
        try:
            yield Printer(f"Chromium {browser.version.partition('.')[0]}", browser)
        finally:
            browser.close()
