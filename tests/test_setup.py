"""What is said about the set-up in more than one place is the same in all of them."""

import re
import subprocess
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
MADE = {".venv", ".cache", ".git", "site", "dist", "__pycache__", "uv.lock"}
PINS = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text("utf-8").split())
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def text(name):
    return (ROOT / name).read_text("utf-8")


def our_files():
    """Every file that is, or is about to be, in git; without git, all but what is made here."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listing.returncode == 0:
        paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    else:
        paths = [p for p in ROOT.rglob("*") if not MADE & set(p.relative_to(ROOT).parts)]
    return [path for path in paths if path.is_file()]


def makefile_value(name):
    return re.search(rf"^{name} := (\S+)$", text("Makefile"), re.MULTILINE)[1]


# One list of pins.


def test_constraints_are_plain_pins_in_order():
    lines = text("constraints.txt").splitlines()

    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*==[0-9][a-z0-9.]*", line) for line in lines)
    assert lines == sorted(set(lines), key=lambda line: line.split("=="))


def test_uv_has_the_same_constraints():
    constraints = PYPROJECT["tool"]["uv"]["constraint-dependencies"]

    assert constraints == text("constraints.txt").splitlines()


def test_each_extra_is_pinned_exactly_and_as_the_constraints_are():
    extras = [r for group in PROJECT["optional-dependencies"].values() for r in group]
    pins = dict(requirement.split("==") for requirement in extras)

    assert {canonicalize_name(name): version for name, version in pins.items()}.items() <= (
        PINS.items()
    )


def test_the_build_tool_is_pinned_as_the_constraints_are():
    (requirement,) = PYPROJECT["build-system"]["requires"]
    name, version = requirement.split("==")

    assert PINS[canonicalize_name(name)] == version


def needed(requirement, seen):
    """The distributions that a requirement pulls in on this machine, itself among them."""
    for extra in requirement.extras | {""}:
        key = (canonicalize_name(requirement.name), extra)
        if key in seen:
            continue
        seen.add(key)
        for line in metadata.requires(requirement.name) or []:
            below = Requirement(line)
            if below.marker is None or below.marker.evaluate({"extra": extra}):
                needed(below, seen)
    return {name for name, _ in seen}


def test_all_that_the_project_needs_is_pinned_and_installed_at_its_pin():
    names = needed(Requirement("posenc-ref[docs,test]"), set()) - {"posenc-ref"}
    installed = {name: metadata.version(name) for name in sorted(names)}

    assert len(names) > len(PROJECT["optional-dependencies"]["docs"])
    assert installed == {name: PINS.get(name) for name in sorted(names)}


# One range of Python.


def test_the_makefile_has_the_range_of_the_project():
    versions = [
        Version(classifier.rpartition(" ")[2])
        for classifier in PROJECT["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", classifier)
    ]

    assert PROJECT["requires-python"] == f">={makefile_value('OLDEST')}"
    assert Version(makefile_value("NEWEST")) == max(versions)
    assert Version(makefile_value("OLDEST")).release[:2] == min(versions).release


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_inside_the_range(path):
    versions = re.findall(r'"(3\.\d+)"', path.read_text("utf-8"))
    range_ = SpecifierSet(f"{PROJECT['requires-python']}, <={makefile_value('NEWEST')}")

    assert versions
    # "3.11" in a workflow means its latest release.
    assert all(f"{version}.99" in range_ or version in range_ for version in versions)


def test_both_ends_of_the_range_are_tested():
    matrix = yaml.safe_load(text(".github/workflows/test.yml"))["jobs"]["everything"]["strategy"]
    oldest = ".".join(makefile_value("OLDEST").split(".")[:2])

    assert matrix["matrix"]["python"] == [oldest, makefile_value("NEWEST")]


def test_the_readme_names_the_range_and_both_commands():
    readme = text("README.md")

    assert f"Python {makefile_value('OLDEST')} to {makefile_value('NEWEST')}" in readme
    assert re.search(r"^make serve\b", readme, re.MULTILINE)
    assert re.search(r"^make test\b", readme, re.MULTILINE)


# The Makefile and the workflows.


def test_every_target_is_phony_and_explained_by_make_help():
    rules = re.sub(r"^define .*?^endef$", "", text("Makefile"), flags=re.MULTILINE | re.DOTALL)
    targets = re.findall(r"^([a-z-]+):(?!=)(.*)$", rules, re.MULTILINE)
    phony = re.search(r"^\.PHONY: (.*)$", rules, re.MULTILINE)[1].split()

    assert sorted(name for name, _ in targets) == sorted(phony)
    assert [name for name, rest in targets if "## " not in rest] == ["peers", "env"]


def test_the_site_is_never_built_quietly():
    """With `-q`, MkDocs counts no warning, so `--strict` means nothing."""
    told = [path for path in our_files() if path.name in {"Makefile", "run"} or path in WORKFLOWS]
    lines = [line for path in told for line in path.read_text("utf-8").splitlines()]

    assert [line for line in lines if re.search(r"mkdocs .*(\s-q\b|--quiet)", line)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_hold_no_secret_and_may_only_read_unless_a_job_says_why(path):
    workflow = yaml.safe_load(path.read_text("utf-8"))

    assert "secrets." not in path.read_text("utf-8")
    assert workflow["permissions"] == {"contents": "read"}
    assert "concurrency" in workflow
    granted = re.findall(r"^ {6}[a-z-]+: (?:read|write)\b(.*)$", path.read_text("utf-8"), re.M)
    assert all(reason.startswith(" # ") for reason in granted)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_name_actions_by_major_version(path):
    actions = re.findall(r"uses: (\S+)", path.read_text("utf-8"))

    assert actions
    for action in actions:
        assert action.startswith("./") or re.search(r"@(v|release/v)\d+$", action), action


# What is published.


def test_the_version_is_the_same_everywhere():
    version = PROJECT["version"]
    source = re.search(r'^__version__ = "(.+)"$', text("posenc_ref/__init__.py"), re.MULTILINE)
    released = re.search(r"^## \[(\d.*?)\] - ", text("CHANGELOG.md"), re.MULTILINE)

    assert source[1] == version
    assert yaml.safe_load(text("CITATION.cff"))["version"] == version
    assert released[1] == version


def test_the_citation_is_of_the_form_and_names_the_authors_of_the_licence():
    citation = yaml.safe_load(text("CITATION.cff"))

    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "type"} <= citation.keys()
    assert citation["license"] == PROJECT["license"]
    assert citation["authors"] == [{"name": "The posenc_ref authors"}]
    assert "the posenc_ref authors" in text("LICENSE")


def test_both_licences_are_there_in_full_and_named_in_the_readme():
    assert text("LICENSE").startswith("MIT License\n")
    assert text("LICENSE-CC-BY-4.0").startswith("Attribution 4.0 International\n")
    assert "Section 8 -- Interpretation." in text("LICENSE-CC-BY-4.0")
    for name in ("`LICENSE`", "`LICENSE-CC-BY-4.0`"):
        assert name in text("README.md")


def test_a_licence_stands_beside_every_font():
    fonts = {p for p in our_files() if p.suffix in {".woff2", ".woff", ".ttf", ".otf"}}
    licensed = {
        path.parent
        for path in our_files()
        if path.suffix == ".txt" and "SIL OPEN FONT LICENSE Version 1.1" in path.read_text("utf-8")
    }

    assert fonts
    assert {path.parent for path in fonts} <= licensed


# Written with brackets, so that this file does not match itself.
PRIVATE = {
    "the host of a registry": r"pypi[.]org|pythonhosted[.]org|npmjs[.](com|org)|deb[.]debian[.]org",
    "somebody's home folder": r"(?<![\w.])[/](home|Users|root)/\w",
}


@pytest.mark.parametrize(("what", "pattern"), PRIVATE.items(), ids=PRIVATE)
def test_no_file_names(what, pattern):
    names = []
    for path in our_files():
        content = path.read_bytes().decode("utf-8", errors="ignore")
        names += [f"{path.relative_to(ROOT)}: {m[0]}" for m in re.finditer(pattern, content)]

    assert names == [], what
