"""`make bench-against` and `make speed-record`, without what they build."""

import hashlib
import json
import pathlib
import subprocess
import sys

import pytest

import against
import builds
import instructions
import profiles
import record
import sitting
from failures import BuildError, RequestError
from sitting import Contender, Result, Speeds

BENCHES = pathlib.Path(__file__).parents[2] / "benches"


def program(path: pathlib.Path, knows: str, log: pathlib.Path) -> pathlib.Path:
    """A build with one workload, which notes each run."""
    path.write_text(
        f"""#!{sys.executable}
import json, pathlib, sys
if sys.argv[1:] == ["--names"]:
    print("bare-loop\\n{knows}")
elif sys.argv[2] != "{knows}":
    sys.exit(2)
else:
    with pathlib.Path("{log}").open("a") as log:
        log.write("{path.name}\\n")
    print(json.dumps(dict(data_packets=7, packets_dropped=1, packets_per_cpu_s=2e6)))
"""
    )
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["against.py", "--", ""], "REV is missing: give a commit, branch or tag, such as"),
        (["against.py", "--", "nix"], "REV `nix` is not a commit, branch or tag"),
        (["against.py", "--", "--all"], "REV `--all` is not a commit, branch or tag"),
        (["against.py", "--rounds", "0", "--", "HEAD"], "N `0`: give a whole number of rounds"),
        (["record.py", "--rounds", "x", "--", "HEAD"], "N `x`: give a whole number of rounds"),
        (["record.py", "--", "nix"], "REV `nix` is not a commit, branch or tag"),
        (["instructions.py", "--guided", "--record"], "--record: the record is of builds without"),
        (["profiles.py"], "profiles.py needs a command, such as: maturin build --release"),
    ],
)
def test_a_wrong_request_is_one_line_and_exit_status_2(arguments: list[str], says: str) -> None:
    command = [sys.executable, str(BENCHES / arguments[0]), *arguments[1:]]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(says)
    assert done.stderr.count("\n") == 1


def test_builds_take_turns_and_every_other_round_is_the_other_way_round(
    tmp_path: pathlib.Path,
) -> None:
    log = tmp_path / "log"
    a, b = (program(tmp_path / name, "bulk", log) for name in "ab")
    speeds = sitting.alternate([Contender(a, "bulk"), Contender(b, "bulk")], 3)
    assert log.read_text().split() == ["a", "b", "b", "a", "a", "b"]
    assert speeds == [Speeds((2.0, 2.0, 2.0), Result(7, 1))] * 2


def test_a_build_that_lacks_a_workload_is_left_out(tmp_path: pathlib.Path) -> None:
    a = program(tmp_path / "a", "bulk", tmp_path / "log")
    assert sitting.alternate([Contender(a, "web")], 2) == [None]


def test_a_workload_that_nobody_knows_is_refused(tmp_path: pathlib.Path) -> None:
    a = program(tmp_path / "a", "bulk", tmp_path / "log")
    assert sitting.workloads(a, []) == ["bulk"]
    with pytest.raises(RequestError, match="WORKLOADS: no workload `web`; known are bulk"):
        sitting.workloads(a, ["web"])


def test_a_line_gives_best_range_ratio_and_shares_of_the_bare_loop() -> None:
    bare, old, head = (Speeds(r, Result(7, 1)) for r in [(20.0,), (4.0, 5.0), (6.0, 5.5)])
    assert against.line("bulk", bare, old, head).split() == [
        *("bulk", "5.00", "(4.00–5.00)", "6.00", "(5.50–6.00)", "1.200", "0.250", "→", "0.300"),
    ]


def test_a_line_says_where_the_results_differ() -> None:
    bare = Speeds((20.0,), Result(1, 0))
    old, head = Speeds((5.0,), Result(7, 1)), Speeds((5.0,), Result(7, 2))
    assert "the results differ" in against.line("bulk", bare, old, head)


