"""Standard output and standard error in any encoding, closed or full."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-m", "flowstart"]
COMPARE = ["compare", "--rate", "5Mbps", "--rtt", "64ms", "--size", "10kB"]
COMPARE += ["--startup", "slow-start"]


def shell(redirected: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`flowstart WORDS` with redirections as a shell writes them."""
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {redirected}', "sh", *COMMAND, *words],
        capture_output=True,
        encoding=environment.get("PYTHONIOENCODING", "utf-8"),
        env=os.environ | environment,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_what_an_encoding_lacks_is_escaped(encoding: str) -> None:
    done = shell("", *COMPARE, "--details", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u2013" in done.stdout or encoding == "cp1252"
    assert "slow-start" in done.stdout


def test_json_is_json_in_any_encoding(tmp_path: pathlib.Path) -> None:
    (tmp_path / "é.csv").write_text("ts,bytes\n1,2\n")
    words = ("capture", str(tmp_path / "é.csv"), "--json")
    done = shell("", *words, PYTHONIOENCODING="ascii", PYTHONUTF8="1")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["files"] == [str(tmp_path / "é.csv")]


@pytest.mark.parametrize(
    ("redirected", "problem"),
    [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")],
)
@pytest.mark.parametrize("words", [("paths",), ("algorithms", "--json"), COMPARE])
def test_a_full_or_closed_output_is_one_line_and_status_1(
    tmp_path: pathlib.Path, redirected: str, problem: str, words: list[str]
) -> None:
    kept = ["-o", str(tmp_path / "out")] if words is COMPARE else []
    done = shell(redirected, *words, *kept)
    assert done.stderr == f"flowstart: the standard output cannot be written: {problem}\n"
    assert done.returncode == 1
    assert not kept or (tmp_path / "out" / "rows.csv").exists()


@pytest.mark.parametrize("redirected", ["2>/dev/full", "2>&-"])
def test_a_full_or_closed_standard_error_changes_nothing(redirected: str) -> None:
    done = shell(redirected, "nonsense")
    assert (done.returncode, done.stdout) == (2, "")
    assert shell(redirected, "paths").stdout == shell("", "paths").stdout
