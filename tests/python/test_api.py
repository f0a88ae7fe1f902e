"""The public names of the package, and their examples."""

import copy
import dataclasses
import doctest
import inspect
import pickle
import pydoc
import re
import typing
from collections.abc import Iterator
from typing import Any

import numpy
import pytest

import flowstart as fs

PUBLIC = {getattr(fs, name) for name in fs.__all__ if isinstance(getattr(fs, name), type)} | {
    getattr(module, name) for module in (fs.signals, fs.spec) for name in module.__all__
}
FUNCTIONS = [name for name in fs.__all__ if inspect.isfunction(getattr(fs, name))]


def _types(annotation: object) -> Iterator[type]:
    """The package's own types that an annotation has."""
    if isinstance(annotation, list | tuple):
        for part in annotation:
            yield from _types(part)
    elif isinstance(annotation, type) and annotation.__module__.startswith("flowstart"):
        yield annotation
    yield from (one for part in typing.get_args(annotation) for one in _types(part))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_take_and_return_exported_types(name: str) -> None:
    hints = typing.get_type_hints(getattr(fs, name))
    missing = {one for hint in hints.values() for one in _types(hint)} - PUBLIC
    assert {f"{one.__module__}.{one.__name__}" for one in missing} == set()


RESULTS = (
    *(fs.Capture, fs.Comparison, fs.LiveComparison, fs.LiveLoad, fs.Replay, fs.Run, fs.RunBatch),
    *(fs.StoredRun, fs.SweepMap, fs.SweepResult, fs.WorstPaths),
)


@pytest.mark.parametrize("kind", RESULTS)
def test_every_result_has_a_frame_and_a_document(kind: type) -> None:
    for name in ("frame", "to_dict"):
        assert hasattr(kind, name) or name in kind.__annotations__, name
    for name in ("rows", "result"):
        assert not hasattr(kind, name) and name not in kind.__annotations__, name


def test_a_path_is_checked_when_it_is_made() -> None:
    with pytest.raises(fs.RequestError, match=r"^path\.rate: `fast` is not a rate with a unit"):
        fs.NetworkPath(rate="fast", rtt="64ms")
    path = fs.NetworkPath(rate="5Mbps", rtt="64ms")
    with pytest.raises(fs.RequestError, match=r"^path\.loss: `2` is not a probability"):
        path.replace(loss=2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"on": "noq", "flows": 2}, "`flows` has no meaning with `on`"),
        ({"clock": "real"}, "`clock` has no meaning without `on`"),
    ],
)
def test_what_a_comparison_cannot_use_is_refused(
    wrong: dict[str, typing.Any], message: str
) -> None:
    with pytest.raises(fs.RequestError, match=f"^{message}"):
        fs.compare(fs.NetworkPath(rate="5Mbps", rtt="64ms"), **wrong)


def test_a_sweep_is_read_again_from_its_folder(tmp_path: typing.Any) -> None:
    question = {
        "path": {"rate": "5Mbps", "rtt": "50ms"},
        "flow": {"size": "20kB"},
        "startups": ["slow-start", "hystart"],
    }
    made = fs.sweep(question, tmp_path, workers=1)
    read = fs.SweepResult.read(tmp_path)
    assert (read.cells, len(read.frame), read.ran) == (made.cells, len(made.frame), 0)
    assert read.map().frame.equals(made.map().frame)


def test_a_row_of_a_sweep_is_run_again_under_its_startup(tmp_path: typing.Any) -> None:
    question = {
        "path": {"rate": "5Mbps", "rtt": "50ms"},
        "flow": {"size": "100kB"},
        "variants": ["iw30: startup=hystart iw=30", "slow-start: startup=slow-start"],
    }
    result = fs.sweep(question, tmp_path, workers=1)
    for row in result.frame.iter_rows(named=True):
        (again,) = result.rerun(row).frame.to_dicts()
        startup = {"iw30": "hystart"}.get(row["startup"], row["startup"])
        assert (again["startup"], again["fct_s"]) == (startup, row["fct_s"])
    with pytest.raises(fs.RequestError, match="`gauge`: the sweep has iw30, slow-start"):
        result.rerun(row | {"startup": "gauge"})


@pytest.mark.parametrize("name", ["", *fs.__all__])
def test_examples_do_what_they_show(name: str) -> None:
    shown = getattr(fs, name) if name else fs
    found = doctest.DocTestFinder(recurse=bool(name)).find(shown, f"fs.{name}", module=False)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for example in found:
        runner.run(example)
    assert runner.failures == 0


@pytest.mark.parametrize("name", fs.__all__)
def test_the_home_of_an_exported_name_is_the_package(name: str) -> None:
    shown = getattr(fs, name)
    if inspect.isfunction(shown) or isinstance(shown, type):
        assert shown.__module__ == "flowstart"
        assert pickle.loads(pickle.dumps(shown)) is shown


