"""What came out on the GPU, for people, for a browser and for a runner."""

import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.gpu.probe import Device
from d2l_support.build.gpu.verdicts import DIFFERS, FAILED, SKIPPED, Verdict
from d2l_support.build.printing import print_plain


def print_report(
    console: Console, devices: list[Device], verdicts: list[Verdict]
) -> None:
    """Prints who sees a GPU, a line a notebook, and each cell that is not good."""
    for device in devices:
        print_plain(console, device)
    table = Table(
        "section", "framework", "against", "agrees", "not compared", "differs"
    )
    for section, framework in dict.fromkeys((v.section, v.framework) for v in verdicts):
        own = [v for v in verdicts if (v.section, v.framework) == (section, framework)]
        count = Counter(verdict.outcome for verdict in own)
        bad = count[DIFFERS] + count[FAILED]
        numbers = (count["agrees"], count[SKIPPED], bad)
        label = FRAMEWORKS[framework].label
        table.add_row(section, label, own[0].against, *map(str, numbers))
    console.print(table)
    for verdict in verdicts:
        if not verdict.is_good:
            text = f"{_name(verdict)}: {verdict.outcome}, {verdict.detail}"
            print_plain(console, text)


def write_reports(
    folder: Path, devices: list[Device], verdicts: list[Verdict]
) -> list[Path]:
    """Writes ``report.txt``, ``report.html`` and ``junit.xml``; returns them."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in ("report.txt", "report.html", "junit.xml")]
    with paths[0].open("w", encoding="utf-8") as file:
        console = Console(file=file, record=True, width=100)
        print_report(console, devices, verdicts)
    paths[1].write_text(console.export_html(), encoding="utf-8")
    tree = ET.ElementTree(build_junit(devices, verdicts))
    tree.write(paths[2], encoding="utf-8", xml_declaration=True)
    return paths


def build_junit(devices: list[Device], verdicts: list[Verdict]) -> ET.Element:
    """JUnit's tree: a suite for each framework, a case for each cell."""
    root = ET.Element("testsuites")
    for device in devices:
        own = [verdict for verdict in verdicts if verdict.framework == device.framework]
        suite = ET.SubElement(root, "testsuite", name=str(device))
        if not own:
            case = ET.SubElement(suite, "testcase", name=device.framework)
            ET.SubElement(case, "skipped", message=device.reason or "nothing to run")
        for verdict in own:
            _add_case(suite, verdict)
        counts = {
            "tests": len(own) or 1,
            "failures": sum(verdict.outcome == DIFFERS for verdict in own),
            "errors": sum(verdict.outcome == FAILED for verdict in own),
            "skipped": sum(verdict.outcome == SKIPPED for verdict in own) + (not own),
        }
        suite.attrib.update({name: str(count) for name, count in counts.items()})
    return root


def _add_case(suite: ET.Element, verdict: Verdict) -> None:
    place = f"{verdict.section}.{verdict.framework}"
    case = ET.SubElement(suite, "testcase", classname=place, name=verdict.cell or "run")
    tag = {DIFFERS: "failure", FAILED: "error", SKIPPED: "skipped"}.get(verdict.outcome)
    if tag:
        first = verdict.detail.partition("\n")[0]
        ET.SubElement(case, tag, message=first).text = verdict.detail


def _name(verdict: Verdict) -> str:
    cell = f": cell {verdict.cell!r}" if verdict.cell else ""
    return f"{verdict.section}{cell} ({verdict.framework})"
