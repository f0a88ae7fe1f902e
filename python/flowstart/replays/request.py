"""What is asked of a replay: in one call of Python, or by options of a command or a page."""

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from flowstart.captures.contents import Capture
from flowstart.captures.reading import read_capture as read
from flowstart.comparison.request import path_of, refuse_what_does_nothing, stack_of
from flowstart.errors import RequestError
from flowstart.inference.gates import OPTIONS, Limits
from flowstart.model import specs
from flowstart.model import stack as stacks
from flowstart.model.custom import CustomStartups, StartupLike
from flowstart.model.document import plain
from flowstart.model.fields import Endpoint
from flowstart.model.path import IMPAIRING
from flowstart.model.quantities import Rate, Time, rate_text, share, time_text
from flowstart.model.variants import Variant, VariantLike
from flowstart.replays.answer import ONCE, Questions, parsed
from flowstart.replays.execute import study
from flowstart.replays.result import Replay
from flowstart.replays.runner import Progress
from flowstart.replays.settings import GivenNetwork, Settings, compared, hosts_of, side
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
    sample: str | None = None,
    uncertainty: bool = True,
    rate: Rate | None = None,
    networks: Sequence[str] = (),
    reverse_rate: Rate | None = None,
    buffer: str | None = None,
    reverse_buffer: str | None = None,
    rtt: Time | None = None,
    loss: str | float | None = None,
    impairments: Mapping[str, Any] | None = None,
    cached_cwnd: str | None = None,
    seed: int = 1,
    workers: int | None = None,
    progress: Progress | None = None,
    time_limit: Time | None = None,
    **limits: Unpack[LimitOptions],
) -> Replay:
    """Replays recorded transfers under other settings of their senders.

    Without variants and startups, the settings that the recorded stack offers are compared.

    Args:
        capture: A capture, or the file that holds one.
        variants: Sender settings to compare.
        startups: Startup algorithms to compare.
        baseline: The setting that changes are relative to; the recorded one unless given.
        stack: Fields of the hosts' stack.
        recorded: Stack of the recorded hosts: `linux`, or `quic` for a qlog, unless given.
        cc: Congestion control after startup.
        direction: Transfers to replay: those of `server`, `client` or `both`.
        ignore: Kinds of transfers to leave out.
        rollout: Share of the connections that a separate pass switches, such as `10%`.
        cross_traffic: Share of each bottleneck that cross traffic fills.
        competing: Competing flows to measure harm with.
        max_harm: Limit of harmed transfers for a recommendation, in any size class and network.
        max_p99: Limit of the change of the 99th percentile.
        max_loss: Limit of the additional loss.
        when: Networks with a separate verdict, such as `network=10.9.3.0/24`.
        sample: Share (`"10%"`) or number (`"5000"`) of the connections to replay, or `"all"`; as
            many as take about five minutes of processor time unless given.
        uncertainty: Whether to run repeats, other buffers and the calibration.
        rate: Rate of all paths.
        networks: Rates and buffers of single networks, such as `10.9.3.0/24:rate=20Mbps`.
        reverse_rate: Rate of the reverse paths.
        buffer: Buffer of all paths.
        reverse_buffer: Buffer of the reverse paths.
        rtt: Round-trip time of all paths.
        loss: Random loss of all paths.
        impairments: Further fields of every path, such as `queue`.
        cached_cwnd: Congestion window that an earlier connection left.
        seed: The seed.
        workers: Number of threads and processes; all cores unless given.
        progress: Called with the progress a few times a second.
        time_limit: Time after which the replay is ended, in seconds or as text.
        **limits: `max_packets`, `max_flows`, `max_memory`, `max_time` and `no_limits`, which raise
            the limits of the estimated use.

    Returns:
        Completion times under each setting, and the verdict.

    Raises:
        RequestError: An argument is wrong or exceeds a limit.

    Example:
        >>> import flowstart as fs
        >>> found = fs.replay("mine.pcap", startups=["slow-start", "hystart"])  # doctest: +SKIP
        >>> found.frame.group_by("variant").mean()  # doctest: +SKIP
    """
    fields = stacks.parse(stack) if isinstance(stack, str) else plain(stack)

    def settings(capture: Capture | None = None) -> Settings:
        custom = CustomStartups()
        hosts = hosts_of(recorded, fields, capture, side(direction))
        found, base = compared(hosts, variants, startups, baseline, cc, custom)
        refuse_what_does_nothing(
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
            cross_traffic=share("cross_traffic", cross_traffic),
            competing=tuple(competing),
            rate=rate_text("rate", rate),
            networks=tuple(map(GivenNetwork.parse, networks)),
            one_link=False,
            reverse_rate=rate_text("reverse_rate", reverse_rate),
            buffer=buffer,
            reverse_buffer=reverse_buffer,
            rtt=time_text("rtt", rtt),
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
        rollout=None if rollout is None else share("rollout", rollout),
        when=parsed(when),
        limits=Limits(
            share("max_harm", max_harm),
            share("max_p99", max_p99),
            share("max_loss", max_loss),
        ),
        sample=sample,
    )
    with bounds.bounded(time_limit, **limits):
        taken = capture if isinstance(capture, Capture) else read(os.fspath(capture))
        chosen = settings(taken)
        return study(taken, chosen, asked, workers=workers, progress=progress)


