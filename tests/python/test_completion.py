"""What a shell completes."""

import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import pytest

from flowstart.cli.app import NAME, ROOT, completion
from flowstart.cli.command import app_of

Cli: TypeAlias = Callable[..., Any]
Shell: TypeAlias = Literal["bash", "fish", "zsh"]
COMPLETED = {
    "bash": """
source {script}; COMP_WORDS=({line}); COMP_CWORD=$(({count} - 1)); COMP_LINE='{line}'
COMP_POINT=${{#COMP_LINE}}; _flowstart; echo "${{COMPREPLY[@]}}"
""",
    "fish": "source {script}; complete -C '{line}'",
    "zsh": """
zmodload zsh/zpty; zpty shell zsh -f -i; zpty -w shell 'PROMPT="> "; source {script}; echo rea""dy'
zpty -r shell printed '*ready*'; zpty -w -n shell $'{line}\t'
zpty -r shell printed '*{expected}*'; echo $printed; zpty -d shell
""",
}
"""What prints the completion of a line in each shell, by its own machinery."""


def completed(*words: str) -> list[str]:
    """What a shell is told of the values of the last word."""
    command = [sys.executable, "-m", "flowstart", "__complete", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return [line.partition("\t")[0] for line in done.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["compare", "--startup", "jump-start,hys"], ["jump-start,hystart"]),
        (["compare", "--cc", "cub"], ["cubic"]),
        (["compare", "--stack", "lin"], ["linux"]),
        (["compare", "--queue", "fq"], ["fq-codel"]),
        (["compare", "--path", "geo"], ["geo"]),
        (["worst", "hystart-"], ["hystart-plus-plus"]),
        (["worst", "hystart", "--stack", "q"], ["quic"]),
        (["worst", "hystart", "--cc", "cub"], ["cubic"]),
        (["map", "out", "--x", "bd"], ["bdp"]),
        (["schema", "sw"], ["sweep"]),
        (["replay", "a.pcap", "--recorded", "free"], ["freebsd-14"]),
        (["algorithms", "cub"], ["cubic"]),
        (["paths", "geo"], ["geo"]),
        (["stacks", "qu"], ["quic"]),
        (["sweep", "default"], ["default-grid"]),
        (["papers", "run", "QS-T"], ["QS-T1"]),
    ],
)
def test_names_are_completed(words: list[str], expected: list[str]) -> None:
    assert set(expected) <= set(completed(*words))


def test_the_script_for_the_shell_is_printed_and_bash_reads_it() -> None:
    command = ["bash", "-c", f"{sys.executable} -m flowstart --show-completion; exit $?"]
    printed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (printed.returncode, printed.stderr) == (0, "")
    assert "--max-time" in printed.stdout
    assert "algorithms" in printed.stdout
    done = subprocess.run(
        ["bash", "-n"], input=printed.stdout, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("shell", COMPLETED)
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("flowstart compare --cc cub", "cubic"),
        ("flowstart compare --startup jump-start,hystart-p", "jump-start,hystart-plus-plus"),
        ("flowstart comp", "compare"),
    ],
)
def test_a_shell_completes_a_line(
    tmp_path: pathlib.Path, shell: Shell, line: str, expected: str
) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_text(completion(app_of(ROOT, NAME).generate_completion(shell=shell)))
    program = COMPLETED[shell].format(
        script=script, line=line, count=len(line.split()), expected=expected
    )
    words = [shell, "-c", program]
    folders = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = os.environ | {"PATH": folders, "HOME": str(tmp_path), "ZDOTDIR": str(tmp_path)}
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, timeout=60, env=environment
    )
    assert expected in done.stdout.replace("\\", ""), done.stderr


@pytest.mark.parametrize(
    ("shell", "text"),
    [
        ("bash", "complete -o default -F"),
        ("zsh", "--output[Folder for tables, figures and a report.]:output:_files'"),
        ("zsh", "compdef _cyclopts_flowstart flowstart"),
        ("fish", "-l output"),
    ],
)
def test_a_script_of_completion_completes_names_of_files(shell: Shell, text: str) -> None:
    assert text in completion(app_of(ROOT, NAME).generate_completion(shell=shell))


def test_completion_is_installed_for_zsh_once(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ZSH_VERSION", "5.9")
    for name in ("BASH_VERSION", "ZSH", "ZSH_CUSTOM"):
        monkeypatch.delenv(name, raising=False)
    for _ in range(2):
        assert cli("--install-completion").out.startswith(f"Completion is in {tmp_path}")
    settings = (tmp_path / ".zshrc").read_text()
    assert settings.count("source ") == 1
    assert (tmp_path / settings.splitlines()[-1].split()[-1]).is_file()
