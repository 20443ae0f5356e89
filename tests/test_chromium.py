"""Where the browser comes from: the order of the ways to it, on machines that are made up."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import chromium

OWN = "/cache/playwright/chrome"


class Machine:
    """What is installed, what can be fetched, and the commands that were run, in order."""

    def __init__(self):
        self.works = set()
        self.only_there = set()
        self.can_download = self.has_package = self.may_install = False
        self.log = []

    def which(self, name):
        return name if name in self.works | self.only_there else None

    def succeeds(self, program, *arguments, **_):
        self.log.append(" ".join(["python" if program == sys.executable else program, *arguments]))
        if arguments == ("--version",):
            return program in self.works
        if "playwright" in arguments:
            self.works |= {OWN} if self.can_download else set()
            return self.can_download
        self.works |= {"chromium"} if self.has_package and "install" in arguments else set()
        return self.has_package

    @property
    def fetched(self):
        return [line for line in self.log if not line.endswith("--version")]


@pytest.fixture
def machine(monkeypatch):
    machine = Machine()
    monkeypatch.delenv(chromium.VARIABLE, raising=False)
    monkeypatch.setattr(shutil, "which", machine.which)
    monkeypatch.setattr(chromium, "succeeds", machine.succeeds)
    monkeypatch.setattr(chromium, "playwrights_path", lambda: OWN)
    monkeypatch.setattr(chromium, "may_install_packages", lambda: machine.may_install)
    return machine


def test_the_named_one_comes_before_all_others(machine, monkeypatch):
    machine.works = {"/opt/mine", "chromium", OWN}
    monkeypatch.setenv(chromium.VARIABLE, "/opt/mine")

    assert chromium.find_chromium() == Path("/opt/mine")


@pytest.mark.parametrize("there", [set(), {"/opt/mine"}], ids=["absent", "does not start"])
def test_a_named_one_that_is_unusable_is_an_error_even_if_there_are_others(
    machine, monkeypatch, there
):
    machine.works, machine.only_there = {"chromium", OWN}, there
    monkeypatch.setenv(chromium.VARIABLE, "/opt/mine")

    with pytest.raises(chromium.NoChromium, match="POSENC_CHROMIUM is '/opt/mine', which does not"):
        chromium.find_chromium()


def test_an_empty_variable_names_nothing(machine, monkeypatch):
    machine.works = {"chromium"}
    monkeypatch.setenv(chromium.VARIABLE, "")

    assert chromium.find_chromium() == Path("chromium")


def test_the_usual_names_come_before_playwrights_own(machine):
    machine.works = {OWN, "google-chrome-stable", "google-chrome"}

    assert chromium.find_chromium() == Path("google-chrome")
    assert machine.fetched == []


def test_a_script_that_stands_in_for_the_browser_is_passed_over(machine):
    machine.works, machine.only_there = {"google-chrome"}, {"chromium-browser"}

    assert chromium.find_chromium() == Path("google-chrome")


def test_playwrights_own_is_used_without_a_download(machine):
    machine.works, machine.can_download = {OWN}, True

    assert chromium.find_chromium() == Path(OWN)
    assert machine.fetched == []


def test_a_download_comes_before_the_package(machine, capsys):
    machine.can_download = machine.has_package = machine.may_install = True

    assert chromium.find_chromium() == Path(OWN)
    assert machine.fetched == ["python -m playwright install --no-shell chromium"]
    assert "downloading Playwright's" in capsys.readouterr().err


def test_the_package_is_the_last_way_and_is_announced(machine, capsys):
    machine.has_package = machine.may_install = True

    assert chromium.find_chromium() == Path("chromium")
    assert machine.fetched[1:] == [
        "apt-get update",
        "apt-get install -y --no-install-recommends chromium",
    ]
    assert "as root, with apt-get" in capsys.readouterr().err


def test_a_download_that_does_not_start_gives_way_to_the_package(machine, monkeypatch):
    """As in a bare container, which lacks the libraries that the download needs."""
    machine.can_download = machine.has_package = machine.may_install = True
    monkeypatch.setattr(chromium, "playwrights_path", lambda: "/cache/lacks/libraries")

    assert chromium.find_chromium() == Path("chromium")


def test_no_package_is_installed_without_the_right_to(machine):
    machine.has_package = True

    with pytest.raises(chromium.NoChromium):
        chromium.find_chromium()
    assert not any("apt-get" in line for line in machine.log)


def test_where_none_can_be_had_one_sentence_says_what_to_do(machine):
    machine.may_install = True

    with pytest.raises(chromium.NoChromium) as caught:
        chromium.find_chromium()

    sentence = str(caught.value)
    assert "\n" not in sentence
    assert "apt-get install chromium" in sentence
    assert chromium.VARIABLE in sentence


def test_only_root_may_install(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)

    assert not chromium.may_install_packages()


def test_as_a_command_it_prints_the_path_alone(tmp_path):
    fake = tmp_path / "a browser"
    fake.write_text("#!/bin/sh\necho Chromium 1.0; echo noise >&2\n")
    fake.chmod(0o755)

    done = command(POSENC_CHROMIUM=str(fake))

    assert (done.stdout, done.stderr, done.returncode) == (f"{fake}\n", "", 0)


def test_as_a_command_it_ends_with_the_sentence(tmp_path):
    done = command(POSENC_CHROMIUM=str(tmp_path / "none"))

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == (
        f"POSENC_CHROMIUM is '{tmp_path / 'none'}', which does not start as a Chromium.\n"
    )


def command(**variables):
    return subprocess.run(
        [sys.executable, "-m", "tests.chromium"],
        cwd=Path(__file__).parents[1],
        env=os.environ | variables,
        capture_output=True,
        text=True,
    )
