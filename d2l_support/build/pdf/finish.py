"""Writes into a print what it is, and packs it."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, time
from pathlib import Path

import pikepdf

from d2l_support.build.pdf.edition import Edition


def finish_print(
    pdf: Path, edition: Edition, printer: str, path: Path, titles: Iterable[str] = ()
) -> None:
    """Writes a print with its facts, packed to a third of its size.

    The day in it is that of the last verification, not that of printing:
    the same book printed twice says the same.

    Args:
        pdf: What the browser printed.
        edition: What it is.
        printer: The browser that printed it.
        path: The file to write.
        titles: All titles: of one in two lines, Chromium's bookmark lacks a space.
    """
    kind = "with solutions" if edition.solutions else "without solutions"
    facts = {
        "/Title": f"{edition.title}: {edition.label}",
        "/Author": edition.authors,
        "/Subject": f"{edition.label} edition, {kind}, version {edition.version}",
        "/Keywords": ", ".join(edition.versions),
        "/Creator": printer,
    }
    if edition.last:
        noon = datetime.combine(edition.last, time(12), UTC)
        stamp = f"D:{noon:%Y%m%d%H%M%S}Z"
        facts |= {"/CreationDate": stamp, "/ModDate": stamp}
    with pikepdf.open(pdf) as print_:
        for name, value in facts.items():
            print_.docinfo[name] = value
        whole = {squeeze(title): title for title in titles}
        with print_.open_outline() as outline:
            _mend_bookmarks(outline.root, whole)
        print_.Root.PageMode = pikepdf.Name.UseOutlines
        print_.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
        print_.save(
            path,
            deterministic_id=True,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
        )


def squeeze(text: str) -> str:
    """A text without its spaces and hyphens: those are the printer's."""
    return "".join(text.split()).replace("-", "").replace("\u00ad", "")


def _mend_bookmarks(
    items: Iterable[pikepdf.OutlineItem], whole: Mapping[str, str]
) -> None:
    for item in items:
        item.title = whole.get(squeeze(item.title), item.title)
        _mend_bookmarks(item.children, whole)
