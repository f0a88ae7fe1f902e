"""What lies about rate requests are worth: hidden routers, and guessed nonces."""

from collections.abc import Mapping

from flowstart.model.document import Document
from flowstart_papers.cases import by_case
from flowstart_papers.coping.countermeasures import PACKET_KBIT
from flowstart_papers.coping.effects import COLUMNS, Effect, cells, effect
from flowstart_papers.coping.measures import of_flows
from flowstart_papers.coping.requests import (
    HONEST_PACKETS,
    NO_ROUTERS,
    PATH,
    RATE,
    RFC,
    RTT,
    Rule,
)
from flowstart_papers.experiment import Cell, Experiment, Findings, Table
from flowstart_papers.lab import Lab
from flowstart_papers.measures import first

SEEDS = range(1, 13)
LOADS = (20, 40, 60)
TRANSFERS = 100
"""Of each half."""
BUFFER = "60pkt"
HIDDEN = Rule("routers do not know the option, and receivers hide it", "everything")
"""To a sender whose receiver corrects the difference of the TTLs, they approve whatever is
asked: the request comes through as it was, nonce and all."""
BELIEF = (
    Rule("routers do not know the option, and hosts find out", NO_ROUTERS.admission),
    Rule("all routers decide, RFC 4782 appendix D", RFC.admission),
    HIDDEN,
)

ASKED_KBPS = 20480
STEPS = range(4)
"""By which a router lowers the rate; each halves it."""
ODDS = 1 / 4
"""That a receiver guesses the two bits of the nonce that a step makes unknown."""
GUESS_PACKETS = 200

Effects = Mapping[tuple[str, int], Effect]


def run(lab: Lab) -> Findings:
    """Receivers that hide routers, next to slow starters; and receivers that guess nonces."""
    hidden = _hidden(lab)
    guesses = _guesses(lab)
    return Findings(
        answers=[_says_hidden(hidden), _says_guesses(guesses)],
        tables=[
            Table(
                "lies_routers",
                f"Transfers of {HONEST_PACKETS} packets over {PATH} with a queue "
                f"of 60 packets; half of them ask for a rate. {COLUMNS}",
                [
                    cells(found, {"half of the hosts ask": name, "load, %": load})
                    for (name, load), found in hidden.items()
                ],
            ),
            Table(
                "lies_nonce",
                f"A transfer of {GUESS_PACKETS} packets alone on 100 Mbit/s and 100 ms that "
                f"requests {ASKED_KBPS / 1000:g} Mbit/s. With what a router left, and when "
                "refused, durations are measured; what a liar may expect is computed from them and "
                "from the odds of a guess.",
                guesses,
            ),
        ],
    )


def _hidden(lab: Lab) -> dict[tuple[str, int], Effect]:
    cases = [
        (rule, load, startup)
        for rule in BELIEF
        for load in LOADS
        for startup in ("slow-start", "quick-start")
    ]
    documents = {case: [_mixed(*case, seed) for seed in SEEDS] for case in cases}
    groups = by_case(lab, documents, of_flows)
    return {
        (rule.name, load): effect(
            groups[rule, load, "slow-start"], groups[rule, load, "quick-start"]
        )
        for rule in BELIEF
        for load in LOADS
    }


def _mixed(rule: Rule, load: int, startup: str, seed: int) -> Document:
    """Half of the transfers ask, the others start slowly; together they make the load."""
    kbps = load / 100 * 1000 * float(RATE.removesuffix("Mbps"))
    spacing_s = 2 * HONEST_PACKETS * PACKET_KBIT / kbps
    half = {
        "size": f"{HONEST_PACKETS}pkt",
        "count": TRANSFERS,
        "stagger": f"{spacing_s:.4f}s",
        "jitter": f"{10 * spacing_s:.4f}s",
    }
    routers = {"quick_start": {"admission": rule.admission}}
    return {
        "seed": seed,
        "path": {"rate": RATE, "rtt": RTT, "buffer": BUFFER} | routers,
        "flows": [half | {"startup": startup}, half | {"startup": "slow-start"}],
    }


def _guesses(lab: Lab) -> list[dict[str, Cell]]:
    """By how far a router lowered the rate: the honest duration and what a liar may expect."""
    cases = [_alone(ASKED_KBPS // 2**step) for step in STEPS]
    refused, *granted = (r["duration_s"] for r in lab.runs([_alone(None), *cases], first))
    full = granted[0]
    return [
        {
            "router left, Mbit/s": ASKED_KBPS / 2**step / 1000,
            "honest, s": round(honest, 3),
            "liar believed, %": round(100 * ODDS**step, 1),
            "believed, s": round(full, 3),
            "found out, s": round(refused, 3),
            "liar expects, s": round(ODDS**step * full + (1 - ODDS**step) * refused, 3),
        }
        for step, honest in zip(STEPS, granted, strict=True)
    ]


def _alone(kbps: int | None) -> Document:
    """One transfer that is granted this rate, or none."""
    asks = f"quick-start:request={kbps}kbps,sizing=fixed"
    return {
        "path": {
            "rate": "100Mbps",
            "rtt": RTT,
            "quick_start": {"admission": "everything" if kbps else "none"},
        },
        "flows": [{"startup": asks if kbps else "slow-start", "size": f"{GUESS_PACKETS}pkt"}],
    }


def _says_hidden(hidden: Effects) -> str:
    parts = [
        f"{load} % load {hidden[HIDDEN.name, load].gain.text()} and "
        f"{hidden[HIDDEN.name, load].harm.text()} % (95th percentile "
        f"{hidden[HIDDEN.name, load].harm_tail.text(0)} %)"
        for load in LOADS
    ]
    return (
        "Where receivers hide that routers do not know the option, the gain of their transfers "
        f"and the harm to slow starters are at {'; '.join(parts)}."
    )


def _says_guesses(guesses: list[dict[str, Cell]]) -> str:
    lowered = guesses[1:]
    pays = [
        row for row in lowered if float(row["liar expects, s"] or 0) < float(row["honest, s"] or 0)
    ]
    steps = len(lowered)
    return (
        f"Guessing the nonce of a lowered rate is worth it in {len(pays)} of {steps} cases: a "
        f"detected liar starts slowly."
    )


EXPERIMENTS = (
    Experiment(
        id="ABUSE-LIES",
        figure="study",
        question="What do false rate requests gain?",
        run=run,
    ),
)
