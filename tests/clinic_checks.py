"""The checks that the clinic hands out, run on the faulty and on the mended code of their pages.

Run with PyTorch, it writes what the checks in PyTorch said, so that the normal suite, which has no
PyTorch, can tell whether a page has changed since:

    python -m tests.clinic_checks
"""

import contextlib
import inspect
import io
import json
import re
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np

PAGES = sorted((Path(__file__).parents[1] / "docs/practice/clinic").glob("*.md"))
RECORD = Path(__file__).with_name("clinic_checks.json")
NUMPY, TORCH = "python", "py"


def blocks(path, language):
    """The code of a page in a language, in order; PyTorch's environment lacks the site's reader."""
    fence = re.compile(rf"^```{language}( [^\n]*)?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    return [found[2] for found in fence.finditer(path.read_text("utf-8"))]


def named(path, language, **given):
    """The names that a page's blocks make, each block run by itself; a later one wins."""
    names = {}
    for source in blocks(path, language):
        space = dict(given, __name__="a_block")
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, f"{path.name} ({language})", "exec"), space)
        names |= {name: value for name, value in space.items() if name not in given}
    return names


def check_of(names):
    """The one check of a page, by the name that every check has."""
    [check] = [value for name, value in names.items() if name.startswith("check_")]
    return check


def parameters(code):
    return list(inspect.signature(code).parameters)


def is_caught(check, code):
    """Whether the check fails for this code. Only a failed assertion counts."""
    try:
        check(code)
    except AssertionError:
        return True
    return False


def in_torch(code):
    """The same function for tensors: NumPy code that a check in PyTorch can call."""
    import torch

    def to_numpy(value):
        if isinstance(value, torch.Tensor):
            return value.detach().numpy()
        return [*map(to_numpy, value)] if isinstance(value, list | tuple) else value

    def to_torch(value):
        if isinstance(value, tuple | list):
            return type(value)(map(to_torch, value))
        return torch.from_numpy(np.ascontiguousarray(value)) if np.ndim(value) else value

    def called(*args, **kwargs):
        named = {name: to_numpy(value) for name, value in kwargs.items()}
        return to_torch(code(*map(to_numpy, args), **named))

    return called


def fingerprint(path):
    """Of all code of a page: the check in PyTorch is run on the functions in NumPy."""
    code = "\0".join([*blocks(path, NUMPY), "\0", *blocks(path, TORCH)])
    return sha256(code.encode()).hexdigest()


def record(path):
    """What the check in PyTorch says of both; a page may bring either in PyTorch itself."""
    ours = named(path, NUMPY)
    theirs = named(path, TORCH)
    check = check_of(theirs)
    return {
        "code": fingerprint(path),
        "faulty is caught": is_caught(check, theirs.get("faulty") or in_torch(ours["faulty"])),
        "mended is caught": is_caught(check, theirs.get("mended") or in_torch(ours["mended"])),
    }


def main(names):
    import torch

    known = json.loads(RECORD.read_text("utf-8"))["pages"] if RECORD.exists() else {}
    for path in PAGES:
        if names and path.stem not in names:
            continue
        known[path.stem] = record(path)
        print(path.stem, *list(known[path.stem].values())[1:])
    there = {path.stem for path in PAGES}
    content = {
        "made with": f"torch {torch.__version__.partition('+')[0]}",
        "pages": {name: known[name] for name in sorted(known) if name in there},
    }
    RECORD.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
