"""The networks of Jump Start, Modified Swift Start and Quick-Start, where some have switched."""

from collections.abc import Sequence

import polars as pl

from flowstart.text import listed
from flowstart_papers.experiment import Findings, Picture, Table, experiment, table
from flowstart_papers.lab import Lab
from flowstart_papers.mixed_traffic import measures, setups
from flowstart_papers.mixed_traffic.camps import SLOW_START, mix
from flowstart_papers.mixed_traffic.setups import MOVED, WITHOUT_MEMORY, WITHOUT_ROUTERS
from flowstart_papers.plot import Axis, lines, panel

DRAWN = (
    "hystart", "adaptive-start", "fast-start", "modified-swift-start", "swift-start", "jump-start",
    "qs-app",
)  # fmt: skip
"""As many curves as a panel can hold; the tables have all."""
SHARE = ("share", Axis("share that switched (%)", limits=(0, 100)))
CAPTIONS = {
    "switched_s": "Median duration of the connections that switched",
    "stayed_s": "Median duration of the connections that stayed with slow start",
    "beyond": "Harm to slow start's camp beyond that which slow start does to the same connections."
    " Harm is the part of their median duration that is due to the others",
}
LABELS = {
    "switched_s": "median of the switched (s)",
    "stayed_s": "median of slow start (s)",
    "beyond": "harm beyond slow start's own",
}


def by_startup(found: pl.DataFrame, change: str, word: str = "with") -> str:
    """`longer with a (+9 %); shorter with b (-5 %); undecided with the rest`, by intervals."""
    ordered = found.drop_nulls(change).sort(pl.col(change).abs(), descending=True)
    parts = {
        "longer": ordered.filter(pl.col(f"{change}_low") > 0),
        "shorter": ordered.filter(pl.col(f"{change}_high") < 0),
    }
    said = [
        f"{what} {word} "
        + listed([f"{name} ({by:+.0f} %)" for name, by in part.select("startup", change).rows()])
        for what, part in parts.items() if len(part)
    ]  # fmt: skip
    decided = sum(map(len, parts.values()))
    if decided < len(ordered):
        said.append(f"undecided {word} {'the others' if decided else 'all'}")
    return "; ".join(said)


def half(found: pl.DataFrame) -> pl.DataFrame:
    """Where half have switched."""
    return found.filter(share=50)


def in_words(found: pl.DataFrame, change: str, where: str) -> str:
    """`+12 % (8 to 15 %) at 5`, for each row."""
    rows = found.select(change, f"{change}_low", f"{change}_high", where).rows()
    return ", ".join(
        f"{by:+.0f} % ({low:.0f} to {high:.0f} %) at {at:g}" for by, low, high, at in rows
    )


def both_camps(name: str, found: pl.DataFrame) -> list[Table]:
    """Every case, with both camps."""
    return [table(name, "Flows that switched, and flows that stayed with slow start: change of "
                  "their median and 90th percentile against the same connections when all use slow "
                  "start (%, with 95 % intervals), durations (s), losses (%), timeouts of a "
                  "connection, and harm to those that stayed", found)]  # fmt: skip


def glance(name: str, found: pl.DataFrame, setting: str) -> Table:
    """One row for each startup: the change of both camps' medians by setting."""
    camps = {"switched": "switched", "stayed": "slow start"}
    what, bracket, unit = setting.partition(" (")
    frame = half(found).group_by("startup", maintain_order=True).agg(
        pl.col(camp).filter(pl.col(setting) == value).first().round(1)
        .alias(f"{what} {value:g}{bracket}{unit}: {name} (%)")
        for value in found[setting].unique(maintain_order=True) for camp, name in camps.items()
    )  # fmt: skip
    return Table(name, "Half have switched: change of each camp's median duration against the same "
                 "connections when all use slow start.", frame.to_dicts())  # fmt: skip


