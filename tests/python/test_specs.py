"""Lists of algorithms with parameters, and stacks with overrides."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import flowstart as fs
from flowstart import RequestError
from flowstart._native import split
from flowstart.model import specs, stack

NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,9}", fullmatch=True)
VALUES = st.from_regex(r"[a-z0-9.]{1,6}", fullmatch=True)
PARAMETERS = st.dictionaries(NAMES, VALUES, max_size=3)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("a", ["a"]),
        ("a,b", ["a", "b"]),
        ("a,b:x=1,y=2,c", ["a", "b:x=1,y=2", "c"]),
        ("b:x=1,c:y=2,z=3", ["b:x=1", "c:y=2,z=3"]),
        (" a , b:x=1 , y=2 ", ["a", "b:x=1,y=2"]),
        ("a,,b,", ["a", "b"]),
        ("", []),
        ("x=1,a", ["x=1", "a"]),
    ],
)
def test_parameters_stay_with_their_algorithm(text: str, pieces: list[str]) -> None:
    assert split(text) == pieces


@pytest.mark.slow
@given(st.lists(st.tuples(NAMES, PARAMETERS)))
def test_splitting_undoes_joining(algorithms: list[tuple[str, dict[str, str]]]) -> None:
    pieces = [
        ":".join(filter(None, [name, ",".join(f"{k}={v}" for k, v in parameters.items())]))
        for name, parameters in algorithms
    ]
    assert split(",".join(pieces)) == pieces


def test_all_is_every_startup_of_the_catalog() -> None:
    assert {"slow-start", "jump-start"} <= set(specs.startups(["all"]))
    assert "reno" not in specs.startups(["all"])


def test_unaided_are_those_that_need_neither_routers_nor_peers_nor_a_memory() -> None:
    helped = {a.name for a in fs.list_algorithms("startup") if a.needs_help}
    assert {"xcp", "careful-resume", "modified-swift-start"} <= helped
    assert set(specs.startups(["all"])) - set(specs.startups(["unaided"])) == helped


def test_all_mixes_with_names_and_leaves_out_what_is_taken_away() -> None:
    everyone = specs.startups(["all"])
    assert specs.startups(["all", "-hystart"]) == tuple(n for n in everyone if n != "hystart")
    first = specs.startups(["hystart", "all", "slow-start:iw=30", "slow-start"])
    assert first[0] == "hystart"
    assert first[-1] == "slow-start:iw=30"
    assert sorted(first[:-1]) == sorted(everyone)
    with pytest.raises(RequestError, match="`nobody` is not among those before it"):
        specs.startups(["all", "-nobody"])


def test_a_startup_given_twice_is_refused() -> None:
    with pytest.raises(RequestError, match="startup `a` is given twice"):
        specs.startups(["a", "b", "a"])


def test_a_stack_takes_typed_overrides() -> None:
    assert stack.parse("ns2:recovery=reno,iw=3,ack_every=3,limited_transmit=false") == {
        "preset": "ns2",
        "recovery": "reno",
        "iw": "3",
        "ack_every": 3,
        "limited_transmit": False,
    }


def test_a_stack_override_without_a_value_is_refused() -> None:
    with pytest.raises(RequestError, match="`sack` should be written name=value"):
        stack.parse("rfc:sack")
