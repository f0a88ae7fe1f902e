"""The lock files of Python tools: all that is asked for, and no place to get it from."""

import pathlib
import re
import tomllib

import pytest
from packaging.requirements import Requirement

ROOT = pathlib.Path(__file__).parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
PINNED = re.compile(r"^([a-z0-9.-]+)==([^ ;]+)(?: ; .*)? \\$", re.MULTILINE)


def asked(extra: str) -> list[str]:
    """What the core and an extra ask for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [*project["dependencies"], *project["optional-dependencies"][extra]]


def written(name: str) -> list[str]:
    """What a file of requirements asks for."""
    lines = (ROOT / "requirements" / f"{name}.in").read_text().splitlines()
    return [line for line in lines if not line.startswith("#")]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("dev", asked("dev")),
        ("docs", asked("docs")),
        ("wheels", written("wheels")),
        ("node", written("node")),
    ],
)
def test_a_lock_has_a_right_version_of_all_that_is_asked_for(name: str, wanted: list[str]) -> None:
    locked = PINNED.findall((ROOT / "requirements" / f"{name}.txt").read_text())
    for requirement in map(Requirement, wanted):
        versions = [version for found, version in locked if found == requirement.name]
        assert versions, f"{requirement}: run `make lock`"
        assert all(map(requirement.specifier.contains, versions)), f"{requirement}: run `make lock`"


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_all_that_is_locked_has_hashes_and_no_place(lock: pathlib.Path) -> None:
    text = lock.read_text()
    parts = re.split(r"^(?=[a-z0-9.-]+==)", text, flags=re.MULTILINE)[1:]
    assert len(parts) == len(PINNED.findall(text)) > 0
    assert all("--hash=sha256:" in part for part in parts)
    assert "://" not in text
    assert "index-url" not in text


def test_setup_installs_what_is_locked_and_nothing_else() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert "$(VENV)/.tools: requirements/dev.txt" in makefile
    assert "pip install --quiet --no-deps --require-hashes -r $<" in makefile


def test_cyclopts_is_at_least_the_minor_version_that_is_tested() -> None:
    """Its errors are translated, and may change from one minor version to the next."""
    (wanted,) = [one for one in map(Requirement, asked("dev")) if one.name == "cyclopts"]
    locked = dict(PINNED.findall((ROOT / "requirements" / "run.txt").read_text()))
    assert str(wanted.specifier) == f">={'.'.join(locked['cyclopts'].split('.')[:2])}"


STEPS = [
    (file.name, step.strip())
    for file in sorted((ROOT / ".github/workflows").glob("*.yml"))
    for step in re.findall(r"^ *- (?:uses|run): .*$", file.read_text(), re.MULTILINE)
]
"""Every step of a workflow that is one line, with its file."""


def test_workflows_take_actions_by_commit() -> None:
    actions = [step for step in STEPS if "uses:" in step[1]]
    assert actions
    for file, step in actions:
        pinned = re.fullmatch(r"- uses: actions/[a-z-]+@[0-9a-f]{40} # v[0-9.]+", step)
        assert pinned, f"{file}: {step}"


def test_workflows_install_what_is_locked_and_nothing_else() -> None:
    found = {"pip install": 0, "cargo install": 0}
    for file, step in STEPS:
        if "pip install" in step:
            found["pip install"] += 1
            assert "--no-deps" in step, f"{file}: {step}"
            assert "--require-hashes -r requirements/" in step or "--no-index" in step, step
        if "cargo install" in step:
            found["cargo install"] += 1
            assert re.search(r"install --locked [a-z-]+@\d+\.\d+\.\d+$", step), f"{file}: {step}"
        if "maturin build" in step:
            assert "--locked" in step, f"{file}: {step}"
    assert all(found.values())


def test_no_page_installs_flowstart_by_its_name() -> None:
    """pip would prefer a package that somebody has registered on an index."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    by_name = re.compile(r"^\s*pip install (?:-\S+ (?:dist )?)*['\"]?flowstart\b", re.MULTILINE)
    for page in pages:
        assert not by_name.search(page.read_text("utf-8")), page
