"""A replay as Python asks for it, in one call."""

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from flowstart.captures.contents import Capture
from flowstart.captures.reading import read_capture as read
from flowstart.comparison import applicability
from flowstart.inference import Limits
from flowstart.model import shares
from flowstart.model import stack as stacks
from flowstart.model.custom import CustomStartups, StartupLike
from flowstart.model.document import plain
from flowstart.model.fields import Endpoint
from flowstart.model.variants import VariantLike
from flowstart.replays.candidates import compared, hosts_of
from flowstart.replays.execute import study
from flowstart.replays.given_networks import GivenNetwork
from flowstart.replays.questions import ONCE, Questions
from flowstart.replays.result import Replay
from flowstart.replays.runner import Progress
from flowstart.replays.settings import Settings, side
from flowstart.replays.when import parsed
from flowstart.simulation import bounds
from flowstart.simulation.limits import LimitOptions

LIMITS = Limits()


def replay(
    capture: Capture | str | os.PathLike[str],
    *,
    variants: Sequence[VariantLike] = (),
    startups: Sequence[StartupLike] | None = None,
    baseline: str | None = None,
    stack: str | Endpoint | Mapping[str, Any] | None = None,
    recorded: str | None = None,
    cc: str | None = None,
    direction: str = "server",
    ignore: Sequence[str] = (),
    rollout: float | str | None = None,
    cross_traffic: float | str = 0.0,
    competing: Sequence[str] = (),
    max_harm: float | str = LIMITS.harmed,
    max_p99: float | str = LIMITS.p99,
    max_loss: float | str = LIMITS.loss,
    when: Sequence[str] = (),
    uncertainty: bool = True,
    rate: str | None = None,
    networks: Sequence[str] = (),
    reverse_rate: str | None = None,
    buffer: str | None = None,
    reverse_buffer: str | None = None,
    rtt: str | None = None,
    loss: str | float | None = None,
    impairments: Mapping[str, Any] | None = None,
    cached_cwnd: str | None = None,
    seed: int = 1,
    workers: int | None = None,
    progress: Progress | None = None,
    time_limit: str | None = None,
    **limits: Unpack[LimitOptions],
) -> Replay:
    """Replays a capture, or the file that holds one, under variants and startups.

    `recorded` is the stack of the capture's hosts: `linux`, or `quic` for a qlog, unless named. The
    baseline is what it does by default, unless one is named. Without variants and startups, its own
    settings are compared. `max_harm`, `max_p99` and `max_loss` are the limits of what may be
    recommended, in any size class and any network.
    `rollout` switches a part of the connections in a pass of its own, `cross_traffic` fills a part
    of each bottleneck, `competing` names competing flows; shares are numbers, or text such as
    `10%`. Without `uncertainty` there are no repeats, other buffers or calibration. `rate` to
    `loss` override the capture; `impairments` are other fields of every path, such as `queue`.
    `when` names networks that have a separate verdict: `network=10.9.3.0/24`. `networks` give
    single networks rates and buffers, as `10.9.3.0/24:rate=20Mbps`.
    `limits` and `time_limit` are those of `compare`.

    Raises RequestError where anything is wrong or above a limit.
    """
    fields = stacks.parse(stack) if isinstance(stack, str) else plain(stack)

    def settings(capture_format: str = "") -> Settings:
        custom = CustomStartups()
        hosts = hosts_of(recorded, fields, capture_format)
        found, base = compared(hosts, variants, startups, baseline, cc, custom)
        applicability.refuse_what_does_nothing(
            {"cached_cwnd": cached_cwnd}, [str(v.begins) for v in found], custom, fields
        )
        return Settings(
            startups=tuple(v.name for v in found if v.name == v.startup),
            variants=tuple(v for v in found if v.name != v.startup),
            baseline=base,
            hosts=hosts,
            by_default=startups is None and not variants and baseline is None,
            stack=fields,
            cc=cc,
            direction=side(direction),
            ignore=frozenset(ignore),
            cross_traffic=shares.share("cross_traffic", cross_traffic),
            competing=tuple(competing),
            rate=rate,
            networks=tuple(map(GivenNetwork.parse, networks)),
            one_link=False,
            reverse_rate=reverse_rate,
            buffer=buffer,
            reverse_buffer=reverse_buffer,
            rtt=rtt,
            loss=loss,
            impairments=dict(impairments or {}),
            cached_cwnd=cached_cwnd,
            seed=seed,
            custom=custom,
        )

    settings()  # refuses what is wrong before anything is read
    usual = Questions() if uncertainty else ONCE
    asked = dataclasses.replace(
        usual,
        rollout=None if rollout is None else shares.share("rollout", rollout),
        when=parsed(when),
        limits=Limits(
            shares.share("max_harm", max_harm),
            shares.share("max_p99", max_p99),
            shares.share("max_loss", max_loss),
        ),
    )
    with bounds.bounded(time_limit, **limits):
        taken = capture if isinstance(capture, Capture) else read(os.fspath(capture))
        chosen = settings(taken.about.get("format", ""))
        return study(taken, chosen, asked, workers=workers, progress=progress)
