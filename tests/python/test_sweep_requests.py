"""Sweeps' files: how they are read, and what is said where they are wrong."""

import json
import pathlib
import re
import tomllib
from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs
from flowstart.errors import RequestError
from flowstart.model.definitions import parts
from flowstart.sweeps.language import law_tables
from flowstart.sweeps.language.law_tables import published
from flowstart.sweeps.language.schema import schema
from flowstart.sweeps.language.sweep import Sweep

EXAMPLE = """
seeds = 3                                  # common to all startups
startups = ["slow-start", "hystart", "search"]
stack = "linux"
[path]                                     # a value, a list, or a law
rate = { log = ["1Mbps", "1Gbps"] }
rtt = { log = ["5ms", "600ms"] }
buffer = ["0.5bdp", "1bdp", "max(10pkt, 2bdp)"]
queue = ["drop-tail", "fq-codel"]
[flow]
size = ["100kB", "1MB"]
[competing]
kinds = ["alone", "long", "short"]
[sample]
paths = 1000                               # without it: the grid
seed = 1
"""
MINE = """
import flowstart as fs

class Mine(fs.Startup):
    def on_ack(self, w, a):
        w.cwnd += w.segments(a.acked)
"""
SMALL: dict[str, Any] = {
    "path": {"rate": "10Mbps", "rtt": "50ms"},
    "flow": {"size": "1MB"},
}
A_RATE = "is not a rate with a unit, such as `5Mbps`, `384kbps` or `1Gbps`"
A_SIZE = "is not a size with a unit, such as `60pkt`, `1bdp`, `100kB` or `1.5MiB`"


def complaint(document: dict[str, Any]) -> str:
    """What is wrong with a sweep, in a line."""
    with pytest.raises(RequestError) as found:
        Sweep.of(document)
    assert "\n" not in str(found.value)
    return str(found.value)


def of_path(**fields: Any) -> str:
    """What is wrong with some fields of a path."""
    return complaint(SMALL | {"path": SMALL["path"] | fields})


def test_the_example_of_the_plan_works_as_it_stands(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(EXAMPLE)
    sweep = Sweep.read(file)
    assert [variant.name for variant in sweep.variants] == ["slow-start", "hystart", "search"]
    assert sweep.count == 1000 * 3 * 2 * 2 * 3 * 3
    first = next(sweep.cells())
    assert first.stack == {"preset": "linux"}
    assert set(first.path) == {"rate", "rtt", "buffer", "queue"}


PAGE = pathlib.Path(__file__).parents[2] / "docs" / "reference" / "sweep-files.md"


@pytest.mark.parametrize("text", re.findall(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), re.S))
def test_the_files_of_the_page_work(text: str) -> None:
    assert next(Sweep.of(tomllib.loads(text)).cells())


def test_the_page_has_every_law_and_every_published_distribution() -> None:
    page = PAGE.read_text("utf-8")
    assert all(f"`{name}`" in page for name in published())
    assert all(f"{{ {name} =" in page for name in law_tables.NAMES)


