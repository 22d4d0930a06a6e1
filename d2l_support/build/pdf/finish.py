"""Writes into a print what it is: title, author, language, days."""

from datetime import UTC, datetime, time
from pathlib import Path

from pypdf import PdfWriter
from pypdf.generic import NameObject

from d2l_support.build.pdf.edition import Edition


def write_facts(pdf: Path, edition: Edition, printer: str) -> None:
    """Writes the facts of an edition into its file.

    The day in it is that of the last verification, not that of printing:
    the same book printed twice says the same.

    Args:
        pdf: A printed file; it is changed.
        edition: What it is.
        printer: The browser that printed it.
    """
    writer = PdfWriter(clone_from=pdf)
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
    writer.add_metadata(facts)
    writer.page_mode = "/UseOutlines"
    writer.create_viewer_preferences().display_doctitle = True
    writer.root_object[NameObject("/Lang")] = writer.root_object["/Lang"]
    writer.write(pdf)
