"""The tables of flags, and what becomes of them."""

import dataclasses
import inspect

import flowstart as fs
from flowstart.cli import compare, flags
from flowstart.cli.flags import REPETITION, TRAFFIC, Flag, Repetition, filled, flag, of, taking


def test_every_field_of_a_path_but_its_hops_has_a_flag() -> None:
    names = [flag.name for flag in flags.PATH_FLAGS]
    assert {*names} == {field.name for field in dataclasses.fields(fs.NetworkPath)} - {"hops"} | {
        "path"
    }
    assert len(names) == len({*names})


def test_no_two_flags_have_the_same_name() -> None:
    names = [flag.name for flag in compare.FLAGS]
    assert len(names) == len({*names})
    assert {*TRAFFIC, *REPETITION} <= {*compare.FLAGS}


def test_a_field_of_a_dataclass_is_a_flag() -> None:
    @dataclasses.dataclass(frozen=True)
    class Asked:
        often: int = flag("How often.", "COUNT", default=2, least=1)
        word: str | None = flag("What.")

    assert of(Asked) == (
        Flag("often", "How often.", "COUNT", int, 2, 1),
        Flag("word", "What."),
    )
    assert filled(Asked, {"word": "x", "other": 3}) == Asked(2, "x")
    assert filled(Repetition, {}) == Repetition(seed=None, repeat=None)


def test_flags_stand_where_a_command_takes_what_was_given() -> None:
    @taking([Flag("one", "One."), Flag("other", "Other.", type=bool | None)])
    def command(first: str, *, given: object, last: bool = False) -> None:
        """A command."""

    names = [*inspect.signature(command).parameters]
    assert names == ["context", "first", "one", "other", "last"]