def test_python_says_the_same_as_a_file(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text('[path]\nrate = "10Mbps"\nrtt = "50ms"\n[flow]\nsize = "1MB"\n')
    assert list(fs.Sweep.read(file).cells()) == list(fs.Sweep.of(SMALL).cells())


def test_what_was_asked_is_json_with_what_is_usual() -> None:
    asked = Sweep.of(SMALL | {"startups": "all", "sample": {"paths": 3}}).document
    assert json.loads(json.dumps(asked)) == asked
    assert len(asked["variants"]) == len([a for a in fs.list_algorithms() if a.kind == "startup"])
    assert asked["sample"] == {"paths": 3, "seed": 1, "method": "random"}
    assert asked["competing"] == {"kinds": ["alone"]}


def test_startups_and_variants_stand_beside_each_other() -> None:
    sweep = Sweep.of(
        SMALL
        | {
            "startups": ["slow-start", "limited-slow-start:max_ssthresh=50"],
            "variants": [
                "iw30: startup=hystart iw=30",
                fs.Variant("paced", stack="linux:pacing=internal"),
            ],
        }
    )
    names = [variant.name for variant in sweep.variants]
    assert names == ["iw30", "paced", "slow-start", "limited-slow-start:max_ssthresh=50"]


def test_startups_may_be_classes() -> None:
    class Eager(fs.Startup):
        def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> None:
            w.cwnd += 2 * w.segments(a.acked)

    sweep = Sweep.of(SMALL | {"startups": ["slow-start", Eager]})
    assert [variant.name for variant in sweep.variants] == ["slow-start", "Eager"]
    assert "Eager" in sweep.custom.known


def test_a_file_runs_startups_of_files_only_where_that_is_allowed(tmp_path: pathlib.Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    file = tmp_path / "sweep.toml"
    file.write_text(
        'startups = ["./mine.py:Mine"]\n'
        '[path]\nrate = "10Mbps"\nrtt = "50ms"\n[flow]\nsize = "1MB"\n'
    )
    with pytest.raises(RequestError, match=r"startups\[0\]: `./mine.py:Mine` is Python code"):
        Sweep.read(file)
    (variant,) = Sweep.read(file, allow_python=True).variants
    assert variant.name.endswith("mine.py:Mine")


def test_variants_of_a_file_name_its_python_likewise(tmp_path: pathlib.Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    file = tmp_path / "sweep.toml"
    file.write_text(
        'variants = ["own: startup=mine.py:Mine iw=20"]\n'
        '[path]\nrate = "10Mbps"\nrtt = "50ms"\n[flow]\nsize = "1MB"\n'
    )
    with pytest.raises(RequestError, match=r"variants\[0\]: `mine.py:Mine` is Python code"):
        Sweep.read(file)
    assert [v.name for v in Sweep.read(file, allow_python=True).variants] == ["own"]


def test_traces_are_looked_for_beside_the_file(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "up.trace").write_text("1\n2\n4\n")
    file = tmp_path / "in" / "sweep.toml"
    file.write_text(
        '[path]\nrate_trace = "up.trace"\nrtt = "50ms"\nbuffer = "100pkt"\n[flow]\nsize = "1MB"\n'
    )
    monkeypatch.chdir(tmp_path)
    (cell,) = Sweep.read(file).cells()
    assert cell.path["rate_trace"] == "in/up.trace"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("path = [", "Invalid value"),
        ("\xff", "not a text file; a sweep is TOML in UTF-8"),
    ],
)
def test_a_file_that_is_no_toml_is_named(
    tmp_path: pathlib.Path, content: str, problem: str
) -> None:
    file = tmp_path / "sweep.toml"
    file.write_bytes(content.encode("latin-1"))
    with pytest.raises(RequestError, match=problem) as found:
        Sweep.read(file)
    assert str(found.value).startswith(str(file))


def test_a_file_that_is_not_there_is_named(tmp_path: pathlib.Path) -> None:
    with pytest.raises(RequestError, match=r"no.toml: there is no such file"):
        Sweep.read(tmp_path / "no.toml")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"pth": {}}, "pth: `pth` is unknown; did you mean `path`?"),
        ({"path": 5}, "path: `5` is not a table"),
        ({"flow": {}}, "flow.size: missing; one is needed, such as `1MB`, or several"),
        ({"flow": {"siz": "1MB"}}, "flow.siz: `siz` is unknown; did you mean `size`?"),
        ({"flow": {"size": "1"}}, f"flow.size: `1` {A_SIZE}"),
        (
            {"flow": {"size": "1MB", "stack": "linux"}},
            "flow.stack: not here; give `stack` at the top",
        ),
        ({"startups": ["slw-start"]}, "startup `slw-start`: unknown; did you mean `slow-start`?"),
        ({"startups": []}, "no startup is given"),
        ({"startups": ["hystart", "hystart"]}, "startup `hystart` is given twice"),
        ({"variants": ["x: iw=ten"]}, "variant `x`: stack.iw: `ten` is not an initial window"),
        ({"variants": "x: iw=10"}, "variants: `x: iw=10` is not a list of text"),
        ({"stack": "linus"}, "stack.preset: `linus` is unknown; did you mean `linux`?"),
        ({"stack": ["linux", "linux"]}, "stack: `linux` is given twice"),
        ({"stack": 5}, "stack: `5` is neither a name, such as `linux`, nor a table"),
        ({"cc": "cubik"}, "cc `cubik`: unknown; did you mean `cubic`?"),
        ({"cc": []}, "cc: an empty list; leave it out, or give a value"),
        (
            {"competing": {"kinds": ["lng"]}},
            "competing.kinds.lng: `lng` is unknown; did you mean `long`?",
        ),
        (
            {"competing": {"kind": ["long"]}},
            "competing.kind: `kind` is unknown; did you mean `kinds`?",
        ),
        ({"seeds": 0}, "seeds: `0` is not right; their number, 1 to 10000, or a list"),
        ({"seeds": []}, "seeds: an empty list; leave it out, or give a value"),
        ({"seeds": [1, 1]}, "seeds: `1` is given twice"),
        ({"seeds": ["one"]}, "seeds: `one` is not a seed, a whole number from 0"),
        ({"sample": {"paths": 0}}, "sample.paths: `0` is not right; a whole number of 1 to"),
        ({"sample": {}}, "sample.paths: missing; the number of paths is needed"),
        (
            {"sample": {"paths": 9, "method": "sobol"}},
            "sample.method: `sobol` is unknown; there are random, halton, latin-hypercube",
        ),
        (
            {"sample": {"paths": 10**9}, "seeds": 4},
            "the sweep has 4000000000 cells; at most 1000000000 are possible",
        ),
        ({"split": {"train": 1}}, "split.train: `1` is not right; a share between 0 and 1"),
        (
            {"split": {"train": 0.5}, "seeds": [1, 1000001]},
            "seeds: `1000001` with `1`: paths of the test set have seeds that are",
        ),
        ({"paths": []}, "paths: `[[paths]]` tables are needed, one for each family of paths"),
        ({"paths": [{"weight": -1}]}, "paths[0].weight: `-1` is not right; a number from 0"),
        ({"paths": [{"weight": 0}]}, "paths.weight: all are 0, so no path could be drawn"),
        (
            {"paths": [{"weigth": 1}]},
            "paths[0].weigth: `weigth` is unknown; did you mean `weight`?",
        ),
        (
            {"path": {"named": "leo"}, "paths": [{}]},
            "path.named: with `[[paths]]` it belongs into one of those",
        ),
        ({"path": {"named": "lo"}}, "no path is called `lo`"),
        ({"path": {"named": ["leo", "leo"]}}, "path.named: `leo` is given twice"),
        (
            {"path": {"named": "leo", "captures": "x.pcap"}},
            "path: `named` and `captures`; one of the two is needed",
        ),
        ({"path": {"captures": "no.pcap"}}, "cannot open no.pcap"),
        (
            {"path": {"named": "leo", "perturb": {"rat": [1, 2]}}},
            "path.perturb.rat: `rat` is not a field of this path (leo)",
        ),
        (
            {"path": {"named": "leo", "rate": "5Mbps", "perturb": {"rate": [1, 2]}}},
            "path.perturb.rate: `rate` is given as well (leo)",
        ),
        (
            {"path": {"named": "leo", "perturb": {"rate": ["5Mbps", 2]}}},
            "path.perturb.rate: `5Mbps` is not what it takes; a number is needed",
        ),
        ({"path": {"rtt": "50ms"}}, "path.rate: missing; a path needs one, such as `5Mbps`"),
    ],
)
def test_a_wrong_request_is_refused_in_a_line(given: dict[str, Any], message: str) -> None:
    assert complaint(SMALL | given).startswith(message)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("bufer", "1pkt", "path.bufer: `bufer` is unknown; did you mean `buffer`?"),
        ("rate", 5, f"path.rate: `5` {A_RATE}"),
        ("rate", "5Mbs", f"path.rate: `5Mbs` {A_RATE}; did you mean `5Mbps`?"),
        ("rate", "2*rtt", "path.rate: `2*rtt`: this is a time; a rate is needed"),
        ("rate", [], "path.rate: an empty list; leave it out, or give a value"),
        ("rate", "1Mbps/0", f"path.rate: `inf` {A_RATE}"),
        ("rate", ["1Mbps", "5"], f"path.rate: `5` {A_RATE}"),
        (
            "rate",
            {"lgo": ["1Mbps", "2Mbps"]},
            "path.rate: a table without a law; did you mean `log`?",
        ),
        (
            "rate",
            {"log": ["1Mbps"]},
            'path.rate.log: `["1Mbps"]` is not right; a list of two values',
        ),
        ("rate", {"log": ["1Mbps", "2ms"]}, f"path.rate: `2ms` {A_RATE}"),
        (
            "rate",
            {"log": ["0bps", "2Mbps"]},
            "path.rate.log[0]: `0bps` is not right; one above zero",
        ),
        (
            "rate",
            {"log": ["1Mbps", "2Mbps"], "step": 3},
            "path.rate.step: `step` is unknown; did you mean `steps`?",
        ),
        (
            "rate",
            {"log": ["1Mbps", "2Mbps"], "steps": 0},
            "path.rate.steps: `0` is not right; a whole number of 1 to 100000 is needed",
        ),
        (
            "rate",
            {"log": ["1Mbps", "2Mbps"], "linear": ["1Mbps", "2Mbps"]},
            "path.rate: `log` and `linear`; one law is needed",
        ),
        (
            "rate",
            {"choice": ["1Mbps", "2Mbps"], "weights": [1]},
            "path.rate.weights: `[1]`: 2 numbers, none below zero and one above, are needed",
        ),
        (
            "rate",
            {"lognormal": {"median": "1Mbps"}},
            'path.rate.lognormal: `{"median": "1Mbps"}` is not right; `{ median = ..., sigma',
        ),
        (
            "rate",
            {"lognormal": {"median": "1Mbps", "sigma": -1}},
            "path.rate.lognormal.sigma: `-1` is not right; one above zero is needed",
        ),
        (
            "rate",
            {"log": ["1Mbps", "2Mbps"], "as": "{}"},
            "path.rate.as: the field takes a rate, not text",
        ),
        ("rtt", {"law": "edgertt"}, "path.rtt.law: no published distribution is called `edgertt`"),
        (
            "rtt",
            {"law": "access-rates"},
            "path.rtt.law: `access-rates` is of a rate; a time is needed",
        ),
        (
            "rtt",
            {"normal": {"mean": "10ms", "sd": "8ms"}},
            "path.rtt: `-19750000ns` is negative; 0 or more",
        ),
        ("buffer", "buffer/2", "path.buffer: depends on itself (buffer → buffer)"),
        ("buffer", "-3pkt", "path.buffer: `-3pkt` is negative; 0 or more"),
        ("buffer", "1bdp-1bdp", "path.buffer: `0pkt` is out of range; at least `1pkt` is"),
        ("rate", "\u0661Mbps", "path.rate: `\u0661Mbps`: `\u0661` has no meaning here"),
        ("queue", "drop", "path.queue: queue `drop`: unknown; did you mean `drop-tail`?"),
        ("queue", ["drop-tail", "fq_codel"], "path.queue: queue `fq_codel`: unknown; did you mean"),
        ("queue", ["drop-tail", ["red"]], "path.queue: `['red']` is not right; a single value is"),
        (
            "queue",
            {"log": ["1ms", "2ms"]},
            "path.queue: `log` draws quantities; values of text are needed, or a law with `as",
        ),
        (
            "jitter",
            {"log": ["1ms", "2ms"], "as": "uniform:most="},
            "path.jitter.as: `uniform:most=` is not right; text with `{}`",
        ),
        (
            "jitter",
            {"log": ["1ms", "2Mbps"], "as": "uniform:most={}"},
            "path.jitter: a time and a rate in one law",
        ),
        ("loss_burst", 5, "path.loss_burst: there is no loss to come in bursts; give `path.loss`"),
        (
            "perturb",
            {"rate": [1, 2]},
            "path.perturb: changes nothing without `named` or `captures`",
        ),
        ("columns", "time=ts", "path.columns: changes nothing without `captures`"),
        (
            "buffer",
            {"by": "queue", "cases": {"red": "1bdp"}, "else": "2bdp"},
            "path.buffer.by: there is no `queue` in this cell",
        ),
        (
            "buffer",
            {"by": "rate", "cases": {"red": "1bdp"}, "else": "2bdp"},
            "path.buffer.by: `rate` is a quantity; a field whose values are names is needed",
        ),
    ],
)
def test_a_wrong_field_of_a_path_is_refused_in_a_line(field: str, value: Any, message: str) -> None:
    assert of_path(**{field: value}).startswith(message)


