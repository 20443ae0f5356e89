"""Record the golden values, or check that those committed are what is recorded today.

    python -m tests.record [--check] [NAME ...]

Each module beside this one has a function `cases()` that runs released code and yields what went
in and what came out. It becomes `tests/golden/NAME.json`.
"""

import argparse
import difflib
import importlib
import math
import sys
from importlib.metadata import version
from pathlib import Path

from tests.record.form import dumped, loaded

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "golden"
NAMES = sorted(path.stem for path in HERE.glob("[!_]*.py") if path.stem != "form")


def recorded(name):
    module = importlib.import_module(f"tests.record.{name}")
    cases = list(module.cases())
    names = [case["name"] for case in cases]
    assert len(set(names)) == len(names), f"{name}: two cases of one name"
    versions = {library: version(library) for library in sorted(module.LIBRARIES)}
    return {"about": " ".join(module.__doc__.split()), "versions": versions, "cases": cases}


def same(committed, today):
    """Equal, but for the last digits of floats, which depend on the processor's kernels."""
    if isinstance(today, float) and isinstance(committed, float):
        return math.isclose(committed, today, rel_tol=1e-5, abs_tol=1e-8)
    if isinstance(today, list) and isinstance(committed, list):
        return len(today) == len(committed) and all(map(same, committed, today))
    if isinstance(today, dict) and isinstance(committed, dict):
        return list(today) == list(committed) and all(same(committed[k], today[k]) for k in today)
    return type(today) is type(committed) and today == committed


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.record", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(NAMES):
        parser.error(f"no such record: {', '.join(sorted(unknown))}")

    differing = []
    for name in arguments.names or NAMES:
        path = GOLDEN / f"{name}.json"
        today = dumped(recorded(name))
        if not arguments.check:
            path.write_text(today, encoding="utf-8")
            print(f"{path.name}: {len(today) / 1000:.0f} kB")
        elif not same(loaded(path.read_text(encoding="utf-8")), loaded(today)):
            differing.append(name)
            lines = (path.read_text(encoding="utf-8").splitlines(), today.splitlines())
            print(*(line[:200] for line in difflib.unified_diff(*lines, n=0)), sep="\n")
    if differing:
        sys.exit(f"committed and recorded differ: {', '.join(differing)}")


if __name__ == "__main__":
    main()
