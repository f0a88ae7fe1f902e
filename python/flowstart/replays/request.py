"""What is asked of a replay: by the fields of a question, or by options of a command or a page."""

import dataclasses
import os as os  # of the types of the fields
from collections.abc import Mapping
from typing import Any

from flowstart.captures.contents import Capture
from flowstart.captures.reading import read_capture as read
from flowstart.comparison.request import path_of, refuse_what_does_nothing, stack_of
from flowstart.errors import RequestError
from flowstart.inference.gates import Limits
from flowstart.model import stack as stacks
from flowstart.model import variants as named
from flowstart.model.custom import CustomStartups
from flowstart.model.path import IMPAIRING
from flowstart.questions.option import asking, of
from flowstart.questions.replay import ReplayQuestion
from flowstart.replays.answer import ONCE, Questions, parsed
from flowstart.replays.execute import study
from flowstart.replays.result import Replay
from flowstart.replays.settings import GivenNetwork, Settings, compared, hosts_of, side
from flowstart.simulation import bounds


@asking(ReplayQuestion)
def replay(question: ReplayQuestion) -> Replay:
    """Replays recorded transfers under other settings of their senders.

    Without variants and startups, the settings that the recorded stack offers are compared.

    Returns:
        Completion times under each setting, and the verdict.

    Raises:
        RequestError: An argument is wrong or exceeds a limit.

    Example:
        >>> import flowstart as fs
        >>> found = fs.replay("mine.pcap", startups=["slow-start", "hystart"])  # doctest: +SKIP
        >>> found.frame.group_by("variant").mean()  # doctest: +SKIP
    """
    check(question)
    with bounds.bounded(question.max_time, question.max_memory):
        taken = question.capture
        if not isinstance(taken, Capture):
            taken = read(taken)
        return study(
            taken,
            settings_of(question, taken),
            questions_of(question),
            workers=question.workers,
            progress=question.progress,
        )


def check(question: ReplayQuestion) -> None:
    """Refuses what is wrong before anything is read."""
    questions_of(question)
    settings_of(question)


def questions_of(question: ReplayQuestion) -> Questions:
    """What is asked beyond the rows. Raises RequestError where a field is wrong."""
    return dataclasses.replace(
        Questions() if question.uncertainty else ONCE,
        rollout=None if question.rollout is None else float(question.rollout),
        when=parsed(question.when),
        limits=Limits.of(question),
        sample=question.sample,
    )


def settings_of(question: ReplayQuestion, capture: Capture | None = None) -> Settings:
    """How a capture is replayed, once it has been read; None stands for what its stack offers.

    Raises RequestError where a field is wrong, contradicts another or would change nothing.
    """
    if question.reverse_rate and not question.rate:
        raise RequestError("the forward rate is missing; both belong together", ("reverse_rate",))
    custom = CustomStartups()
    stack, direction = stacks.fields(question.stack), side(question.direction)
    hosts = hosts_of(question.recorded, stack, capture, direction)
    variants = named.read_all(question.variants, allow_python=question.allow_python)
    startups, baseline = question.startups, question.baseline
    chosen, base = compared(hosts, variants, startups, baseline, question.cc, custom)
    refuse_what_does_nothing(
        {"cached_cwnd": question.cached_cwnd}, [str(v.begins) for v in chosen], custom, stack
    )
    same = ("cc", "rate", "reverse_rate", "buffer", "reverse_buffer", "rtt", "loss")
    return Settings(
        startups=tuple(v.name for v in chosen if v.name == v.startup),
        variants=tuple(v for v in chosen if v.name != v.startup),
        baseline=base,
        hosts=hosts,
        by_default=startups is None and not variants and baseline is None,
        stack=stack,
        direction=direction,
        ignore=frozenset(question.ignore),
        cross_traffic=float(question.cross_traffic),
        competing=tuple(question.competing),
        networks=tuple(map(GivenNetwork.parse, question.networks)),
        one_link=False,
        impairments=dict(question.impairments or {}),
        seed=question.seed,
        custom=custom,
        **{name: getattr(question, name) for name in (*same, "cached_cwnd")},
    )


def question_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of `fs.replay` for options, by the name of the field that they set."""
    described = path_of(options) or {}
    impairments = {name: described.pop(name) for name in IMPAIRING if name in described}
    keywords = {f.name: options[f.name] for f in of(ReplayQuestion) if f.name in options}
    return keywords | described | {"impairments": impairments, "stack": stack_of(options)}