def questions_of(given: Mapping[str, Any]) -> Questions:
    """What is asked beyond the rows. Raises RequestError where an option is wrong."""
    rollout = share("rollout", given["rollout"]) if "rollout" in given else None
    limits = {field: share(o, given[o]) for field, o in OPTIONS.items() if o in given}
    usual = ONCE if given.get("no_uncertainty") else Questions()
    when = parsed(given.get("when") or ())
    sample = given.get("sample")
    limited = Limits(**limits)
    return dataclasses.replace(usual, rollout=rollout, when=when, limits=limited, sample=sample)


def settings_of(
    given: Mapping[str, Any],
    *,
    startups: Sequence[StartupLike] | None,
    variants: Sequence[Variant] = (),
    capture: Capture | None = None,
) -> Settings:
    """How a capture is replayed, once it has been read; None stands for what its stack offers.

    Raises RequestError where an option is wrong, contradicts another or would change nothing.
    """
    described = path_of(given) or {}
    if "reverse_rate" in described and "rate" not in described:
        raise RequestError("--reverse-rate: --rate is missing; both directions belong together")
    custom = CustomStartups()
    stack = stack_of(given)
    direction = side(given.get("direction") or "server")
    hosts = hosts_of(given.get("recorded"), stack, capture, direction)
    found, baseline = compared(
        hosts, variants, startups, given.get("baseline"), given.get("cc"), custom
    )
    by_default = startups is None and not variants and "baseline" not in given
    begins = [str(variant.begins) for variant in found]
    refuse_what_does_nothing(given, begins, custom, stack)
    own = {name: described.get(name) for name in IMPAIRING}
    return Settings(
        startups=tuple(v.name for v in found if v.name == v.startup),
        variants=tuple(v for v in found if v.name != v.startup),
        baseline=baseline,
        hosts=hosts,
        by_default=by_default,
        impairments={name: value for name, value in own.items() if value is not None},
        cross_traffic=share("cross_traffic", given["cross_traffic"])
        if "cross_traffic" in given
        else 0.0,
        competing=tuple(specs.listed("competing", given.get("competing"), ())),
        rate=described.get("rate"),
        networks=tuple(map(GivenNetwork.parse, given.get("network") or ())),
        one_link=False,
        reverse_rate=described.get("reverse_rate"),
        buffer=described.get("buffer"),
        reverse_buffer=described.get("reverse_buffer"),
        rtt=described.get("rtt"),
        loss=described.get("loss"),
        stack=stack,
        cc=given.get("cc"),
        cached_cwnd=given.get("cached_cwnd"),
        direction=direction,
        ignore=frozenset(specs.listed("ignore", given.get("ignore"), ())),
        seed=given.get("seed", 1),
        custom=custom,
    )
