"""Questions, their options, and the public functions that take their fields."""

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import pytest

import flowstart as fs
from flowstart.cli import compare, flags
from flowstart.questions.compare import Compare
from flowstart.questions.gate import GateCheck, GateRecord
from flowstart.questions.live import Live
from flowstart.questions.option import Option, Question, asking, of
from flowstart.questions.replay import ReplayQuestion
from flowstart.questions.run import RunQuestion
from flowstart.questions.sweep import SweepQuestion
from flowstart.questions.verify import Verify
from flowstart.questions.worst import Worst

QUESTIONS: dict[Callable[..., object], Any] = {
    fs.compare: Compare,
    fs.replay: ReplayQuestion,
    fs.sweep: SweepQuestion,
    fs.find_worst_paths: Worst,
    fs.run: RunQuestion,
    fs.verify: Verify,
    fs.gate_record: GateRecord,
    fs.gate_check: GateCheck,
}


def test_every_field_of_a_path_but_its_hops_has_an_option() -> None:
    names = [each.name for each in flags.PATH]
    assert {*names} == {field.name for field in dataclasses.fields(fs.NetworkPath)} - {"hops"} | {
        "path"
    }
    assert len(names) == len({*names})


def test_no_two_options_have_the_same_name() -> None:
    names = [each.flag for each in compare.OPTIONS]
    assert len(names) == len({*names})


@dataclasses.dataclass(frozen=True, kw_only=True)
class Asked(Question):
    often: Annotated[int, Option("Number of times.", least=1)] = 2
    words: Annotated[Sequence[str], Option("Words.", "A,B,...", flag="word")] = ()
    is_sure: Annotated[bool, Option("No doubt.")] = True
    hidden: Annotated[str, Option("Not an option.", flag="")] = ""


@asking(Asked)
def ask(question: Asked) -> Asked:
    """Asks.

    Returns:
        The question.
    """
    return question


def test_a_field_is_an_option_of_its_kind() -> None:
    often, words, is_sure = of(Asked)
    assert (often.flag, often.value, often.is_number) == ("--often", "NUMBER", True)
    assert (words.flag, words.value, words.is_list) == ("--word", "A,B,...", True)
    assert (is_sure.flag, is_sure.value, is_sure.is_switch) == ("--no-is-sure", "", True)


def test_a_field_is_a_keyword_with_its_default_and_help() -> None:
    assert ask(often=3) == Asked(often=3)
    assert list(inspect.signature(ask).parameters) == ["often", "words", "is_sure", "hidden"]
    assert "\nArgs:\n    often: Number of times.\n" in str(ask.__doc__)
    assert "\nReturns:\n    The question." in str(ask.__doc__)


def test_an_unknown_keyword_is_refused_in_a_line_with_the_nearest() -> None:
    with pytest.raises(TypeError, match=r"^ask\(\) has no argument `oftn`; did you mean often\?$"):
        ask(oftn=3)  # type: ignore[call-arg]


@pytest.mark.parametrize("function", QUESTIONS, ids=lambda function: function.__name__)
def test_a_public_function_documents_every_field_of_its_question(
    function: Callable[..., object],
) -> None:
    signature = inspect.signature(function)
    for field in dataclasses.fields(QUESTIONS[function]):
        assert field.name in signature.parameters
        assert f"\n    {field.name}: " in str(function.__doc__)


def test_what_only_a_real_stack_has_is_refused_in_the_simulator(path: fs.NetworkPath) -> None:
    with pytest.raises(fs.RequestError, match="`clock` has no meaning without `on`"):
        fs.compare(path, clock="real")  # type: ignore[call-overload]
    assert {"on", "clock"} <= {*inspect.signature(fs.compare).parameters}
    assert {field.name for field in dataclasses.fields(Live)} <= {
        *inspect.signature(fs.compare).parameters
    }


SMALL = "tests/data/captures/small.pcap"
PLAIN = "tests/data/captures/field/plain.pcap"
PATH = ("--rate", "10Mbps", "--rtt", "100ms", "--size", "10kB")


def test_files_may_stand_on_both_sides_of_an_option(cli: Callable[..., Any]) -> None:
    apart, together = (
        cli("capture", SMALL, "--details", PLAIN),
        cli("capture", "--details", SMALL, PLAIN),
    )
    assert apart.status == together.status == 0
    assert apart.out == together.out


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (("compare", *PATH, "--json=false"), "--json: it takes no value; give it alone"),
        (("compare", "--variant", "-h"), "no path is given"),
        (("compare", "--json", "--", "--json"), "--json: there is no such file"),
        (("capture", "--details", "--", "-x.pcap", "--details"), "cannot open -x.pcap"),
        (("capture", SMALL, "--bogus"), "--bogus: there is no such option"),
        (("capture",), "FILE is missing"),
        (("--version", "--bogus"), "--version: no further argument is possible"),
    ],
)
def test_words_are_options_only_where_a_command_takes_them_so(
    cli: Callable[..., Any], words: tuple[str, ...], refusal: str
) -> None:
    answer = cli(*words)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"flowstart: {refusal}")
    assert answer.err.count("\n") == 1


def test_a_replay_takes_numbers_as_it_takes_text() -> None:
    numbers = fs.replay(PLAIN, uncertainty=False, rate=5e6, rtt=0.02, buffer="20pkt")
    text = fs.replay(PLAIN, uncertainty=False, rate="5Mbps", rtt="20ms", buffer="20pkt")
    assert numbers.to_dict() == text.to_dict()
    with pytest.raises(fs.RequestError, match=r"^rtt: `-0\.02`: seconds from 0 on"):
        fs.replay(PLAIN, rtt=-0.02)
