"""The wheel and the source archive, built as for a release: what is in them, and that they work."""

import email
import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import numpy as np
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
LARGEST = 265_000  # bytes; docstrings are a third of it, the table of model types a twelfth


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of both archives; the wheel is made from the source archive, without a network."""
    folder = tmp_path_factory.mktemp("dist")
    run = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        capture_output=True,
        text=True,
        env=os.environ | {"PIP_NO_INDEX": "1"},
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    (path,) = built.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def files(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return email.message_from_bytes(archive.read(name))


def test_two_archives_are_built_and_the_wheel_runs_on_any_system(built):
    version = PROJECT["version"]

    assert sorted(path.name for path in built.iterdir()) == [
        f"posenc_ref-{version}-py3-none-any.whl",
        f"posenc_ref-{version}.tar.gz",
    ]


def test_the_wheel_is_small(wheel):
    assert wheel.stat().st_size < LARGEST


def test_the_wheel_holds_the_package_and_nothing_else(files):
    folders = {PurePosixPath(name).parts[0] for name in files}

    assert folders == {"posenc_ref", f"posenc_ref-{PROJECT['version']}.dist-info"}


def test_the_wheel_holds_every_module_the_data_and_the_mark_of_types(files):
    package = ROOT / "posenc_ref"
    modules = {path.relative_to(ROOT).as_posix() for path in package.rglob("*.py")}

    assert {name for name in files if name.startswith("posenc_ref/")} == modules | {
        "posenc_ref/py.typed",
        "posenc_ref/model_types.json",
        "posenc_ref/vectors.json",
    }


def test_the_licence_is_named_and_its_text_is_in_the_wheel(files, metadata):
    assert metadata["License-Expression"] == "MIT"
    assert metadata.get_all("License-File") == ["LICENSE"]
    assert any(name.endswith("/licenses/LICENSE") for name in files)


def test_numpy_is_the_only_requirement(metadata):
    requirements = map(Requirement, metadata.get_all("Requires-Dist"))
    always = [r for r in requirements if not (r.marker and "extra" in str(r.marker))]

    assert [requirement.name for requirement in always] == ["numpy"]


def test_the_versions_of_python_are_those_of_the_project(metadata):
    assert metadata["Requires-Python"] == PROJECT["requires-python"]


def test_the_classifiers_are_those_of_the_project_and_none_names_a_licence(metadata):
    """The index refuses a licence classifier beside a licence expression."""
    classifiers = metadata.get_all("Classifier")

    assert classifiers == PROJECT["classifiers"]
    assert "Typing :: Typed" in classifiers
    assert not any(classifier.startswith("License ::") for classifier in classifiers)


def test_no_address_is_named_before_there_is_one(metadata):
    assert metadata.get_all("Project-URL") is None
    assert metadata["Home-page"] is None


def test_the_readme_is_the_description(metadata):
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload(decode=True).decode().strip() == (
        (ROOT / "README.md").read_text("utf-8").strip()
    )


def test_the_source_archive_holds_what_the_wheel_needs_and_what_readers_want(built):
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {"/".join(PurePosixPath(name).parts[1:]) for name in archive.getnames()}

    assert {"LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "pyproject.toml"} <= names
    assert not any(name.startswith(("docs/", "tests/")) for name in names)


def test_the_wheel_works_with_numpy_and_nothing_else(wheel, tmp_path):
    """In a process that sees the standard library, this wheel and NumPy."""
    numpy = Path(np.__file__).parent
    for folder in (numpy, numpy.with_name("numpy.libs")):  # the second: libraries of some wheels
        if folder.exists():
            (tmp_path / folder.name).symlink_to(folder)
    code = f"""
import sys
sys.path += [{str(wheel)!r}, {str(tmp_path)!r}]
import posenc_ref
print(posenc_ref.__file__)
print(posenc_ref.__version__)
for name in posenc_ref.__all__:
    getattr(posenc_ref, name)
third_party = {{name.partition(".")[0] for name in sys.modules}} - sys.stdlib_module_names
print(sorted(name for name in third_party if not name.startswith("_")))
"""
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-W", "error", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )

    assert run.stderr == ""
    assert run.stdout.splitlines() == [
        str(wheel / "posenc_ref" / "__init__.py"),
        PROJECT["version"],
        "['numpy', 'posenc_ref']",
    ]
