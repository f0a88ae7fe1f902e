"""Lists of algorithms with parameters, and stacks with overrides."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import flowstart as fs
from flowstart import RequestError
from flowstart._native import split
from flowstart.model import stack
from flowstart.model.custom import CustomStartups
from flowstart.model.variants import of_startups

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


def test_unaided_are_those_that_need_neither_routers_nor_peers_nor_a_memory() -> None:
    def names(group: str) -> set[str]:
        return {one.name for one in of_startups([group], CustomStartups())}

    helped = {a.name for a in fs.list_algorithms("startup") if a.needs_help}
    assert {"xcp", "careful-resume", "modified-swift-start"} <= helped
    assert names("all") - names("unaided") == helped


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
