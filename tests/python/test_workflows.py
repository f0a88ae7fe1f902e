"""Workflows and templates of .github: actions by commit, few permissions, names that exist."""

import pathlib
import re
import shlex
from typing import Any

import pytest
import yaml

from test_help import COMMANDS, options

ROOT = pathlib.Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TEMPLATES = sorted((ROOT / ".github").glob("*/*.yml"))
TARGETS = set(re.findall(r"^([\w./$()-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
WRITING = {"docs.yml: publish", "wheels.yml: release"}
"""The jobs that may write to the repository."""


def jobs(workflow: pathlib.Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(workflow.read_text("utf-8"))["jobs"]
    return found


def runs(workflow: pathlib.Path) -> str:
    """The shell commands of all steps."""
    steps = [step for job in jobs(workflow).values() for step in job["steps"]]
    return "\n".join(step.get("run", "") for step in steps)


def test_actions_are_taken_by_commit_and_each_name_has_one() -> None:
    used = [use for file in WORKFLOWS for use in re.findall(r"uses: (.*)", file.read_text())]
    assert used
    assert [
        use for use in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v[\d.]+", use)
    ] == []
    assert len(set(used)) == len({use.partition("@")[0] for use in used})


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda file: file.name)
def test_only_jobs_that_publish_may_write(workflow: pathlib.Path) -> None:
    assert yaml.safe_load(workflow.read_text())["permissions"] == {"contents": "read"}
    given = {
        f"{workflow.name}: {name}" for name, job in jobs(workflow).items() if "permissions" in job
    }
    assert given <= WRITING


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda file: file.name)
def test_targets_and_files_that_a_workflow_names_exist(workflow: pathlib.Path) -> None:
    lines = [shlex.split(line) for line in runs(workflow).splitlines()]
    built = {
        "python/flowstart/render/page/.built": "$(PAGE)/.built",
        ".venv/.tools": "$(VENV)/.tools",
    }
    targets = [word for words in lines if words[:1] == ["make"] for word in words[1:]]
    assert {built.get(target, target) for target in targets} <= TARGETS
    files = {
        word
        for words in lines
        for word in words
        if re.fullmatch(r"(packaging|tests|crates)/.*\.\w+", word)
    }
    assert {file for file in files if not (ROOT / file).exists()} == set()


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda file: file.name)
def test_commands_that_a_template_names_have_their_options(template: pathlib.Path) -> None:
    for line in re.findall(r"`flowstart ([^`]+)`", template.read_text("utf-8")):
        command, *words = shlex.split(line)
        known = {word for each in options(COMMANDS[command]) for word in each.words}
        assert {word for word in words if word.startswith("-")} <= known, line
