"""The fields of a collection of measurements from this machine's servers."""

import re
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from flowstart.errors import RequestError
from flowstart.model.quantities import Time, time_text
from flowstart.questions.common import PROGRESS
from flowstart.questions.option import Argument, Option, Question


def one_in(name: str, value: object) -> int:
    """The N of `1/N`. Raises RequestError where it is none."""
    match = re.fullmatch(r"1/([1-9]\d{0,8})", str(value))
    if not match:
        raise RequestError("1/N is needed, such as 1/100", (name,), value)
    return int(match[1])


@dataclass(frozen=True)
class Collect(Question):
    """A collection of what the kernel measures of connections."""

    output: Annotated[
        str | None,
        Argument(
            "Folder for Parquet files, one a minute, or FILE.jsonl. [JSON lines on the standard "
            "output]",
            "OUTPUT",
        ),
    ] = None
    _: KW_ONLY
    duration: Annotated[
        Time | None,
        Option(
            "Time after which it ends, such as 10min. [until Ctrl-C]",
            "TIME",
            flag="for",
            reads=time_text,
        ),
    ] = None
    ports: Annotated[
        Sequence[int | str],
        Option("Ports of the servers. [all]", "PORT,...", flag="port"),
    ] = ()
    cgroup: Annotated[
        str | None,
        Option("Cgroup of the servers, such as system.slice/nginx.service. [the root]", "NAME"),
    ] = None
    sample: Annotated[
        str | None,
        Option("Share of the connections, at random, such as 1/100. [all]", "1/N", reads=one_in),
    ] = None
    hash_addresses: Annotated[
        str | None,
        Option(
            "Key of a hash in place of networks; the same key gives the same networks everywhere.",
            "KEY",
        ),
    ] = None
    max_connections: Annotated[
        int | None,
        Option("Connections at a time; others are skipped and counted. [100000]", least=1),
    ] = None
    progress: Annotated[Callable[[int, int], object] | None, PROGRESS] = None