def test_a_circle_of_several_fields_is_told() -> None:
    message = of_path(buffer="reverse_buffer/2", reverse_buffer="buffer*2")
    assert message == "path.buffer: depends on itself (buffer → reverse_buffer → buffer)"


def test_a_case_of_a_value_that_never_comes_is_refused() -> None:
    buffer = {"by": "queue", "cases": {"fq_codel": "1bdp"}, "else": "2bdp"}
    message = of_path(buffer=buffer, queue=["drop-tail", "fq-codel:target=5ms"])
    assert message.startswith("path.buffer.cases: `queue` is never `fq_codel`; did you mean")


def test_an_expression_cannot_depend_on_what_may_be_left_out() -> None:
    message = of_path(policer_rate=["none", "rate/4"], reverse_rate="policer_rate*2")
    problem = "depends on `policer_rate`, which some cells leave out (`none`)"
    assert message == f"path.reverse_rate: {problem}"


def test_a_value_is_refused_wherever_it_stands_in_a_list() -> None:
    message = of_path(policer_rate="5Mbps", policer_burst=["100kB", "1B"])
    assert message.startswith("path.policer_burst: `1B` is out of range")


def test_the_schema_knows_every_field_of_paths_and_flows() -> None:
    properties = schema()["properties"]
    assert {f.name for f in parts()["NetworkPath"].fields} <= set(properties["path"]["properties"])
    flow = {f.name for f in parts()["Flow"].fields} - {"startup", "cc", "stack"}
    assert flow == set(properties["flow"]["properties"])


def test_the_schema_refers_to_what_it_has() -> None:
    text = json.dumps(schema())
    defined = set(schema()["$defs"])
    named = {piece.partition('"')[0] for piece in text.split("#/$defs/")[1:]}
    assert named <= defined


def test_the_schema_is_printed(cli: Callable[..., Any]) -> None:
    assert json.loads(cli("schema", "sweep").out) == schema()