def pictures(
    name: str, found: pl.DataFrame, facet: pl.Expr, curve: str = "startup"
) -> list[Picture]:
    """How long those that switched take, how long slow start's, and the harm."""
    found = found.with_columns(
        facet=facet, beyond=pl.col("harm") - pl.col("harm_by_slow_start"),
        # On the left, where none has switched, it is slow start's.
        switched_s=pl.coalesce("switched_s", "stayed_s"))  # fmt: skip
    unmixed, mixed = found.filter(share=0), found.filter(pl.col("share") > 0)
    on = ["facet"] if curve == "startup" else ["facet", curve]
    start = mixed.select("facet", curve).unique(maintain_order=True).join(
        unmixed.drop("startup"), on=on, suffix="_")  # fmt: skip
    every = pl.concat([start, mixed], how="diagonal").sort("share", maintain_order=True)
    drawn = []
    for column in CAPTIONS:
        level = {"slow start": 0.0} if column == "beyond" else None
        panels = [
            panel(part, SHARE, (column, Axis(LABELS[column])), curve, title=str(title), level=level)
            for (title,), part in every.group_by(["facet"], maintain_order=True)
        ]
        drawn.append(lines(f"{name}-{column.removesuffix('_s')}", CAPTIONS[column], *panels))
    return drawn


# Jump Start's 200 connections of 200 packets.

INTERVALS_MS = (250, 350, 500, 1000)
"""The connections' data alone fill 96, 69, 48 and 24 % of each direction."""
RANDOM_MS = (350, 500, 1000)
SEEDS = range(1, 11)
BUSY, IDLE = 0.35, 1.0
"""The interval in seconds that is spoken of: connections meet, but the path can carry them; and
that at which connections of one direction never meet if they come regularly."""
INTERVAL = "interval (s)"


def _busy(found: pl.DataFrame) -> str:
    at = half(found).filter(pl.col(INTERVAL) == BUSY)
    return (
        f"One connection every {BUSY:g} s, half of them with another startup: the median of slow "
        f"start's camp is {by_startup(at, 'stayed', 'next to')}. That of the camp that switched is "
        f"{by_startup(at, 'switched')}."
    )


def _drawn(found: pl.DataFrame) -> pl.DataFrame:
    return found.filter(pl.col("startup").is_in((SLOW_START, *DRAWN)))


def _crowds(name: str, found: pl.DataFrame, said: Sequence[str]) -> Findings:
    facet = pl.format("interval {} s", INTERVAL)
    return Findings(
        answers=said,
        tables=[glance(name, found, INTERVAL), *both_camps(f"{name}-camps", found)],
        pictures=pictures(name, _drawn(found), facet),
    )


@experiment("MIX-HALF", "study", quick=True)
def mix_half(lab: Lab) -> Findings:
    """Half of Jump Start's connections switch to one of three startups: which gain?"""
    names = ("hystart", "fast-start", "jump-start")
    found = mix(lab, [setups.at_random(350)], names, range(1, 9), measures.of_flows, shares=(50,))
    return Findings(answers=[_busy(found)], tables=both_camps("half", found))


@experiment(
    "MIX-CONTENTION", "study",
    "Jump Start's 200 connections at regular intervals: what does each startup bring to those that "
    "switch, and cost those that do not, by their share?",
)  # fmt: skip
def mix_contention(lab: Lab) -> Findings:
    """Every startup at every share, at the paper's regular intervals."""
    settings = [setups.contention(interval) for interval in INTERVALS_MS]
    found = mix(lab, settings, WITHOUT_ROUTERS, SEEDS, measures.of_flows)
    idle = found.filter(pl.col(INTERVAL) == IDLE)
    idle_says = (
        f"At regular intervals of {IDLE:g} s the median of slow start's camp moves by "
        f"{max(abs(idle['stayed'].drop_nulls())):.1f} % at most, whatever the others do; that of "
        f"the camp that switched is {by_startup(half(idle), 'switched')}."
    )
    return _crowds("contention", found, [_busy(found), idle_says])