def test_numbers_are_read_alike_in_classes_dicts_and_arguments() -> None:
    made = fs.Scenario(
        path=fs.NetworkPath(rate=5e6, rtt=0.064), flows=[fs.Flow(size=20_000)], duration=9
    )
    written = {
        "path": {"rate": 5e6, "rtt": 0.064},
        "flows": [{"size": 20_000}],
        "duration": 9,
    }
    assert fs.run(made).frame.equals(fs.run(written).frame)
    result = fs.compare(made.path, startups=["hystart"], sizes=[20_000], available_rate=5e6)
    assert "--size 20000B" in str(result.command)
    assert "--available-rate 5Mbps" in str(result.command)
    with pytest.raises(fs.RequestError, match="sizes = 20000: a list is needed"):
        fs.compare(made.path, sizes=20_000)  # type: ignore[call-overload]


def test_a_repr_has_what_differs_from_the_defaults() -> None:
    path = fs.NetworkPath(rate="5Mbps", rtt="64ms")
    assert repr(path) == "NetworkPath(rate='5Mbps', rtt='64ms')"
    assert repr(fs.Flow(size=1000)) == "Flow(size='1000B')"


def test_help_of_a_part_of_a_scenario_has_each_field_with_its_default() -> None:
    for kind in (fs.NetworkPath, fs.Endpoint, fs.Flow, fs.WebTraffic, fs.Scenario, fs.Variant):
        for field in dataclasses.fields(kind):
            assert f"\n    {field.name}: " in str(kind.__doc__)
    assert "[1bdp, at least 40pkt]" in str(fs.NetworkPath.__doc__)


CLASSES = [name for name in fs.__all__ if isinstance(getattr(fs, name), type)]


@pytest.mark.parametrize("name", [name for name in CLASSES if name != "Window"])
def test_help_of_a_class_has_its_methods_and_nothing_of_dataclasses(name: str) -> None:
    text = pydoc.plain(pydoc.render_doc(getattr(fs, name)))
    assert re.findall(r"^ \|  \w*__.*|.*functools.*", text, re.MULTILINE) == []


@pytest.mark.parametrize("result", [fs.Run, fs.Comparison, fs.SweepResult, fs.Replay, fs.SweepMap])
def test_help_of_a_result_describes_its_properties_and_no_arguments(result: type) -> None:
    assert re.search(r"\n    frame(?: \(pl.DataFrame\))?: ", str(result.__doc__))
    assert str(inspect.signature(result)) == "()"


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (fs.Endpoint, "windw", "Endpoint() has no field `windw`; did you mean window?"),
        (fs.Scenario, "pth", "Scenario() has no field `pth`; did you mean path?"),
        (fs.NetworkPath, "mood", "NetworkPath() has no field `mood`; help() lists all"),
    ],
)
def test_a_field_that_there_is_not_is_refused_with_the_nearest(
    kind: Any, given: str, message: str
) -> None:
    with pytest.raises(TypeError) as refused:
        kind(**{given: 1})
    assert str(refused.value) == message


def test_help_of_a_window_describes_each_field() -> None:
    fields = [name for name in dir(fs.Window) if not name.startswith("_")]
    assert all(getattr(fs.Window, name).__doc__ for name in fields)


@pytest.mark.parametrize(
    ("location", "value", "text", "option"),
    [
        (("path", "rate"), None, "path.rate: x", "--rate: x"),
        (("path", "hops", 1, "rate"), None, "path.hops[1].rate: x", "--hops[1].rate: x"),
        (("flows", 0, "cached_cwnd"), None, "flows[0].cached_cwnd: x", "--cached-cwnd: x"),
        (("flows", 0, "count"), None, "flows[0].count: x", "--flows: x"),
        (("flows", 0), None, "flows[0]: x", "x"),
        (("stack", "iw"), None, "stack.iw: x", "--stack: iw: x"),
        (("stack", "mss"), None, "stack.mss: x", "--stack: mss: x"),
        (("seed",), -1, "seed = -1: x", "--seed = -1: x"),
        (("speed_tests",), None, "speed_tests: x", "--speed-test: x"),
        (("-o DIR",), None, "-o DIR: x", "-o DIR: x"),
        ((), None, "x", "x"),
    ],
)
def test_an_error_is_one_line_about_its_location_or_its_option(
    location: tuple[str | int, ...], value: object, text: str, option: str
) -> None:
    error = fs.RequestError("x", location, value)
    assert str(error) == text
    assert str(error.in_options()) == option
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.location, again.input) == (text, location, value)


