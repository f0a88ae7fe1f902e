"""The verdict on a part of the traffic, for settings that can be limited to it: `--when`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowstart.deployment.stacks import Commands
from flowstart.errors import RequestError
from flowstart.inference import Verdict
from flowstart.replays.answer import answer
from flowstart.replays.settings import Settings
from flowstart.replays.times import Times
from flowstart.replays.verdict import FOR_A_VERDICT, Criteria

if TYPE_CHECKING:
    import polars as pl

WHEN = "network="


@dataclass(frozen=True)
class Partial:
    """The verdict on the traffic of one network."""

    network: str
    verdict: Verdict
    commands: dict[str, list[Commands]]
    """How each setting is limited to the network."""

    @property
    def lines(self) -> list[str]:
        """The verdict and what implements it, in words."""
        lines = [f"When network={self.network}: {self.verdict.headline}"]
        commands = self.commands.get(self.verdict.recommended or "", ())
        return [*lines, *(line for found in commands for line in found.lines)]


def parsed(given: Sequence[str]) -> tuple[str, ...]:
    """The networks that are named. Raises RequestError where another part is."""
    for text in given:
        if not text.startswith(WHEN) or text == WHEN:
            raise RequestError(f"when: `{text}` should be written network=PREFIX")
    return tuple(text.removeprefix(WHEN) for text in given)


def refuse_unknown(networks: Sequence[str], known: Sequence[str]) -> None:
    """Refuses networks that the capture does not have."""
    for name in networks:
        if name not in known:
            raise RequestError(f"when: `{name}` is no network of the capture: {', '.join(known)}")


def partial(
    network: str,
    facts: "pl.DataFrame",
    runs: Sequence[Times],
    settings: Settings,
    criteria: Criteria,
) -> Partial:
    """The verdict on a network's traffic. Paths are separate, so the others do not matter."""
    import polars as pl

    base, hosts = settings.reference, settings.hosts
    commands = {v.name: hosts.by_network(v, base, network) for v in settings.compared}
    names = [name for name, found in commands.items() if found]
    found = answer(
        facts.filter(pl.col("network") == network),
        runs[0],
        names,
        base.name,
        criteria,
        repeats=runs[1:],
        statistics=FOR_A_VERDICT,
        seed=settings.seed,
    )
    return Partial(network, found.verdict, {name: commands[name] for name in names})
