"""Startups written in Python.

A startup is a class with the hooks below. It runs beside those of the catalog, wherever one
of those can be named:

    class Eager(fs.Startup):
        def __init__(self, first: float = 20) -> None:
            self.first = first

        def on_established(self, w, e):
            w.cwnd = self.first

        def on_ack(self, w, a):
            w.cwnd += w.segments(a.credit)

    fs.compare(path, startups=["slow-start", Eager, Eager(first=40)])

Hooks, signals and their fields are those of the Rust trait `Startup`: windows in segments,
sizes in bytes, times in whole nanoseconds, rates in bits per second.
"""

import abc
import difflib
import inspect
from types import FunctionType
from typing import Any, ClassVar, Literal, Self, TypeAlias

from flowstart._native import HOOKS, Window
from flowstart.errors import RequestError
from flowstart.model.signals import (
    Ack,
    Events,
    Idle,
    Loss,
    Marked,
    PathInfo,
    Syn,
    Timeout,
)
from flowstart.public import Public

__all__ = ["Reason", "Startup", "Window", "hooks", "label"]

Reason: TypeAlias = Literal[
    "ack-train",
    "delay",
    "loss",
    "timeout",
    "ssthresh",
    "first-ack",
    "all-sent",
    "estimate",
    "router",
    "full-pipe",
    "ecn",
]
"""Why a startup ended."""


class Startup(Events, metaclass=Public):
    """A startup: from the handshake until it knows the path.

    It edits the window and reports, once, that its work is done. Only `on_ack` has to be
    written; the other hooks do nothing unless they say otherwise. Those that are told of one event
    are in `Events`.

    A class stands for itself made without arguments, an instance for its class made with the
    arguments that it was made with: every flow gets an object of its own.

    Attributes:
        name: Name in tables. [the class's name]

    Example:
        >>> import flowstart as fs
        >>> class Faster(fs.Startup):
        ...     def on_ack(self, w, a):
        ...         w.cwnd += 2 * w.segments(a.acked)
        >>> path = fs.NetworkPath(rate="5Mbps", rtt="64ms")
        >>> result = fs.compare(path, startups=["slow-start", Faster], sizes=["20kB"])
        >>> result.frame["startup"].to_list()
        ['slow-start', 'Faster']
    """

    name: ClassVar[str | None] = None

    _arguments: tuple[tuple[Any, ...], dict[str, Any]]

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Remembers the arguments."""
        made = super().__new__(cls)
        made._arguments = args, kwargs
        return made

    # Without this one, Python would overlook arguments that nobody takes.
    def __init__(self) -> None:
        pass

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = [base for base in cls.__mro__ if base not in Startup.__mro__]
        for method in dict.fromkeys(name for base in own for name in _methods(base)):
            near = _meant(method)
            if near is not None or method.startswith("on_"):
                hint = f"did you mean `{near}`?" if near else f"there are {', '.join(HOOKS)}"
                raise RequestError(f"startup `{cls.__name__}`: `{method}` is not a hook; {hint}")
        for attribute in dict.fromkeys(name for base in own for name in _values(base)):
            hook = attribute if attribute in HOOKS else _answer_meant(attribute)
            if hook is not None:
                raise RequestError(
                    f"startup `{cls.__name__}`: `{attribute}` is a value, and is never called; "
                    f"write a method `{hook}`"
                )

    def rate_request(self, s: Syn) -> int | None:
        """The rate, headers included, for which the routers are to be asked on the SYN."""
        return None

    def on_known(self, k: PathInfo) -> None:
        """What is known of the path besides, before the handshake is reported."""

    @abc.abstractmethod
    def on_ack(self, w: Window, a: Ack) -> Reason | None:
        """An ACK of new data outside recovery, while this startup is in charge.

        Grow, and return a reason when the startup is over. A startup that leaves without
        loss sets `w.ssthresh` itself.
        """

    def cancel(self, w: Window) -> None:
        """A loss, a mark or a timeout has ended what was under way: takes back pacing and tags.

        It is what `on_loss`, `on_marked` and `on_timeout` do unless they are written.
        """

    def on_loss(self, w: Window, loss: Loss) -> Literal["standard", "done", "self-managed"] | None:
        """Loss was found; `w` is as before the loss.

        Return `"done"` where this startup has set the window itself, and `"self-managed"` where
        it goes on to in `on_recovery_ack`, so that the transport reduces nothing
        proportionally; otherwise the congestion control reduces it by its own rule.
        """
        self.cancel(w)
        return None

    def on_marked(self, w: Window, m: Marked) -> Literal["standard", "done", "self-managed"] | None:
        """A congestion mark has come back; `on_loss` is told instead unless this is written.

        Nothing is missing. Answers are those of `on_loss`; `on_recovered` follows when the
        window has come down.
        """
        return None

    def on_spurious(self, w: Window) -> None:
        """The last timeout was for nothing: what it took for lost has arrived."""

    def has_resumed(self) -> bool:
        """After `on_spurious`, where it is in charge: whether it grows as before the loss.

        One that stays in charge when it has ended says so itself.
        """
        return True

    def on_timeout(
        self, w: Window, t: Timeout
    ) -> Literal["standard", "done", "self-managed"] | None:
        """The retransmission timer expired; `w` is as before.

        It ends a startup that does not survive it. Answers are those of `on_loss`.
        """
        self.cancel(w)
        return None

    def on_idle(self, w: Window, before: Window, i: Idle) -> bool:
        """Sending resumes after an idle time; True where this startup begins anew.

        The stack's restart rule has been applied to `w`, which was `before`.
        """
        return False

    def exit_estimate(self) -> float | None:
        """What path and queue hold, in segments, if it knows, now that it ends without a loss.

        A congestion control that levels out where the last loss was (CUBIC, BIC) takes this for
        the window of that loss, `W_max`.
        """
        return None

    def trace(self) -> dict[str, float]:
        """Numbers of its own by name, for the trace: columns of `Run.flow_samples`.

        Asked at each sample of its flow where a trace is kept. A name that the trace has already is
        refused.
        """
        return {}

    def unused_acked(self) -> int:
        """Bytes of the last ACK that were not used because the startup ended there.

        The congestion control grows by them.
        """
        return 0

    def survives_loss(self) -> bool:
        """Whether a loss, a mark or a timeout at present does not end it."""
        return False

    def survives_mark(self) -> bool:
        """Whether a mark alone does not end it; as a loss unless this is written."""
        return self.survives_loss()

    def wants_delivery(self) -> bool:
        """Whether it wants to be told of delivery (`Ack.delivery`). Asked once."""
        return False

    def owns_cwnd(self) -> bool:
        """Whether it sets the window at every ACK, in recovery too.

        While it does, all ACKs are `on_ack`'s, and it answers losses, timeouts and idle times
        alone.
        """
        return False

    def in_charge(self, w: Window) -> bool:
        """Whether this startup's growth rule applies rather than the congestion control's."""
        return w.in_slow_start


SIMILAR = 0.87
"""A method this similar to a hook is taken for one that is misspelt.