@pytest.mark.parametrize(
    ("location", "written", "option"),
    [
        (("stack", "window"), {"--window"}, "--window: x"),
        (("stack", "window"), {"--stack"}, "--stack: window: x"),
        (("flows", 0, "stack", "window"), {"--window", "--variant"}, "--window: x"),
        (("flows", 0, "stack", "window"), {"--variant"}, "--variant: window: x"),
        (("stack", "mss"), {"--stack", "--variant"}, "--stack: mss: x"),
    ],
)
def test_an_error_of_a_stack_is_about_the_option_that_was_written(
    location: tuple[str | int, ...], written: set[str], option: str
) -> None:
    assert str(fs.RequestError("x", location).in_options(written)) == option


def test_an_error_of_the_simulator_has_the_location_of_its_field() -> None:
    with pytest.raises(fs.RequestError) as refused:
        fs.run({"path": {"rate": "1Mbps", "rtt": "1ms"}, "flows": [{"size": "big"}]})
    assert refused.value.location == ("flows", 0, "size")
    assert str(refused.value).startswith("flows[0].size: `big`")


API: Any = fs
"""Without types, for calls that are wrong."""
SCENARIO = {"path": {"rate": "5Mbps", "rtt": "64ms"}, "flows": [{"size": "20kB"}]}
PATH = fs.NetworkPath(rate="5Mbps", rtt="64ms")


@pytest.mark.parametrize(
    "make",
    [
        lambda: API.compare(PATH, startups=["hystart"], sizes=["20kB"]),
        lambda: API.run(SCENARIO, trace=True),
        lambda: API.run_many([SCENARIO]),
        lambda: API.read_capture("tests/data/captures/small.pcap"),
        lambda: API.replay("tests/data/captures/small.pcap", startups=["hystart"]),
    ],
)
def test_a_result_is_pickled_copied_and_equal_to_another_of_the_same_request(make: Any) -> None:
    first, second = make(), make()
    assert first == second
    assert pickle.loads(pickle.dumps(first)) == first
    assert copy.deepcopy(first) == first
    assert first != "a result"


def test_comparisons_of_other_sizes_are_not_equal() -> None:
    first, second = (
        fs.compare(PATH, startups=["hystart"], sizes=[size], uncertainty=False)
        for size in ("20kB", "21kB")
    )
    assert first != second


def test_lists_of_numpy_are_lists() -> None:
    sizes = numpy.array([10_000, 20_000])
    result = API.compare(PATH, startups=["hystart"], sizes=sizes, uncertainty=False)
    assert result.plan.sizes == ("10000B", "20000B")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: API.compare(5), "`5`: an fs.Scenario, its fields"),
        (lambda: API.run(None), "`None`: an fs.Scenario"),
        (lambda: API.replay(5), "`5`: the name of a capture"),
        (lambda: API.read_capture(5), "`5`: the name of a capture"),
        (lambda: API.sweep(5, "x"), "`5`: an fs.Sweep"),
        (lambda: API.sweep("map", 6), "folder = 6: a name is needed"),
        (lambda: API.run_many(5), "scenarios = 5: a list of scenarios is needed"),
        (lambda: API.get_algorithm(5), "name = 5: the name of an algorithm is needed"),
        (lambda: API.get_algorithm("xcp", kind="x"), "kind = 'x': there are startup, cc, queue"),
        (lambda: API.list_algorithms(5), "kind = 5: there are startup, cc, queue, variation"),
        (
            lambda: API.compare(PATH, seed=2**64),
            "seed = 18446744073709551616: at most 18446744073709551615 is",
        ),
        (lambda: API.NetworkPath(rate=10**5000), "rate: a number below 1e308 is needed"),
        (lambda: API.compare(PATH, variants=5), "variants = 5: a list is needed"),
        (lambda: API.compare(PATH, variants=[5]), "variants = 5: an fs.Variant or text"),
        (lambda: API.compare(PATH, startups="hystart"), r"such as \['hystart'\]"),
        (lambda: API.compare(PATH, workers="x"), "workers = 'x': a whole number is needed"),
        (lambda: API.compare(PATH, seed=True), "seed = True: a whole number is needed"),
        (lambda: API.compare(PATH, baseline=5), "baseline = 5: text is needed"),
        (lambda: API.compare(PATH, uncertainty="no"), "uncertainty = 'no': True or False"),
        (lambda: API.compare(PATH, progress=5), "progress = 5: a function is needed"),
        (lambda: API.compare(PATH, on="x"), "on: `x`: a live run is in one of noq"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(call: Any, message: str) -> None:
    with pytest.raises(fs.RequestError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: API.run(), "^run.*missing a required argument: 'scenario_like'"),
        (lambda: API.compare(on="noq"), "^compare.*missing a required argument: 'setting'"),
        (lambda: API.compare(PATH, ["hystart"]), "^compare.*too many positional arguments"),
    ],
)
def test_a_wrong_call_names_the_public_function(call: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()
