"""Named combinations of stack, cc, startup, pacing and window."""

import pathlib
from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs
from flowstart.model.custom import CustomStartups
from flowstart.model.variants import Variant, read, settled

Cli = Callable[..., Any]
PATH = fs.NetworkPath(rate="20Mbps", rtt="60ms", buffer="100pkt")


@pytest.mark.parametrize(
    ("text", "flow"),
    [
        (
            "cubic-iw30: cc=cubic startup=hystart:iw=30",
            {"startup": "hystart:iw=30", "cc": "cubic"},
        ),
        (
            "paced: iw=30 pacing=internal",
            {"startup": "slow-start", "stack": {"iw": "30", "pacing": "internal"}},
        ),
        (
            "other: stack=quic:iw=30 tso=false",
            {"startup": "slow-start", "stack": {"preset": "quic", "iw": "30", "tso": False}},
        ),
        ("bbr: cc=bbr", {"startup": "bbr-startup", "cc": "bbr"}),
    ],
)
def test_a_text_says_what_a_flow_does_and_is_written_again(text: str, flow: object) -> None:
    variant = Variant.parse(text)
    assert variant.flow() == flow
    assert Variant.parse(variant.written) == variant


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("iw=30", "variant `iw=30`: should be written `name: key=value ...`"),
        ("iw30:", "variant `iw30:`: should be written"),
        ("iw30: 30", "variant `iw30: 30`: `30` should be written key=value"),
        ("a: iw=3 iw=4", "variant `a: iw=3 iw=4`: `iw` is given twice"),
        ("a: windo=3", "variant `a`: `windo` is unknown; did you mean `window`"),
        ("a: stack=linux:iw=3 iw=4", "variant `a`: `iw` is given twice, once within `stack`"),
    ],
)
def test_a_wrong_text_is_refused_in_a_line(text: str, problem: str) -> None:
    with pytest.raises(fs.RequestError) as raised:
        Variant.parse(text)
    assert str(raised.value).startswith(problem)


def test_a_name_with_a_control_character_is_refused() -> None:
    with pytest.raises(
        fs.RequestError, match=r"variant `a\\x01b`: the name has a control character"
    ):
        Variant("a\x01b", "hystart")
    assert Variant("a\xa0é", "hystart").name == "a\xa0é"


