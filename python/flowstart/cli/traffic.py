"""What a comparison sends, and how often, on the command line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowstart.cli.flags import CAPTURE, SCENARIO, flag, of

if TYPE_CHECKING:
    from flowstart.model.variants import Variant


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """What is sent under which startups."""

    startup: str | None = flag(
        "Startups, with parameters as name:key=value; all, or unaided for those that need "
        "no help, and -NAME to leave one out; "
        "FILE.py:CLASS for one of your own. [slow-start, limited-slow-start, "
        "hystart, hystart-plus-plus, jump-start]",
        "A,B,...",
        beside=(SCENARIO, CAPTURE),
    )
    variant: list[str] | None = flag(
        "A named combination instead, as often as needed: `iw30: cc=cubic startup=hystart "
        "iw=30`; keys are startup, cc, stack and its fields. Or a TOML file of them.",
        "NAME: KEY=VALUE ...",
        beside=(SCENARIO, CAPTURE),
        panel="Traffic",
    )
    baseline: str | None = flag(
        "What the others are measured against. [slow-start, or the first]",
        "NAME",
        beside=(SCENARIO, CAPTURE),
        panel="Traffic",
    )
    size: str | None = flag("Transfer sizes. [10kB,100kB,1MB,10MB]", "S,...", beside=(SCENARIO,))
    flows: int | None = flag("Connections at once. [1]", least=1, panel="Traffic")
    stagger: str | None = flag("Time between their openings.", "TIME", panel="Traffic")

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
class Replayed:
    """What of a capture is replayed, and whose data is under test."""

    direction: str | None = flag(
        "Whose data in the capture is under test: server, client or both. [server]",
        "SIDE",
        beside=(CAPTURE,),
        panel="Captures",
    )
    network: list[str] | None = flag(
        "Rate and buffer of single networks of a capture, as often as needed: "
        "10.9.3.0/24:rate=20Mbps,buffer=60pkt; * stands for all.",
        "PREFIX:KEY=VALUE,...",
        beside=(CAPTURE,),
        panel="Captures",
    )
    share: str | None = flag(
        "Switch only a share of the connections in a pass of its own, such as 10%: what they gain "
        "and the others lose.",
        "SHARE",
        beside=(CAPTURE,),
        panel="Captures",
    )
    cross: str | None = flag(
        "Traffic of others on each path of a capture, as a share of its rate, such as 40%.",
        "SHARE",
        beside=(CAPTURE,),
        panel="Captures",
    )
    beside: str | None = flag(
        "Who else is on each path of a capture: a long cubic or bbr transfer, a call's probe.",
        "A,B,...",
        beside=(CAPTURE,),
        panel="Captures",
    )
    max_harm: str | None = flag(
        "Most transfers that a recommended variant may harm in any size class or network. [5%]",
        "SHARE",
        beside=(CAPTURE,),
        panel="Captures",
    )
    max_p99: str | None = flag(
        "Most that it may lengthen p99 there. [25%]",
        "SHARE",
        beside=(CAPTURE,),
        panel="Captures",
    )
    max_loss: str | None = flag(
        "Most that it may add to the share of packets lost or retransmitted there; half of the "
        "baseline's where that is more. [1%]",
        "SHARE",
        beside=(CAPTURE,),
        panel="Captures",
    )
    when: list[str] | None = flag(
        "A verdict for one network, on settings that can be limited to it, as often as needed: "
        "network=10.9.3.0/24.",
        "network=PREFIX",
        beside=(CAPTURE,),
        panel="Captures",
    )
    quick: bool | None = flag(
        "The replay of a capture alone, without repeats, other buffers and calibration.",
        beside=(CAPTURE,),
        panel="Captures",
    )
    details: bool | None = flag(
        "Show all tables of a replay: size classes, paths, limits, other buffers, options.",
        beside=(CAPTURE,),
        panel="Captures",
    )
    rows: bool | None = flag(
        "Keep all rows in result.json too, not only as Parquet and CSV.",
        beside=(CAPTURE,),
        panel="Captures",
    )
    recorded: str | None = flag(
        "What the hosts of a capture run: linux, freebsd, quic, quinn, s2n, quiche, msquic or "
        "haproxy. [linux; quic for a qlog]",
        "STACK",
        beside=(CAPTURE,),
        panel="Captures",
    )
    without: str | None = flag(
        "Leave parts of the capture out of its replay: turns, page, pauses, warm, handshake, "
        "windows.",
        "A,B,...",
        beside=(CAPTURE,),
        panel="Captures",
    )


REPLAYED = of(Replayed)


@dataclass(frozen=True, kw_only=True)
class Repetition:
    """With which seeds."""

    seed: int | None = flag(
        "Seed of everything random. [1]", beside=(SCENARIO, CAPTURE), panel="How it is run"
    )
    repeat: int = flag(
        "Repeat with as many seeds, where anything is random.",
        default=1,
        least=1,
        panel="How it is run",
        beside=(SCENARIO, CAPTURE),
    )
    no_uncertainty: bool | None = flag(
        "One run per row, without perturbed repeats and ranges.",
        beside=(SCENARIO,),
        panel="How it is run",
    )


TRAFFIC, REPETITION = of(Traffic), of(Repetition)
