"""What a release needs: versions that agree, locks that fit, a recipe, and the files in `dist`."""

import json
import pathlib
import re
import subprocess
import tomllib
import zipfile
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

import release_check
import sbom

ROOT = pathlib.Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
RECIPE: dict[str, Any] = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text("utf-8"))
LOCKS = {
    "run.txt": PROJECT["project"]["dependencies"],
    "dev.txt": PROJECT["project"]["dependencies"] + EXTRAS["dev"],
    "docs.txt": PROJECT["project"]["dependencies"] + EXTRAS["docs"],
}


def wanted(file: str) -> list[Requirement]:
    """What a lock file has to fit: of pyproject.toml, and of its own `.in`."""
    own = ROOT / "requirements" / file.replace(".txt", ".in")
    lines = own.read_text("utf-8").splitlines() if own.exists() else []
    named = [line for line in lines if line and not line.startswith("#")]
    return [Requirement(each) for each in [*LOCKS.get(file, ()), *named]]


def test_all_versions_agree() -> None:
    assert [*release_check.versions()] == []


@pytest.mark.parametrize(
    "lock", sorted((ROOT / "requirements").glob("*.txt")), ids=lambda f: f.name
)
def test_a_lock_has_a_version_of_each_requirement_that_fits(lock: pathlib.Path) -> None:
    locked = dict(re.findall(r"^([\w.-]+)==([\w.]+)", lock.read_text("utf-8"), re.MULTILINE))
    assert wanted(lock.name)
    for requirement in wanted(lock.name):
        found = locked.get(requirement.name, "none")
        assert requirement.specifier.contains(found), f"{lock.name}: {requirement}: `make lock`"


def test_the_recipe_needs_what_the_package_needs() -> None:
    python = f"python {PROJECT['project']['requires-python']}"
    needs = [str(each).replace(">", " >", 1) for each in PROJECT["project"]["dependencies"]]
    (backend,) = PROJECT["build-system"]["requires"]
    assert RECIPE["requirements"]["run"] == [python, *needs]
    assert RECIPE["requirements"]["host"] == [python, "pip", backend.replace(">", " >", 1)]
    assert RECIPE["about"]["license"] == PROJECT["project"]["license"]
    assert RECIPE["about"]["summary"] == PROJECT["project"]["description"]
    assert [file for file in RECIPE["about"]["license_file"] if not (ROOT / file).exists()] == []


def test_the_recipe_imports_the_packages_of_the_wheel() -> None:
    assert RECIPE["tests"][0]["python"]["imports"] == PROJECT["tool"]["maturin"]["python-packages"]


@pytest.mark.parametrize(
    ("before", "now", "is_breaking"),
    [
        ("0.1.0", "0.1.1", False),
        ("0.1.9", "0.2.0", True),
        ("0.9.0", "1.0.0", True),
        ("1.2.0", "1.3.0", False),
        ("1.2.0", "2.0.0", True),
    ],
)
def test_a_version_may_break_where_its_first_number_that_counts_is_greater(
    before: str, now: str, is_breaking: bool
) -> None:
    assert release_check.breaks(before, now) == is_breaking


@pytest.mark.slow  # cargo may have to fetch the crates that only features need
def test_the_sbom_has_the_crates_and_packages_of_third_party_and_no_path() -> None:
    found = sbom.document()
    listed = re.findall(
        r"^- ([\w.-]+) ([\w.+-]+), ", (ROOT / "THIRD_PARTY.md").read_text("utf-8"), re.MULTILINE
    )
    assert [(each["name"], each["version"]) for each in found["components"]] == listed
    assert found["metadata"]["component"]["version"] == release_check.version()
    assert str(ROOT) not in json.dumps(found)


def test_a_wheel_has_the_licences_of_others() -> None:
    assert "THIRD_PARTY.md" in PROJECT["project"]["license-files"]
    assert all([*ROOT.glob(pattern)] for pattern in PROJECT["project"]["license-files"])


@pytest.fixture
def project(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A repository of version 0.1.1, with a tag v0.1.0 of which users rely on two facts."""
    git = ("git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-C", str(tmp_path))
    record = tmp_path / release_check.STABILITY
    record.parent.mkdir(parents=True)
    record.write_text(json.dumps({"columns": ["flows.fct_s: number", "flows.size: string"]}))
    (tmp_path / "Cargo.toml").write_text('[workspace.package]\nversion = "0.1.1"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changes\n\nVersion 0.1.1, unreleased.\n")
    for words in (
        ("init", "--quiet"),
        ("add", "."),
        ("commit", "--quiet", "-m", "x"),
        ("tag", "v0.1.0"),
        ("commit", "--quiet", "--allow-empty", "-m", "y"),
    ):
        subprocess.run([*git, *words], check=True)
    monkeypatch.setattr(release_check, "ROOT", tmp_path)
    return tmp_path


def test_what_a_patch_release_takes_away_is_named(project: pathlib.Path) -> None:
    assert [*release_check.stability()] == []
    (project / release_check.STABILITY).write_text('{"columns": ["flows.size: string"]}')
    (problem,) = release_check.stability()
    assert problem.startswith("v0.1.0 has `columns: flows.fct_s: number`: restore it, or raise")
    (project / "Cargo.toml").write_text('[workspace.package]\nversion = "0.2.0"\n')
    assert [*release_check.stability()] == []


def test_a_release_needs_its_tag_and_a_date(project: pathlib.Path) -> None:
    assert [*release_check.changes(None)] == []
    assert [*release_check.changes("v0.1.0")] == [
        "the tag is v0.1.0, and the version 0.1.1",
        "CHANGELOG.md: `Version X.Y.Z, YYYY-MM-DD.` is needed below the title",
    ]
    (project / "CHANGELOG.md").write_text("# Changes\n\nVersion 0.1.1, 2026-12-01.\n")
    assert [*release_check.changes("v0.1.1")] == []


def wheel(dist: pathlib.Path, platform: str, *more: str) -> None:
    """A wheel with what one must have, and more."""
    stem = f"flowstart-{release_check.version()}"
    with zipfile.ZipFile(dist / f"{stem}-cp311-abi3-{platform}.whl", "w") as archive:
        for part in (*release_check.HELD, *more):
            archive.writestr(f"{part}x" if part.endswith("/") else part, "")


def test_files_of_a_release_are_checked_by_name_and_content(tmp_path: pathlib.Path) -> None:
    assert [*release_check.files(tmp_path, needed=False)] == []
    for platform in release_check.PLATFORMS:
        wheel(tmp_path, platform)
    stem = f"flowstart-{release_check.version()}"
    for name in (f"{stem}.tar.gz", f"{stem}.cdx.json"):
        (tmp_path / name).touch()
    assert [*release_check.files(tmp_path, needed=True)] == []
    wheel(tmp_path, release_check.PLATFORMS[0], "flowstart/tests/data.csv")
    (tmp_path / f"{stem}.tar.gz").rename(tmp_path / "flowstart-9.9.9.tar.gz")
    assert [*release_check.files(tmp_path, needed=True)] == [
        f"dist has no {stem}.tar.gz: `make wheels`",
        "dist has flowstart-9.9.9.tar.gz",
        f"{stem}-cp311-abi3-{release_check.PLATFORMS[0]}.whl has flowstart/tests/data.csv",
    ]
    empty = tmp_path / f"{stem}-cp311-abi3-any.whl"
    zipfile.ZipFile(empty, "w").close()
    assert [*release_check.content(empty)] == [
        f"{empty.name} has no {part}" for part in release_check.HELD
    ]
