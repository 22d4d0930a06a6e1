"""Makes the virtual environment and the kernelspec of a framework.

Both live inside the checkout. An environment is complete once its stamp holds
the digest of the pins that it was installed from; the stamp is written last.
"""

import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

from d2l_support.build.digests import digest_requirements
from d2l_support.build.frameworks import ENVIRONMENTS
from d2l_support.build.layout import Book
from d2l_support.build.problems import CannotWork

STAMP = "requirements-digest"

UNREACHABLE = (
    "NewConnectionError",
    "ConnectTimeout",
    "ReadTimeoutError",
    "ProxyError",
    "Temporary failure",
    # All that pip says where it may not try a second time.
    "(from versions: none)",
)
"""Signs of a registry out of reach in what pip prints."""

KERNEL_VARIABLES = {
    "pytorch": {},
    "tensorflow": {"TF_CPP_MIN_LOG_LEVEL": "3"},
    "jax": {
        # Compilation is most of a JAX notebook's time; equal bits, 9 s to 2 s.
        "JAX_COMPILATION_CACHE_DIR": "{cache}/jax",
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    },
    "mxnet": {},
}
KERNEL_VARIABLES["jax-next"] = KERNEL_VARIABLES["jax"]


def environment_folder(book: Book, framework: str) -> Path:
    """The folder of a framework's virtual environment."""
    return book.environments / framework


def environment_python(book: Book, framework: str) -> Path:
    """The interpreter of a framework's environment."""
    return environment_folder(book, framework) / "bin" / "python"


def kernelspec_folder(book: Book, framework: str) -> Path:
    """The folder of a framework's kernelspec."""
    return book.jupyter / "kernels" / ENVIRONMENTS[framework].kernel


def is_installed(book: Book, framework: str) -> bool:
    """Whether the packages were installed to the end, from today's pins."""
    stamp = environment_folder(book, framework) / STAMP
    digest = digest_requirements(book.requirements(framework))
    return stamp.is_file() and stamp.read_text() == digest


def is_complete(book: Book, framework: str) -> bool:
    """Whether it is installed and its kernelspec is the one that we write.

    In a checkout that was moved, the kernelspec names the old place.
    """
    spec = kernelspec_folder(book, framework) / "kernel.json"
    if not (is_installed(book, framework) and spec.is_file()):
        return False
    return spec.read_text() == build_kernelspec(book, framework)


def create_environment(
    book: Book, framework: str, report: Callable[[str], None] = lambda line: None
) -> None:
    """Makes a framework's environment and kernelspec anew.

    Args:
        book: The checkout.
        framework: A framework key.
        report: Called with each line that pip prints.

    Raises:
        CannotWork: The interpreter, the disk or the network does not serve.
    """
    python = find_python(ENVIRONMENTS[framework].python)
    _require_space(book, framework)
    folder = environment_folder(book, framework)
    try:
        if folder.exists():
            report("removing the old environment")
            # First of all: what is left of a half-removed one must not count.
            (folder / STAMP).unlink(missing_ok=True)
            shutil.rmtree(folder)
        report("making a virtual environment")
        _make_folder(python, folder)
        _install(environment_python(book, framework), book, framework, report)
        link_environment(book, framework)
        digest = digest_requirements(book.requirements(framework))
        (folder / STAMP).write_text(digest)
    except (OSError, subprocess.CalledProcessError) as error:
        raise CannotWork(
            f"found that the {framework} environment cannot be made ({error}), "
            "expected room, write access and a Python with venv and ensurepip"
        ) from error


def find_python(version: tuple[int, int]) -> str:
    """An interpreter of a version: this one, or one on the path that answers.

    Raises:
        CannotWork: There is none.
    """
    found, wanted = (".".join(map(str, v)) for v in (sys.version_info[:2], version))
    if found == wanted:
        return sys.executable
    if path := shutil.which(f"python{wanted}"):
        # A version manager's stand-in may be on the path and refuse to work.
        answer = subprocess.run([path, "-c", ""], capture_output=True, check=False)
        if answer.returncode == 0:
            return path
    raise CannotWork(
        f"found Python {found}, expected {wanted}: the pins are for it. "
        f"Put python{wanted} on the path, or run: make kernels PYTHON=python{wanted}"
    )


def _make_folder(python: str, folder: Path) -> None:
    if python == sys.executable:
        venv.create(folder, with_pip=True, symlinks=True)
    else:
        command = [python, "-m", "venv", str(folder)]
        subprocess.run(command, capture_output=True, check=True)


def _require_space(book: Book, framework: str) -> None:
    needed = ENVIRONMENTS[framework].gigabytes
    free = shutil.disk_usage(book.root).free / 1e9
    if free < needed:
        raise CannotWork(
            f"found {free:.1f} GB free, expected {needed:g} GB for the "
            f"{framework} environment; make room, then run the command again"
        )


def _install(python: Path, book: Book, framework: str, report) -> None:
    requirements = book.requirements(framework)
    command = [python, "-m", "pip", "install", "--progress-bar=off", "-r", requirements]
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    lines: list[str] = []
    with subprocess.Popen(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environment,
    ) as process:
        try:
            for line in process.stdout:
                lines.append(line.rstrip())
                report(line.strip())
        except BaseException:
            # Interrupted: pip must not go on behind our back.
            process.kill()
            raise
    if process.returncode:
        raise CannotWork(f"{framework}: {explain_pip(lines)}")


def explain_pip(lines: list[str]) -> str:
    """What to do about a failed pip run, from the lines that it printed."""
    text = "\n".join(lines)
    last = next((line for line in reversed(lines) if "ERROR" in line), "no message")
    if "No space left on device" in text:
        return "pip found no space left on the disk; make room, then run it again"
    if any(sign in text for sign in UNREACHABLE):
        return (
            "pip could not reach the package registry; "
            "check the network or PIP_INDEX_URL, then run it again"
        )
    return f"pip failed ({last.strip()})"


def link_environment(book: Book, framework: str) -> None:
    """Joins an installed environment to this checkout: helpers and kernelspec."""
    folder = environment_folder(book, framework)
    for packages in folder.glob("lib/python*/site-packages"):
        (packages / "d2l-support.pth").write_text(f"{book.root}\n")
    spec = kernelspec_folder(book, framework)
    spec.mkdir(parents=True, exist_ok=True)
    (spec / "kernel.json").write_text(build_kernelspec(book, framework))


def build_kernelspec(book: Book, framework: str) -> str:
    """The text of the kernelspec that starts a framework's environment."""
    variables = {
        name: value.format(cache=book.cache)
        for name, value in KERNEL_VARIABLES[framework].items()
    }
    python = str(environment_python(book, framework))
    spec = {
        "argv": [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": f"{ENVIRONMENTS[framework].label} (book)",
        "language": "python",
        "env": variables,
    }
    return json.dumps(spec, indent=1) + "\n"