@experiment("MIX-ARRIVALS", "study")
def mix_arrivals(lab: Lab) -> Findings:
    """The same where connections come at random: what was only the beat of the intervals?"""
    settings = [setups.at_random(interval) for interval in RANDOM_MS]
    found = mix(lab, settings, WITHOUT_ROUTERS, SEEDS, measures.of_flows)
    harmful = (
        found.filter(pl.col("stayed_low") > 0)["startup"].unique(maintain_order=True).to_list()
    )
    others = [name for name in WITHOUT_ROUTERS if name not in harmful]
    busy = found.filter(pl.col(INTERVAL) == BUSY)
    both = busy.filter(share=10).join(busy.filter(share=100), on="startup", suffix="_all")
    tempting = both.filter((pl.col("switched_high") < 0) & (pl.col("switched_low_all") > 0))
    generous = both.filter((pl.col("switched_low") > 0) & (pl.col("switched_high_all") < 0))
    names = [listed([f"{name} ({first:+.0f} %, {every:+.0f} %)" for name, first, every in
                     each.select("startup", "switched", "switched_all").rows()])
             for each in (tempting, generous)]  # fmt: skip
    return _crowds("arrivals", found, [
        _busy(found),
        "With 95 % confidence the median of slow start's camp gets longer at some interval and "
        f"share next to {listed(harmful)}, and at none next to {listed(others)}.",
        f"At {BUSY:g} s the first 10 % that switch gain, and all together lose, with {names[0]}; "
        f"the first lose, and all together gain, with {names[1]}.",
    ])  # fmt: skip


# Jump Start's web sessions, to some of which the servers answer in another startup.

SESSIONS = (50, 100)


@experiment("MIX-WEB", "study")
def mix_web(lab: Lab) -> Findings:
    """What does each startup bring and cost in web sessions of mostly short transfers?"""
    few, many = (setups.web(count) for count in SESSIONS)
    read, seeds = measures.of_objects, range(1, 33)
    found = mix(lab, [few], WITHOUT_MEMORY, seeds, read)
    busy = mix(lab, [many], WITHOUT_MEMORY, seeds, read, shares=(50,))
    every = pl.concat([found, busy], how="diagonal")
    return Findings(
        answers=[
            f"Responses of more than {measures.SHORT} packets, half of the sessions in another "
            f"startup: their median is {by_startup(half(found), 'switched')}.",
            "In the other half's slow start the median is "
            f"{by_startup(half(found), 'stayed', 'next to')}; the 90th percentile is "
            f"{by_startup(half(found), 'stayed_late', 'next to')}, and with {SESSIONS[1]} sessions "
            f"{by_startup(half(busy), 'stayed_late', 'next to')}.",
        ],
        tables=[glance("web", every, "sessions"), *both_camps("web-camps", every)],
        pictures=pictures("web", _drawn(found), pl.format("sessions {}", "sessions")),
    )


# Modified Swift Start next to slow start, on the lines of its own paper.


@experiment(
    "MIX-MSS", "study",
    "Ten transfers over T1 or OC-1, some with Modified Swift Start: does it push slow start aside?",
)  # fmt: skip
def mix_mss(lab: Lab) -> Findings:
    """Both lines, four delays, endless buffers as in the paper and short ones."""
    settings = [setups.swift(line, delay, buffer) for line in setups.LINES
                for buffer in (setups.ENDLESS, "50pkt") for delay in (0.1, 100, 300,
                                                                      500)]  # fmt: skip
    shares = (10, 30, 50, 70, 100)
    names = ["modified-swift-start"]
    found = mix(lab, settings, names, range(1, 31), measures.of_flows, shares=shares)
    t1, oc1 = (found.filter(line=line) for line in ("T1", "OC-1"))
    own = oc1["switched"].drop_nulls()
    facet = pl.format("{}, buffer: {}", "line", "buffer")
    return Findings(
        answers=[
            *(f"On T1, buffer {buffer}, five of ten with Modified Swift Start, by the delay in "
              "seconds: the median of the five changes by "
              f"{in_words(part, 'switched', 'delay (s)')}, that of the other five by "
              f"{in_words(part, 'stayed', 'delay (s)')}."
              for (buffer,), part in half(t1).group_by(["buffer"], maintain_order=True)),
            f"On OC-1 the median of slow start's camp moves by "
            f"{max(abs(oc1['stayed'].drop_nulls())):.1f} % at most, and that of Modified Swift "
            f"Start's by {max(own):.0f} to {min(own):.0f} %.",
        ],
        tables=both_camps("swift", found),
        pictures=pictures("swift", found, facet, "delay (s)"),
    )  # fmt: skip