Transposed letters are above it (`in_chrage`, 0.875), words of their own below (`charge`, 0.857).
"""


def _methods(kind: type) -> list[str]:
    """The public methods in a class's body that are no hooks."""
    methods = (FunctionType, staticmethod, classmethod)
    return [
        name
        for name, value in vars(kind).items()
        if isinstance(value, methods) and not name.startswith("_") and name not in HOOKS
    ]


def _values(kind: type) -> list[str]:
    """The attributes in a class's body that stand in the place of a hook, or may be meant to.

    A startup may have values under any other name; but what is true or false is close to a hook
    that answers so only where it is meant to be one.
    """
    return [
        name
        for name, value in vars(kind).items()
        if isinstance(value, bool)
        or (name in HOOKS and not callable(value) and not hasattr(value, "__get__"))
    ]


def _answer_meant(attribute: str) -> str | None:
    """The hook without arguments that a value is meant to be the answer of."""
    hook = _meant(attribute)
    plain = hook is not None and len(inspect.signature(getattr(Startup, hook)).parameters) == 1
    return hook if plain else None


def _meant(method: str) -> str | None:
    """The hook that a name is meant to be, `onAck` too."""
    plain = {hook.replace("_", ""): hook for hook in HOOKS}
    cutoff = 0.6 if method.startswith("on_") else SIMILAR
    name = method.replace("_", "").lower()
    near = difflib.get_close_matches(name, plain, n=1, cutoff=cutoff)
    return plain[near[0]] if near else None


def label(startup: Startup) -> str:
    """What a startup is called: its name and the arguments it was made with."""
    name = startup.name or type(startup).__name__
    args, kwargs = startup._arguments
    arguments = inspect.signature(type(startup).__init__).bind(startup, *args, **kwargs).arguments
    listed = [f"{key}={value}" for key, value in list(arguments.items())[1:]]
    return ":".join(filter(None, [name, ",".join(listed)]))


def hooks(kind: type[Startup]) -> list[str]:
    """The hooks that a class has of its own: the others cost nothing."""
    return [name for name in HOOKS if getattr(kind, name) is not getattr(Startup, name)]