def test_variants_come_from_a_file(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "variants.toml"
    file.write_text(
        '[[variant]]\nname = "a"\nstartup = "hystart"\niw = 30\n\n'
        '[[variant]]\nname = "b"\ncc = "bbr"\nstack = "linux:pacing=internal"\n'
    )
    assert [v.flow() for v in read(file)] == [
        {"startup": "hystart", "stack": {"iw": 30}},
        {
            "startup": "bbr-startup",
            "cc": "bbr",
            "stack": {"preset": "linux", "pacing": "internal"},
        },
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "`[[variant]]` tables are needed, each with a `name`"),
        ("[[variant]]\nstartup = 'hystart'", "variant[0].name: missing; a text is needed"),
        ("[[variant]", "not TOML: "),
    ],
)
def test_a_wrong_file_is_refused_with_its_name(
    text: str, problem: str, tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "variants.toml"
    file.write_text(text)
    with pytest.raises(fs.RequestError) as raised:
        read(file)
    assert str(raised.value).startswith(f"{file}: {problem}")


OWN = "class Own(fs.Startup):\n    def on_ack(self, w, a):\n        w.cwnd += 1\n"


@pytest.fixture
def with_python(tmp_path: pathlib.Path) -> pathlib.Path:
    """A file of variants beside the startup that it names, which notes that it has run."""
    (tmp_path / "own.py").write_text(
        "import pathlib\nimport flowstart as fs\n\n"
        f"pathlib.Path({str(tmp_path / 'ran')!r}).touch()\n\n{OWN}"
    )
    file = tmp_path / "variants.toml"
    file.write_text('[[variant]]\nname = "mine"\nstartup = "own.py:Own"\niw = 4\n')
    return file


CAPTURE = pathlib.Path(__file__).parent.parent / "data" / "captures" / "small.pcap"
SETTINGS = [
    pytest.param(("compare", "--rate", "5Mbps", "--rtt", "64ms", "--size", "30kB"), id="path"),
    pytest.param(("replay", CAPTURE, "--no-uncertainty"), id="capture"),
]


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_file_of_variants_runs_python_only_where_that_is_allowed(
    cli: Cli, with_python: pathlib.Path, setting: tuple[object, ...]
) -> None:
    words = (*setting, "--variant", with_python)
    message = (
        f"{with_python}: variant[0].startup `own.py:Own` is Python code, which a file of "
        "variants runs with --allow-python only (from Python, allow_python=True)"
    )
    assert cli(*words) == (2, "", f"flowstart: {message}\n")
    assert not (with_python.parent / "ran").exists()
    answer = cli(*words, "--allow-python")
    assert (answer.status, answer.err) == (0, "")
    assert (with_python.parent / "ran").exists()


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_variant_on_the_command_line_may_name_python_as_a_startup_may(
    cli: Cli, with_python: pathlib.Path, setting: tuple[object, ...]
) -> None:
    own = with_python.parent / "own.py"
    answer = cli(*setting, "--variant", f"mine: startup={own}:Own iw=4")
    assert (answer.status, answer.err) == (0, "")
    assert f"startup={own}:Own" in answer.out


def test_a_variant_of_a_file_does_what_its_startup_in_python_says(
    with_python: pathlib.Path,
) -> None:
    own = with_python.parent / "own.py"
    listed = read(with_python, allow_python=True)
    found = fs.compare(PATH, variants=listed, sizes=["200kB"])
    alone = fs.compare(PATH, startups=[f"{own}:Own"], sizes=["200kB"], stack={"iw": 4})
    assert found.records[0]["fct_s"] == alone.records[0]["fct_s"]


def test_a_startup_by_itself_bears_its_name_and_no_name_is_given_twice() -> None:
    found = settled(["iw30: iw=30"], ["slow-start", "jump-start"], CustomStartups())
    assert [v.name for v in found] == ["iw30", "slow-start", "jump-start"]
    with pytest.raises(fs.RequestError, match="variant `slow-start` is given twice"):
        settled(["slow-start: iw=30"], ["slow-start"], CustomStartups())


def test_a_variant_is_compared_under_its_name_with_its_own_stack() -> None:
    result = fs.compare(
        PATH,
        variants=[fs.Variant("more", startup="hystart", stack="linux:iw=30"), "bbr: cc=bbr"],
        startups=["hystart"],
        sizes=["200kB"],
    )
    rows = {row["variant"]: row for row in result.records}
    named = [(name, row["startup"], row["cc"], row["stack"]) for name, row in rows.items()]
    assert named == [
        ("more", "hystart", "cubic", "linux"),
        ("bbr", "bbr-startup", "bbr", "linux"),
        ("hystart", "hystart", "cubic", "linux"),
    ]
    alone = fs.compare(PATH, startups=["hystart"], sizes=["200kB"], stack="linux:iw=30")
    assert rows["more"]["fct_s"] == alone.records[0]["fct_s"]


def test_a_variant_changes_no_background_flow() -> None:
    scenario = {
        "path": {"rate": "20Mbps", "rtt": "60ms", "buffer": "100pkt"},
        "flows": [{"size": "200kB", "start": "20s"}, {"startup": "slow-start", "size": "1MB"}],
    }
    result = fs.compare(scenario, variants=["a: iw=2", "b: iw=30"])
    background = [row["fct_s"] for row in result.records if not row["tested"]]
    assert background[0] == background[1]
    tested = {row["variant"]: row["fct_s"] for row in result.records if row["tested"]}
    assert tested["b"] < tested["a"]


def test_a_variant_has_its_own_cached_state() -> None:
    variant = Variant.parse("x4: startup=careful-resume cached_cwnd=4bdp cached_rtt=20ms")
    assert variant.flow()["cached_cwnd"] == "4bdp"
    assert variant.written == "x4: startup=careful-resume cached_cwnd=4bdp cached_rtt=20ms"
    path = fs.NetworkPath(rate="50Mbps", rtt="150ms")
    right = "right: startup=careful-resume cached_cwnd=1bdp"
    result = fs.compare(path, variants=[right, variant], sizes=["1MB"], uncertainty=False)
    assert any("a cwnd of 1bdp, 4bdp" in note for note in result.notes)
    times = {s.startup: s.fct_s for s in result.summaries}
    assert times["right"] != times["x4"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("stack = 1.5", "stack = 1.5: a preset's name or a table of fields is needed"),
        ("stack = [1]", "stack = [1]: a preset's name or a table of fields is needed"),
        ("stack = { preset = 1 }", "stack = {'preset': 1}: a preset's name or a table"),
        ("cc = 1", "cc = 1: a text is needed"),
        ("cc = []", "cc = []: a text is needed"),
    ],
)
def test_a_value_of_the_wrong_type_in_a_file_is_refused(
    tmp_path: pathlib.Path, line: str, said: str
) -> None:
    (tmp_path / "variants.toml").write_text(f'[[variant]]\nname = "a"\n{line}\n')
    with pytest.raises(fs.RequestError) as error:
        read(tmp_path / "variants.toml")
    assert str(error.value).startswith(f"variant `a`: {said}")
