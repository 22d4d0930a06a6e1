"""Draws every figure of the book into this folder."""

import argparse
import importlib
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = (
    "backward",
    "buffers",
    "contagion",
    "estimator",
    "fading",
    "fork",
    "grouping",
    "hooks",
    "noise",
    "randomness",
    "registration",
    "resumption",
    "spectrum",
    "streams",
)


def main() -> int:
    """Writes the figures, or with ``--check`` names those that would change."""
    parser = argparse.ArgumentParser(prog="python -m figures", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    changed = []
    for name in NAMES:
        svg = importlib.import_module(f"figures.{name}").draw()
        path = FOLDER / f"{name}.svg"
        if not path.exists() or path.read_text(encoding="utf-8") != svg:
            changed.append(path.name)
            if not check:
                path.write_text(svg, encoding="utf-8")
    print(f"{'would change' if check else 'drawn'}: {', '.join(changed) or 'nothing'}")
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
