"""What there is by name, what a result says of itself, and what is refused with a way out."""

import itertools
import json
import pathlib
import re
from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs
from flowstart.model import stack
from flowstart.model.path import named_paths

Cli = Callable[..., Any]
ROOT = pathlib.Path(__file__).parent.parent.parent
PATH = ("--rate", "5Mbps", "--rtt", "64ms")

# What there is.


def test_paths_are_listed_and_one_is_shown_with_its_fields(cli: Cli) -> None:
    listed = cli("paths")
    assert listed.status == 0
    assert all(name in listed.out for name in named_paths())
    leo = cli("paths", "leo").out
    for name, value in named_paths()["leo"].items():
        assert value in " ".join(leo.split())
        assert name == "about" or f" {name} " in leo
    assert "flowstart compare --path leo" in leo


def test_paths_as_json_have_all_fields(cli: Cli) -> None:
    listed = json.loads(cli("paths", "--json").out)
    assert [{"name": name, **fields} for name, fields in named_paths().items()] == listed
    assert json.loads(cli("paths", "leo", "--json").out) in listed


def test_stacks_stand_beside_each_other_and_one_is_shown_in_full(cli: Cli) -> None:
    listed = " ".join(cli("stacks", "--details").out.split())
    lines = cli("stacks", "--details").out.splitlines()
    assert all(f"{name}: {about}." in listed for name, about in stack.PRESETS.items())
    timers = [line.split()[1:] for line in lines if line.startswith(" rto_min ")]
    values = dict(zip(stack.PRESETS, itertools.chain(*timers), strict=True))
    assert values["rfc"] == "1s" and values["linux"] == "200ms" and values["quinn"] == "0s"
    assert max(map(len, lines)) <= 80
    linux = cli("stacks", "linux").out
    assert " recovery " in linux and " rack " in linux
    fields = json.loads(cli("stacks", "linux", "--json").out)
    assert (fields["name"], fields["recovery"]) == ("linux", "rack")
    assert fields in json.loads(cli("stacks", "--json").out)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("paths", "wfi"), "no path is called `wfi`; did you mean `wifi`?"),
        (
            ("stacks", "lunix"),
            "`lunix` is unknown; did you mean `linux`? (all: flowstart stacks)",
        ),
        (
            ("compare", "--rate", "1Mbps", "--rtt", "9ms", "--stack", "nooq"),
            "--stack: `nooq` is unknown; did you mean `noq`? (all: flowstart stacks)",
        ),
        (("algorithms", "pcc"), "no algorithm is called `pcc`; did you mean `pcc-start`?"),
        (
            ("algorithms", "swift"),
            "no algorithm is called `swift`; did you mean `swift-start` or `modified-swift-start`?",
        ),
    ],
)
def test_a_name_that_is_nearly_right_is_answered_with_the_right_one(
    cli: Cli, words: tuple[str, ...], message: str
) -> None:
    assert cli(*words) == (2, "", f"flowstart: {message}\n")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("--stack", "rfc:restart=none"), "keep"),
        (("--startup", "HyStart++"), "hystart-plus-plus"),
    ],
)
def test_a_word_from_elsewhere_is_answered_with_what_it_means(
    cli: Cli, words: tuple[str, ...], meant: str
) -> None:
    answer = cli("compare", *PATH, *words)
    assert (answer.status, answer.out) == (2, "")
    assert f"did you mean `{meant}`?" in answer.err


@pytest.mark.parametrize(
    ("given", "startup", "cc"),
    [
        ("hystart++", "hystart-plus-plus", "cubic"),
        ("hystart++:css_rounds=3", "hystart-plus-plus:css_rounds=3", "cubic"),
        ("bbr", "bbr-startup", "bbr"),
        ("reno", "slow-start", "reno"),
        ("newreno", "slow-start", "reno"),
        ("cubic", "slow-start", "cubic"),
    ],
)
def test_common_names_are_taken_as_startups(cli: Cli, given: str, startup: str, cc: str) -> None:
    """A congestion control stands for itself with its usual startup."""
    words = ("compare", *PATH, "--stack", "linux", "--size", "10kB", "--startup", given, "--json")
    (row,) = json.loads(cli(*words).out)["rows"]
    assert (row["startup"], row["cc"]) == (startup, cc)