def test_a_line_says_why_a_workload_is_skipped() -> None:
    some = Speeds((20.0,), Result(1, 0))
    assert "skipped: the other revision" in against.line("bulk", some, None, some)


def test_no_worktree_is_left_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    def commit(*arguments: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
        subprocess.run(("git", *identity, *arguments), cwd=tmp_path, check=True)

    commit("init", "--quiet")
    commit("commit", "--quiet", "--allow-empty", "-m", "empty")
    monkeypatch.setattr(builds, "ROOT", tmp_path)
    monkeypatch.setattr(profiles, "BUILD", ("git", "no-such-command"))
    revision = builds.resolve("HEAD")
    with pytest.raises(BuildError, match="does not build"), builds.built([revision]):
        pass
    assert len(builds.git("worktree", "list").stdout.splitlines()) == 1


def test_the_columns_of_the_record_are_the_key_workloads() -> None:
    record.check_columns(record.PAGE.read_text())
    with pytest.raises(RequestError, match="its columns are not those of KEY_WORKLOADS"):
        record.check_columns("| revision | its date | measured | `nix` |")


def test_every_row_of_the_record_has_a_cell_for_each_column() -> None:
    revisions = record.PAGE.read_text().split("\n## Revisions\n")[1]
    table = [line for line in revisions.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in table} == {4 + len(record.KEY_WORKLOADS)}


def test_without_llvm_tools_a_build_is_not_guided_and_says_so(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(profiles, "llvm_profdata", lambda _tree: None)
    settings = {"RUSTFLAGS": "-Cdebuginfo=0"}
    assert profiles.guided(tmp_path, tmp_path, settings) == settings
    assert capsys.readouterr().err == (
        "the build is not guided by a profile: rustup component add llvm-tools\n"
    )


def test_a_profile_is_named_after_its_content_and_follows_a_users_own_flags(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[tuple[str, ...]] = []

    def run(command: tuple[str, ...], _tree: pathlib.Path, settings: dict[str, str]) -> None:
        steps.append(command)
        if command[1] == "merge":
            pathlib.Path(command[3]).write_text("counts")
        elif command[0] == "cargo":
            assert settings["RUSTFLAGS"] == "-Cdebuginfo=0 -Cprofile-generate"
        else:
            assert settings["RUSTFLAGS"] == "-Cdebuginfo=0"

    monkeypatch.setattr(profiles, "llvm_profdata", lambda _tree: pathlib.Path("llvm-profdata"))
    monkeypatch.setattr(profiles, "run", run)
    (tmp_path / "guided").mkdir()
    settings = profiles.guided(tmp_path, tmp_path, {"RUSTFLAGS": "-Cdebuginfo=0"})
    assert [step[0].rpartition("/")[2] for step in steps] == [
        "cargo", *["workloads"] * len(profiles.COUNTED), "llvm-profdata",
    ]  # fmt: skip
    digest = hashlib.sha256(b"counts").hexdigest()[:16]
    counts = tmp_path / "guided" / f"{digest}.profdata"
    assert settings == {"RUSTFLAGS": f"-Cdebuginfo=0 -Cprofile-use={counts}"}
    assert counts.read_text() == "counts"


def test_a_count_is_compared_with_the_record_in_percent() -> None:
    recorded = dict.fromkeys(instructions.COLUMNS, 2000.0)
    counts = {**recorded, "gauge": 1990.0, instructions.MEAN: 2100.0}
    shown = instructions.changes(counts, recorded)
    assert shown == ["+0.0 %", "+0.0 %", "-0.5 %", "+5.0 %", "+0.0 %"]


def test_the_record_has_every_stack_and_column() -> None:
    recorded = json.loads(instructions.RECORD.read_text())
    assert list(recorded) == list(instructions.STACKS)
    assert all(list(columns) == list(instructions.COLUMNS) for columns in recorded.values())
