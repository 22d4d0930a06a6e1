"""Lighthouse on a section: a telephone, a slow network, a cold cache.

Its network and processor are simulated from what the page did on this machine.
Other work on the machine can only lower a score, so the best of a few runs counts.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

PAGE = "chapters/reproducibility/seeds.html"
LEAST = {"performance": 0.95, "accessibility": 1.0, "best-practices": 0.95}
MOST_RUNS = 6
MEASURED = (
    "first-contentful-paint",
    "largest-contentful-paint",
    "total-blocking-time",
    "cumulative-layout-shift",
    "speed-index",
)


@pytest.fixture(scope="module")
def reports(node, page_tools: Path, packed_book: str, find_browser, browser_arguments):
    """What Lighthouse says, run by run."""
    command = [
        *(node.program, page_tools / "lighthouse/cli/index.js"),
        *(f"{packed_book}/{PAGE}", "--output=json", "--quiet"),
        *("--form-factor=mobile", "--throttling-method=simulate"),
        f"--only-categories={','.join(LEAST)}",
        f"--chrome-flags={' '.join(browser_arguments)}",
    ]
    environment = os.environ | {"CHROME_PATH": find_browser()}
    found = []
    for _ in range(MOST_RUNS):
        done = subprocess.run(
            [str(part) for part in command],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
        if all(best(found, category) >= least for category, least in LEAST.items()):
            break
    return found


def best(reports: list[dict], category: str) -> float:
    """The highest score of a category."""
    return max(score(report, category) for report in reports)


def score(report: dict, category: str) -> float:
    """A category's score, from 0 to 1."""
    return report["categories"][category]["score"]


def list_faults(report: dict, category: str) -> list[str]:
    """The audits of a category that a page does not pass."""
    names = [one["id"] for one in report["categories"][category]["auditRefs"]]
    audits = [report["audits"][name] for name in names]
    return [
        one["title"]
        for one in audits
        if (one["score"] or 0) < 1 and one["scoreDisplayMode"] in ("binary", "numeric")
    ]


def test_lighthouse_scores_the_page_high(reports):
    for report in reports:
        audits = report["audits"]
        requests = [
            one
            for one in audits["network-requests"]["details"]["items"]
            if one["url"].startswith("http")
        ]
        size = sum(one["transferSize"] for one in requests)
        scores = {name: round(100 * score(report, name)) for name in LEAST}
        times = {name: audits[name]["displayValue"] for name in MEASURED}
        print(f"\n{scores}, {size / 1000:.0f} KB in {len(requests)} requests, {times}")
    for category, least in LEAST.items():
        faults = list_faults(reports[-1], category)
        assert best(reports, category) >= least, faults
