"""What a shell completes."""

import subprocess
import sys

import pytest


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
