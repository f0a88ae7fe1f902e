"""A part of the connections is switched: what they gain, and what the others lose."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowstart.replays.answer import Answer, answer
from flowstart.replays.rounds import Round
from flowstart.replays.settings import Settings
from flowstart.replays.times import Times

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Rollout:
    """The connections of a part are under a variant, the others under the baseline."""

    share: float
    """The part asked for."""
    connections: int
    """How many connections are switched."""
    switched: Answer
    """What those gain against the baseline for everybody."""
    rest: Answer
    """What the others gain, or lose, meanwhile."""


def shared(
    facts: "pl.DataFrame", times: Times, base: Times, one: Round, settings: Settings
) -> Rollout:
    """What the times of a pass with a part switched say, `base` having the baseline's for all."""
    import polars as pl

    numbers = facts["connection"].to_list()
    chosen = pl.Series([one.is_switched(number) for number in numbers], dtype=pl.Boolean)
    reference = settings.reference.name

    def of(part: "pl.DataFrame") -> Answer:
        return answer(part, times, settings.names, reference, base_times=base, seed=settings.seed)

    switched, rest = facts.filter(chosen), facts.filter(~chosen)
    return Rollout(one.share, switched["connection"].n_unique(), of(switched), of(rest))
