"""The sub-command ``gpu``."""

import sys
from argparse import Namespace
from pathlib import Path

from rich.console import Console

from d2l_support.build.execute import Execution
from d2l_support.build.gpu.kernels import write_kernelspecs
from d2l_support.build.gpu.probe import Device, probe_devices
from d2l_support.build.gpu.report import print_report, write_reports
from d2l_support.build.gpu.verdicts import Verdict, fail, judge, read_reference
from d2l_support.build.layout import Book, select_frameworks
from d2l_support.build.locks import hold_lock
from d2l_support.build.plan import Run, execute_runs, plan_runs
from d2l_support.build.printing import print_plain
from d2l_support.build.problems import ContentError
from d2l_support.build.record import write_record

NO_GPU = 3
"""The exit code of a machine without a GPU."""


def run_gpu(
    arguments: Namespace, book: Book, console: Console, record: bool = False
) -> int:
    """Runs on the GPU what sees one and compares; 3 where nothing does."""
    # One kernel at a time: the device's memory is not shared.
    arguments = Namespace(**{**vars(arguments), "jobs": 1})
    with hold_lock(book, "gpu", "run on the GPU at work"):
        return _run(arguments, book, console, record)


def _run(arguments: Namespace, book: Book, console: Console, record: bool) -> int:
    python = Path(arguments.python or sys.executable)
    frameworks = select_frameworks(arguments.framework)
    devices = probe_devices(python, book, frameworks)
    seeing = [device.framework for device in devices if device.name]
    runs = plan_runs(arguments, book)
    if not seeing:
        return _say_no_gpu(console, devices, runs)
    runs = [run for run in runs if run.framework in seeing]
    kernels = write_kernelspecs(python, book, seeing)
    verdicts: list[Verdict] = []

    def receive(run: Run, execution: Execution) -> None:
        try:
            fresh = run.to_record(book, execution)
            if record:
                path = book.record(run.name, run.framework, "gpu")
                write_record(path, fresh)
                print_plain(console, f"recorded {book.relative(path)}")
            verdicts.extend(judge(run, *read_reference(book, run), fresh))
        except (ContentError, FileNotFoundError) as error:
            verdicts.append(fail(run, str(error)))

    def receive_failed(run: Run, execution: Execution) -> None:
        verdicts.append(fail(run, str(execution.problem)))

    execute_runs(
        arguments, book, console, runs, receive, kernels, receive_failed=receive_failed
    )
    print_report(console, devices, verdicts)
    for path in write_reports(Path(arguments.report), devices, verdicts):
        print_plain(console, f"wrote {path}")
    return 0 if all(verdict.is_good for verdict in verdicts) else 1


def _say_no_gpu(console: Console, devices: list[Device], runs: list[Run]) -> int:
    console.print("found no GPU on this machine; nothing was run", highlight=False)
    for device in devices:
        print_plain(console, f"  {device}")
    console.print("With a GPU that these frameworks see, it would run:")
    for name in dict.fromkeys(run.name for run in runs):
        keys = ", ".join(run.framework for run in runs if run.name == name)
        console.print(f"  {name} ({keys})", markup=False, highlight=False)
    return NO_GPU