def test_prague_is_taken_as_a_startup(cli: Cli) -> None:
    words = (*PATH, "--stack", "linux:ecn=l4s", "--queue", "dualpi2", "--size", "10kB")
    answer = cli("compare", *words, "--startup", "prague", "--json")
    assert json.loads(answer.out)["rows"][0]["cc"] == "prague"


def test_the_size_of_a_segment_is_shown_in_bytes(cli: Cli) -> None:
    assert re.search(r" mss +1448B ", cli("stacks", "linux").out)


# What results say of themselves.


def test_a_comparison_says_what_was_compared_and_shows_its_table(path: fs.NetworkPath) -> None:
    result = fs.compare(path, startups=["slow-start", "jump-start"], sizes=["10kB", "30kB"])
    said = str(result)
    assert said.startswith(result.headline + "\n")
    assert said.count("jump-start") == 2
    assert repr(result) == "<Comparison of 2 startups: 4 runs, 4 rows>"


def test_what_does_not_fit_on_a_screen_is_counted(
    path: fs.NetworkPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("COLUMNS", "80")
    sizes = [f"{n}kB" for n in range(1, 11)]
    startups = ["slow-start", "jump-start"]
    said = str(fs.compare(path, startups=startups, sizes=sizes, uncertainty=False))
    assert "\n6 more rows: `.table`, or one row per flow in `.frame`" in said
    assert "\nHidden, too narrow: retrans., ÷ BDP, queue.\n" in said
    assert all(len(line) <= 80 for line in said.splitlines()[1:])


def test_a_run_and_a_capture_say_what_they_are(path: fs.NetworkPath) -> None:
    run = fs.run(fs.Scenario(path=path, flows=[fs.Flow(size="30kB", count=2)]), trace=True)
    assert str(run).startswith(run.headline + "\n")
    assert str(run).count("slow-start") == 2
    assert repr(run).startswith("<Run of 2 flows, 0.")
    assert repr(run).endswith(" s, traced>")
    found = fs.read_capture(ROOT / "tests/data/captures/small.pcap")
    assert "11 TCP connections" in str(found).splitlines()[0]
    assert repr(found).endswith("small.pcap: 11 connections, 38 transfers>")


# Stacks as text.


def test_a_stack_may_be_text_wherever_it_stands(
    tmp_path: pathlib.Path, path: fs.NetworkPath
) -> None:
    flow: dict[str, Any] = {"size": "30kB", "startup": "slow-start"}
    plain: dict[str, Any] = {"rate": "5Mbps", "rtt": "64ms"}
    file = tmp_path / "a.toml"
    file.write_text(
        'stack = "linux:iw=4"\npath = {rate = "5Mbps", rtt = "64ms"}\n'
        'flows = [{size = "30kB", startup = "slow-start"}]\n'
    )
    stacks = [
        fs.run(like).resolved["stack"]
        for like in (
            file,
            {"path": plain, "stack": "linux:iw=4", "flows": [flow]},
            {"path": plain, "stack": {"preset": "linux", "iw": "4"}, "flows": [flow]},
            fs.Scenario(path=fs.NetworkPath(**plain), stack="linux:iw=4", flows=[fs.Flow(**flow)]),
        )
    ]
    assert [(one["preset"], one["iw"]) for one in stacks] == [("linux", "4pkt")] * 4
    assert fs.compare(path, stack="linux", sizes=["10kB"]).resolved["stack"]["preset"] == "linux"
    assert {"type": "string"}.items() <= fs.json_schema()["properties"]["stack"]["anyOf"][1].items()


# What is refused.


@pytest.mark.parametrize(
    ("option", "value", "meant"),
    [
        ("--rate", "5Mbit", "5Mbps"),
        ("--rate", "5mbps", "5Mbps"),
        ("--rate", "10 MB", "80Mbps"),
        ("--rtt", "64 msec", "64ms"),
        ("--buffer", "60packets", "60pkt"),
        ("--size", "100kbyte", "100kB"),
    ],
)
def test_another_spelling_of_a_unit_is_answered_with_ours(
    cli: Cli, option: str, value: str, meant: str
) -> None:
    given = {"--rate": "5Mbps", "--rtt": "64ms"} | {option: value}
    answer = cli("compare", *(word for pair in given.items() for word in pair))
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.endswith(f"; did you mean `{meant}`?\n")
    assert answer.err.startswith(f"flowstart: {option}: `{value}` is not a")


def test_a_message_speaks_of_options_where_options_were_given(cli: Cli) -> None:
    answer = cli("compare", *PATH, "--jitter-every", "5ms")
    right = "there is no jitter; give `--jitter` or `--reverse-jitter`"
    assert answer == (2, "", f"flowstart: --jitter-every: {right}\n")


@pytest.fixture
def with_python(tmp_path: pathlib.Path) -> pathlib.Path:
    """A scenario's file that names a startup beside it, which leaves a mark where it is run."""
    (tmp_path / "own.py").write_text(
        "import pathlib\nimport flowstart as fs\n\n"
        f"pathlib.Path({str(tmp_path / 'ran')!r}).touch()\n\n"
        "class Own(fs.Startup):\n    def on_ack(self, w, a):\n        w.cwnd += 1\n"
    )
    file = tmp_path / "own.toml"
    file.write_text(
        'path = {rate = "5Mbps", rtt = "64ms"}\n'
        'flows = [{size = "30kB"}, {size = "30kB", startup = "own.py:Own"}]\n'
    )
    return file


@pytest.mark.parametrize("command", ["run", "compare"])
def test_a_scenarios_file_runs_python_only_where_that_is_allowed(
    cli: Cli, with_python: pathlib.Path, command: str
) -> None:
    message = (
        f"{with_python}: flows[1].startup `own.py:Own` is Python code, which the file of a "
        "scenario runs with --allow-python only (from Python, allow_python=True)"
    )
    assert cli(command, with_python) == (2, "", f"flowstart: {message}\n")
    assert not (with_python.parent / "ran").exists()
    answer = cli(command, with_python, "--allow-python")
    assert (answer.status, answer.err) == (0, "")
    assert (with_python.parent / "ran").exists()
    assert command == "run" or " --allow-python" in answer.out.splitlines()[-1]


def test_from_python_a_file_is_asked_about_too(with_python: pathlib.Path) -> None:
    folder = with_python.parent / "out"
    for refused in (fs.run, fs.compare, lambda file: fs.run(file, sink=folder)):
        with pytest.raises(fs.RequestError, match="allow_python=True"):
            refused(with_python)
    assert len(fs.run(with_python, allow_python=True).records) == 2
    assert fs.compare(with_python, allow_python=True).records
    assert fs.run(with_python, sink=folder, allow_python=True).counts["flows"] == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "w.pacing = 1e6",
            (
                "window.pacing = 1000000.0 of type float: a rate in bits per second, as a whole "
                "number, or None is needed"
            ),
        ),
        (
            "w.timeout = -1",
            (
                "window.timeout = -1 of type int: a time in nanoseconds, as a whole number, or "
                "None is needed"
            ),
        ),
        ("w.cwnd = 'ten'", "window.cwnd = ten of type str: a number of segments is needed"),
        (
            "w.startup_excess = 'yes'",
            "window.startup_excess = yes of type str: True or False is needed",
        ),
    ],
)
def test_what_is_of_another_type_than_a_field_of_the_window_is_refused_with_its_unit(
    line: str, message: str
) -> None:
    with pytest.raises(TypeError) as refused:
        exec(line, {"w": fs.Window(1460)})
    assert str(refused.value) == message
