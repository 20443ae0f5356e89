"""Things that take long to make are kept on disk under a key of all that they were made from."""

import os
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[2]
# The tests build a second time with a cache of their own, to hold this one to the truth.
CACHE = Path(os.environ.get("POSENC_CACHE", ROOT / ".cache"))
FOLDER = CACHE / "site"


def fingerprint(paths: Iterable[Path]) -> str:
    """One hash of the names and contents of some files."""
    digest = sha256()
    for path in sorted(paths):
        digest.update(f"{path.name}\0".encode())
        digest.update(path.read_bytes())
        digest.update(b"\0")
    return digest.hexdigest()


def package_fingerprint() -> str:
    """Changes with any line of the package and any version of a tool: all rests on these."""
    return fingerprint([ROOT / "constraints.txt", *(ROOT / "posenc_ref").rglob("*.py")])


def cached(key: str, make: Callable[[], bytes]) -> bytes:
    """What `make` returned the first time that it was asked for under this key."""
    path = FOLDER / sha256(key.encode()).hexdigest()
    if path.exists():
        return path.read_bytes()
    content = make()
    FOLDER.mkdir(parents=True, exist_ok=True)
    # Two builds may run at once; a rename is whole or not there.
    unfinished = path.with_suffix(f".{os.getpid()}")
    unfinished.write_bytes(content)
    unfinished.replace(path)
    return content