# Quick-Start next to slow start: through routers that all know it, with and without load.

LOADS = (0, 8, 16)
"""Web sessions next to the transfers."""
ASKING = ("quick-start", "greedy quick-start")
LOAD = "load (sessions)"


@experiment(
    "MIX-QS", "study",
    "Some ask the routers, the others begin slowly: what are the askers given on an idle and on a "
    "loaded path, and at whose expense?",
)  # fmt: skip
def mix_qs(lab: Lab) -> Findings:
    """The Quick-Start paper's transfers, and Jump Start's connections."""
    seeds, read = range(1, 13), measures.of_flows
    # Jump Start takes as much as Quick-Start may be given, without asking.
    beside = mix(lab, [setups.quick(load) for load in LOADS], [*ASKING, "jump-start"], seeds, read)
    crowded = [setups.at_random(each, quick_start=setups.ROUTERS) for each in RANDOM_MS]
    crowd = mix(lab, crowded, ASKING[:1], seeds, read)
    said = []
    for load in LOADS:
        at = half(beside).filter(pl.col(LOAD) == load)
        asked = at.filter(pl.col("startup").is_in(ASKING)).select("switched_approved", "startup")
        approved = listed([f"{share:.0f} % ({name})" for share, name in asked.rows()])
        said.append(
            f"Next to {load} sessions of load, half of the transfers with another startup: the "
            f"routers approve {approved} of the requests; the median of those that switched is "
            f"{by_startup(at, 'switched')}; that of slow start's camp is "
            f"{by_startup(at, 'stayed', 'next to')}."
        )
    approvals = listed([f"{share:.0f} % at {at:g} s" for share, at in
                        half(crowd).select("switched_approved", INTERVAL).rows()])  # fmt: skip
    harmed = any((crowd["stayed_low"] > 0).drop_nulls())
    said.append(
        f"Among Jump Start's connections at random moments, half of them asking, approvals are "
        f"{approvals}, and the askers' median changes by "
        f"{in_words(half(crowd), 'switched', INTERVAL)}; with 95 % confidence the median of slow "
        f"start's camp gets longer at {'some' if harmed else 'no'} interval and share."
    )
    return Findings(
        answers=said,
        tables=[*both_camps("quick", beside), *both_camps("quick-crowd", crowd)],
        pictures=[
            *pictures("quick", beside, pl.format("load {} sessions", LOAD)),
            *pictures("quick-crowd", crowd, pl.format("interval {} s", INTERVAL)),
        ],
    )


@experiment("MIX-CHOSEN", "study")
def mix_chosen(lab: Lab) -> Findings:
    """How much depends on what was chosen here: memories, interfaces, sizes?"""
    read = measures.of_flows
    crowd = mix(lab, [setups.at_random(500)], MOVED, SEEDS, read, shares=(50,))
    sizes = [setups.swift("T1", 300, "50pkt", times=times) for times in (0.5, 1, 4)]
    sized = mix(lab, sizes, ["modified-swift-start"], range(1, 31), read, shares=(50,))
    return Findings(
        answers=[
            "One connection every 0.5 s, half switched: slow start's median is "
            f"{by_startup(half(crowd), 'stayed', 'next to')}.",
            "On T1 at 0.3 s with a buffer of 50 packets, by kB of a transfer, slow start's median "
            "changes next to Modified Swift Start by "
            f"{in_words(half(sized), 'stayed', 'size (kB)')}.",
        ],
        tables=[*both_camps("chosen", crowd), *both_camps("chosen-sizes", sized)],
    )
