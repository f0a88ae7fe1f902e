"""How captures and logs are to be read, on the command line."""

import pathlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowstart.cli import console
from flowstart.cli.flags import flag, of

if TYPE_CHECKING:
    from flowstart.captures.contents import Capture


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How captures are to be read."""

    columns: str | None = flag(
        "Columns of a server log, with units where names lack them, such as "
        "time=ts,peer=client_ip,bytes=size,rtt=rtt:us.",
        "NAME=COLUMN,...",
    )
    sample: str | None = flag(
        "Random sample of connections: a share (10%) or a number (5000).",
        "SHARE",
        panel="Captures",
    )
    anonymize: bool | None = flag(
        "Numbers instead of network addresses in all output.",
        panel="Captures",
    )


READING = of(Reading)


def read(files: Sequence[str | pathlib.Path], how: Reading, seed: int | None) -> "Capture":
    """Reads with progress; warnings go to stderr."""
    from flowstart.captures.reading import read_capture
    from flowstart.cli.progress import Progress

    with Progress("bytes") as progress:
        found = read_capture(
            *files,
            columns=how.columns,
            sample=how.sample,
            anonymize=bool(how.anonymize),
            seed=seed or 1,
            progress=progress.of_unknown_total,
        )
    for warning in found.warnings:
        console.note(f"warning: {warning}")
    return found
