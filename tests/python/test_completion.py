"""What a shell completes."""

import os
import subprocess
import sys

import pytest


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
        (["comp"], ["compare"]),
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
    ],
)
def test_commands_options_and_names_are_completed(words: list[str], expected: list[str]) -> None:
    assert set(expected) <= set(completed(*words))


def test_the_script_for_the_shell_is_printed_and_bash_reads_it() -> None:
    command = ["bash", "-c", f"{sys.executable} -m flowstart --show-completion; exit $?"]
    printed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (printed.returncode, printed.stderr) == (0, "")
    assert "complete_bash" in printed.stdout
    done = subprocess.run(
        ["bash", "-n"], input=printed.stdout, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
