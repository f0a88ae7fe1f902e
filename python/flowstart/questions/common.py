"""Fields that several questions have: what is compared, and what runs may use."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from flowstart._native import STACKS
from flowstart.errors import RequestError
from flowstart.model.fields import Endpoint
from flowstart.model.quantities import Time
from flowstart.questions import names
from flowstart.questions.option import Option, Question

STARTUPS = (
    "Startups, with parameters as name:key=value; all; unaided (no router, peer or cache "
    "support); -NAME to exclude one; FILE.py:CLASS for a custom one."
)
VARIANTS = Option(
    "Named combination of startup, cc, stack and its fields, such as "
    "`iw30: startup=hystart iw=30`, or a TOML file. Repeatable.",
    "NAME: KEY=VALUE ...",
    flag="variant",
    is_repeatable=True,
    panel="Traffic",
)
STACK = Option(
    f"Preset of both endpoints: {', '.join(STACKS)}; with overrides: quic:handshake=0-rtt. [linux]",
    "NAME",
    names=names.stacks,
)
StackLike = str | Endpoint | Mapping[str, Any]
"""A preset, with fields or without, or a table of fields."""


def of_startups(default: str) -> Option:
    """The startups under test; `default` is in words."""
    return Option(f"{STARTUPS} [{default}]", "A,B,...", flag="startup", names=names.startups)


def of_cc(default: str) -> Option:
    """The congestion control; `default` is in words."""
    help_ = f"Congestion control after startup. [{default}]"
    return Option(help_, "NAME", panel="Endpoints", names=names.ccs)


@dataclass(frozen=True, kw_only=True)
class Bounded(Question):
    """What runs may use."""

    max_memory: Annotated[
        str | float | None,
        Option(
            "Memory that runs may use, such as 64GB. [the machine's]", "SIZE", panel="Execution"
        ),
    ] = None
    max_time: Annotated[
        Time | None,
        Option(
            "Time after which work ends, such as 30h; finished results are kept. [none, and a "
            "refusal of what is estimated to take days]",
            "TIME",
            panel="Execution",
        ),
    ] = None


ALLOW_PYTHON = Option(
    "Permission for files of scenarios and variants to name startups in Python.", panel="Execution"
)
WORKERS = Option("Threads of the simulation. [all cores]", panel="Execution", least=1)
PROGRESS = Option("Function of `(done, total)`, which is called a few times a second.", flag="")


def port(value: str | int) -> int:
    """A port of a host. Raises RequestError for what is not one."""
    text = str(value)
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:6]) < 2**16):
        raise RequestError("a port from 1 to 65535 is needed", ("ports",), text)
    return int(text)
