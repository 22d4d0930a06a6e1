"""The workflows: pinned actions, least permissions, targets that exist."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MAY_WRITE = {"deploy": {"pages", "id-token"}, "report": {"issues"}}
"""Jobs that may write, and what."""


@pytest.fixture(params=WORKFLOWS, ids=lambda path: path.stem)
def workflow(request) -> dict:
    return yaml.safe_load(request.param.read_text(encoding="utf-8"))


def steps_of(workflow: dict) -> list[tuple[str, dict]]:
    """Every step with its job's name."""
    jobs = workflow["jobs"].items()
    return [(name, step) for name, job in jobs for step in job["steps"]]


def test_there_are_workflows_for_all_that_runs_by_itself():
    assert {path.stem for path in WORKFLOWS} == {
        "test",
        "nightly",
        "pages",
        "gpu",
        "drift",
    }


def test_every_action_is_pinned_to_a_commit(workflow):
    used = [step["uses"] for _, step in steps_of(workflow) if "uses" in step]
    assert all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", name) for name in used)


def test_a_workflow_may_only_read_unless_a_job_says_otherwise(workflow):
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        granted = job.get("permissions", {})
        written = {what for what, access in granted.items() if access == "write"}
        assert written == MAY_WRITE.get(name, set())


def test_a_job_that_may_write_runs_nothing_of_the_repository(workflow):
    for name, step in steps_of(workflow):
        if name in MAY_WRITE:
            assert "checkout" not in step.get("uses", "")
            assert not re.search(r"\bmake\b|\.ci/", step.get("run", ""))


def test_a_checkout_keeps_no_credentials(workflow):
    for _, step in steps_of(workflow):
        if "actions/checkout" in step.get("uses", ""):
            assert step["with"]["persist-credentials"] is False


def test_what_a_workflow_calls_exists(workflow):
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for _, step in steps_of(workflow):
        script = step.get("run", "")
        assert set(re.findall(r"\bmake ([\w-]+)", script)) <= set(targets)
        for path in re.findall(r"\.ci/\w+", script):
            assert (ROOT / path).stat().st_mode & 0o111
