"""What a comparison sends, and how often, on the command line."""

from dataclasses import dataclass

from flowstart.cli.flags import CAPTURE, SCENARIO, flag, of


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """What is sent under which start-ups."""

    startup: str | None = flag(
        "Start-ups, with parameters as name:key=value; all, and -NAME to leave one out; "
        "FILE.py:CLASS for one of your own. [slow-start,limited-slow-start,hystart,"
        "hystart-plus-plus,jump-start]",
        "A,B,...",
        beside=(SCENARIO, CAPTURE),
    )
    size: str | None = flag("Transfer sizes. [10kB,100kB,1MB,10MB]", "S,...", beside=(SCENARIO,))
    flows: int | None = flag("Connections at once. [1]", least=1)
    interval: str | None = flag("Time between their openings.", "TIME")


@dataclass(frozen=True, kw_only=True)
class Repetition:
    """With which seeds."""

    seed: int | None = flag("Seed of everything random. [1]", beside=(SCENARIO, CAPTURE))
    repeat: int = flag(
        "Repeat with as many seeds, where anything is random.",
        default=1,
        least=1,
        beside=(SCENARIO, CAPTURE),
    )


TRAFFIC, REPETITION = of(Traffic), of(Repetition)
