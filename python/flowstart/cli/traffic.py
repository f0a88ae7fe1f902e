"""What a comparison sends, and how often, on the command line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowstart.cli.flags import flag, of

if TYPE_CHECKING:
    from flowstart.model.variants import Variant


@dataclass(frozen=True, kw_only=True)
class Compared:
    """Which startups and variants are compared."""

    startup: str | None = flag(
        "Startups, with parameters as name:key=value; all; unaided (no router, peer or cache "
        "support); -NAME to exclude one; FILE.py:CLASS for a custom one. "
        "[slow-start, limited-slow-start, hystart, hystart-plus-plus, jump-start; in a replay, "
        "what the recorded stack offers]",
        "A,B,...",
    )
    variant: list[str] | None = flag(
        "Named combination of startup, cc, stack and its fields, such as "
        "`iw30: startup=hystart iw=30`, or a TOML file. Repeatable.",
        "NAME: KEY=VALUE ...",
        panel="Traffic",
    )
    baseline: str | None = flag(
        "Reference for all changes. [slow-start, or the first; in a replay, the recorded setting]",
        "NAME",
        panel="Traffic",
    )

    def startups(self) -> Sequence[str] | None:
        """The startups that were listed; None where none was."""
        from flowstart.model import specs

        return None if self.startup is None else specs.listed("startup", self.startup, ())

    def variants(self, *, allow_python: bool) -> "list[Variant]":
        """The variants that were given, those of files among them.

        A file may name startups in Python only with `allow_python`, as a scenario's file may.
        """
        from flowstart.model import variants

        found: list[Variant] = []
        for text in self.variant or ():
            is_file = text.endswith(".toml") and ":" not in text
            if is_file:
                found += variants.read(text, allow_python=allow_python)
            else:
                found.append(variants.Variant.parse(text))
        return found


@dataclass(frozen=True, kw_only=True)
class Traffic(Compared):
    """What is sent under them."""

    size: str | None = flag("Transfer sizes. [10kB,100kB,1MB,10MB]", "S,...")
    flows: int | None = flag("Simultaneous connections. [1]", least=1, panel="Traffic")
    stagger: str | None = flag("Time between the openings of connections.", "TIME", panel="Traffic")


@dataclass(frozen=True, kw_only=True)
class Repetition:
    """With which seeds."""

    seed: int | None = flag("Seed of all random draws. [1]", panel="Execution")
    repeat: int = flag(
        "Number of seeds, where anything is random.",
        default=1,
        least=1,
        panel="Execution",
    )
    no_uncertainty: bool | None = flag(
        "One run per row, without perturbed repeats and ranges.",
        panel="Execution",
    )


TRAFFIC, REPETITION = of(Traffic), of(Repetition)
SEED = REPETITION[0]
