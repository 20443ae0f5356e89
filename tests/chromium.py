"""The Chromium that the browser tests drive: the one that is here, else one that is fetched.

`python -m tests.chromium` prints its path, and says on the way what it downloads or installs. The
order is fixed: the one named in POSENC_CHROMIUM and no other; the usual names; Playwright's own;
Playwright's download; as root, the package of the distribution. A test never goes without.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

VARIABLE = "POSENC_CHROMIUM"
NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
# The sandbox cannot be had as root in a container; the browser opens nothing but our own pages.
# The rest keeps it quiet: whatever it would ask the network of its own accord is off.
ARGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NONE_HERE = (
    "The browser tests need Chromium and none could be found or installed here: install it "
    f"(on Debian, as root: apt-get install chromium) or set {VARIABLE} to the path of one"
)


class NoChromium(RuntimeError):
    """No Chromium can be had; the message is one sentence that says what to do."""


def find_chromium() -> Path:
    """Path of a Chromium that starts; fetched first if there is none on this machine."""
    named = os.environ.get(VARIABLE)
    if named:
        path = usable(named)
        if path is None:
            raise NoChromium(f"{VARIABLE} is {named!r}, which does not start as a Chromium")
        return path
    for way in (on_path, playwrights_own, downloaded, packaged):
        path = way()
        if path is not None:
            return path
    raise NoChromium(NONE_HERE)


def usable(name: str) -> Path | None:
    """The program of this name or path, if it can say its version.

    Being there is not enough: some distributions put a script in its place that only tells the
    reader what to install.
    """
    path = shutil.which(name)
    return Path(path) if path and succeeds(path, "--version", timeout=60) else None


def on_path() -> Path | None:
    return next(filter(None, map(usable, NAMES)), None)


def playwrights_own() -> Path | None:
    return usable(playwrights_path())


def playwrights_path() -> str:
    """Where Playwright would keep its own, there or not.

    Asked in another process: Playwright cannot be started twice in one, and the caller may have.
    """
    code = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as p: print(p.chromium.executable_path)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return answer.stdout.strip()


def downloaded() -> Path | None:
    say("No Chromium here: downloading Playwright's (about 150 MB) ...")
    install = (sys.executable, "-m", "playwright", "install", "--no-shell", "chromium")
    # A limit on silence, not on the whole download: it gives up soon only where nothing answers.
    patience = {"PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "10000"}
    if not succeeds(*install, env=os.environ | patience):
        say("Playwright's Chromium could not be downloaded.")
        return None
    return playwrights_own()


def packaged() -> Path | None:
    if not may_install_packages():
        return None
    say("Installing this distribution's chromium package, as root, with apt-get ...")
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    succeeds("apt-get", "update", env=quiet)  # where it fails, the lists of last time may do
    succeeds("apt-get", "install", "-y", "--no-install-recommends", "chromium", env=quiet)
    return on_path()


def may_install_packages() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get") is not None


def succeeds(
    *command: str, timeout: float | None = None, env: dict[str, str] | None = None
) -> bool:
    """Run it without a word: what it prints matters to no one, only whether it worked."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=timeout,
            env=env,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def say(sentence: str) -> None:
    """On standard error, since standard output is the path."""
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        print(find_chromium())
    except NoChromium as reason:
        sys.exit(f"{reason}.")
