"""What a shell completes, and the manual page, both made of the commands."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import typer

from flowstart.cli import help_page
from flowstart.cli.app import app

Cli = Callable[..., Any]


def completed(*words: str) -> list[str]:
    """What bash is told may stand for the last word."""
    told = {
        "_FLOWSTART_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["flowstart", *words]),
        "COMP_CWORD": str(len(words)),
    }
    command = [sys.executable, "-m", "flowstart"]
    done = subprocess.run(
        command, env=os.environ | told, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["comp"], ["compare", "completion"]),
        (["compare", "--time-l"], ["--time-limit"]),
        (["compare", "--startup", "jump-start,hys"], ["jump-start,hystart"]),
        (["compare", "--cc", "cub"], ["cubic"]),
        (["compare", "--stack", "lin"], ["linux"]),
        (["compare", "--queue", "fq"], ["fq-codel"]),
        (["compare", "--path", "geo"], ["geo"]),
        (["worst", "hystart-"], ["hystart-plus-plus"]),
        (["algorithms", "cub"], ["cubic"]),
        (["paths", "geo"], ["geo"]),
        (["stacks", "qu"], ["quic"]),
        (["sweep", "default"], ["default-grid"]),
        (["papers", "run", "QS-T"], ["QS-T1"]),
        (["completion", "z"], ["zsh"]),
    ],
)
def test_commands_options_and_names_are_completed(words: list[str], expected: list[str]) -> None:
    assert set(expected) <= set(completed(*words))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(cli: Cli, shell: str) -> None:
    answer = cli("completion", shell)
    assert (answer.status, answer.err) == (0, "")
    assert f"complete_{shell}" in answer.out


def test_bash_reads_its_script(cli: Cli) -> None:
    script = cli("completion", "bash").out
    done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_another_shell_is_refused(cli: Cli) -> None:
    said = "flowstart: no shell is called `tcsh` here: there are bash, zsh and fish\n"
    assert cli("completion", "tcsh") == (2, "", said)


def test_the_manual_page_has_every_command_option_and_status(cli: Cli) -> None:
    answer = cli("man")
    assert answer.status == 0
    root: Any = typer.main.get_command(app)
    for path, command in help_page._leaves(root, ()):
        assert f'.SS "flowstart {" ".join(path)}"' in answer.out
        for one in command.params:
            for name in one.opts if one.param_type_name == "option" else ():
                assert name == "--help" or name.replace("-", r"\-") in answer.out
    for status in ("0", "1", "2", "130"):
        assert rf"\fB{status}\fR" in answer.out
    assert "[/" not in re.sub(r"\[/[a-z]*\.", "", answer.out), "markup of the terminal's help"


@pytest.mark.skipif(shutil.which("man") is None, reason="needs man")
def test_man_has_nothing_to_complain_of(cli: Cli) -> None:
    page = cli("man").out
    done = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", "-"],
        input=page,
        capture_output=True,
        text=True,
        env=os.environ | {"MANPAGER": "cat", "LC_ALL": "C.UTF-8"},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "--time-limit" in done.stdout
