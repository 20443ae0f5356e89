"""How many deliberate faults the tests catch, module by module (`make mutants`).

    python -m tests.mutants [MODULE ...]

mutmut changes one thing at a time in a copy of the package, and runs the tests of that module
against it. Messages are f-strings, which it leaves alone. A fault that no test notices is printed.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "posenc_ref"
FOLDER = ROOT / ".cache/mutants"
WANTED = 0.95
MODULES = sorted(path.stem for path in PACKAGE.glob("[!_]*.py") if path.stem != "kinds")
# Beside the module's own test file: turns are used by every table.
MORE_TESTS = {"turns": ["test_sinusoidal.py"]}
# mutmut's exit codes: all tests passed; no test runs that line (two codes); never run.
NOT_CAUGHT = (0, 5, 33, None)
CONFIG = """
[tool.pytest.ini_options]
pythonpath = ["."]
addopts = "-q -p no:cacheprovider --import-mode=importlib"
filterwarnings = ["error"]

[tool.mutmut]
source_paths = ["posenc_ref"]
only_mutate = ["posenc_ref/{module}.py"]
pytest_add_cli_args_test_selection = {tests}
use_git_change_detection = false
"""


def run(module):
    """Make the mutants of one module; the names of all, and of those that lived."""
    folder = FOLDER / module
    shutil.rmtree(folder, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__", "record", "conftest.py")
    shutil.copytree(PACKAGE, folder / "posenc_ref", ignore=ignored)
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=ignored)
    tests = [f"tests/{name}" for name in [f"test_{module}.py", *MORE_TESTS.get(module, [])]]
    config = CONFIG.format(module=module, tests=json.dumps(tests))
    (folder / "pyproject.toml").write_text(config, encoding="utf-8")
    mutmut(folder, "run")
    meta = folder / f"mutants/posenc_ref/{module}.py.meta"
    codes = json.loads(meta.read_text(encoding="utf-8"))["exit_code_by_key"]
    lived = [name for name, code in codes.items() if code in NOT_CAUGHT]
    return list(codes), lived


def mutmut(folder, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "mutmut", *arguments],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"mutmut {' '.join(arguments)} in {folder}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def main():
    modules = sys.argv[1:] or MODULES
    if unknown := set(modules) - set(MODULES):
        sys.exit(f"no such module: {', '.join(sorted(unknown))}; there are {', '.join(MODULES)}")
    below = []
    for module in modules:
        made, lived = run(module)
        caught = 1 - len(lived) / max(len(made), 1)
        print(f"{module}: {len(made) - len(lived)} of {len(made)} caught, {caught:.1%}", flush=True)
        for name in lived:
            lines = mutmut(FOLDER / module, "show", name).splitlines()
            changed = [
                line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")
            ]
            print(f"  {name}", *changed, sep="\n    ", flush=True)
        if caught < WANTED:
            below.append(module)
    if below:
        sys.exit(f"below {WANTED:.0%}: {', '.join(below)}")


if __name__ == "__main__":
    main()
