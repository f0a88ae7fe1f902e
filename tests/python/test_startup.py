"""Startups written in Python: the same packets as in Rust, whose objects, whose errors."""

import ast
import json
import pathlib
import re
import threading
import traceback
from collections.abc import Callable
from typing import Any, ClassVar, get_args

import pytest

import flowstart as fs
from flowstart import _native
from flowstart.model import custom
from flowstart.model.startup import Reason

Cli = Callable[..., Any]
ROOT = pathlib.Path(__file__).parents[2]
TWIN = f"{ROOT / 'examples' / 'limited_slow_start.py'}:LimitedSlowStart"
LOSSY = fs.NetworkPath(rate="20Mbps", rtt="60ms", loss="0.5%", reverse_loss="1%")


class Doubling(fs.Startup):
    """Slow start without any of its details."""

    def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> Any:
        w.cwnd += w.segments(a.acked)


def run(startup: Any, path: fs.NetworkPath = LOSSY, **flow: Any) -> fs.Run:
    flows = [fs.Flow(startup=startup, **{"size": "300kB"} | flow)]
    return fs.run(fs.Scenario(path=path, flows=flows, stack="rfc"))


def test_responses_of_web_sessions_may_begin_with_a_class() -> None:
    web = [
        fs.WebTraffic(startup=Doubling, size=40),
        fs.WebTraffic(startup="slow-start", size=40, start="9s"),
    ]
    run = fs.run(fs.Scenario(path=fs.NetworkPath(rate="9Mbps", rtt="50ms"), web=web))
    doubling, slow = (run.records[flow] for flow in run.objects["flow"])
    assert doubling["startup"] == "Doubling"
    assert doubling["fct_s"] == pytest.approx(slow["fct_s"])


@pytest.mark.parametrize("parameters", ["", ":max_ssthresh=20"])
@pytest.mark.parametrize("stack", ["rfc", "rfc:ack=every", "rfc:recovery=newreno"])
def test_a_python_twin_sends_the_same_packets_as_the_rust_one(stack: str, parameters: str) -> None:
    traces = []
    for startup in ("limited-slow-start" + parameters, TWIN + parameters):
        # Losses from the queue's overflow and from chance, and a window lost as a whole.
        flows = [
            fs.Flow(startup=startup, size="3MB", forced_drops=range(200, 260)),
            fs.Flow(startup=startup, size="3MB", start="300ms", count=2, stagger="300ms"),
            fs.Flow(startup=startup, size="8MB", direction="reverse"),
        ]
        described = fs.Scenario(path=LOSSY, flows=flows, stack=stack, trace=True, seed=3)
        traces.append(fs.run(described))
    rust, python = traces
    for name in ("flow_samples", "queue_samples"):
        expected, found = (getattr(run, name) for run in (rust, python))
        assert expected.height > 10_000
        assert expected.equals(found)
    assert rust.frame.drop("startup").equals(python.frame.drop("startup"))
    assert (rust.frame["packets_dropped"] > 0).all()
    assert rust.frame["timeouts"].sum() > 0
    most: Any = rust.frame["max_cwnd_segments"].max()
    assert most > (20 if parameters else 100)  # growth was limited


def test_a_class_runs_beside_those_of_the_catalog(path: fs.NetworkPath) -> None:
    result = fs.compare(path, startups=["slow-start", Doubling], sizes=["30kB", "300kB"])
    assert [row["startup"] for row in result.records] == ["slow-start", "Doubling"] * 2
    assert result.frame["complete"].all()
    assert result.plan.command is None  # no command line could repeat it
    assert json.loads(json.dumps(result.to_dict()))["startups"] == ["slow-start", "Doubling"]
    assert [line.label for line in result.series()] == ["slow-start", "Doubling"]


def test_every_flow_has_an_object_of_its_own_made_with_the_same_arguments() -> None:
    made: list[tuple[float, str]] = []

    class Counted(Doubling):
        def __init__(self, first: float = 2, word: str = "a") -> None:
            made.append((first, word))
            self.first, self.opened = first, 0

        def on_established(self, w: fs.Window, e: fs.signals.Established) -> None:
            self.opened += 1
            assert self.opened == 1
            w.cwnd = self.first

    template = Counted(7, word="b")
    path = fs.NetworkPath(rate="5Mbps", rtt="64ms")
    result = fs.compare(
        path, startups=[Counted, template], sizes=["10kB"], flows=3, workers=1, uncertainty=False
    )
    assert {row["startup"] for row in result.records} == {"Counted", "Counted:first=7,word=b"}
    assert made.count((2, "a")) == 1 + 3  # one to try, three that ran
    assert made.count((7, "b")) == 1 + 3
    assert template.opened == 0


def test_hooks_are_told_what_their_stubs_promise() -> None:
    package = ROOT / "python" / "flowstart"
    files = ("_native.pyi", "model/signals.pyi")
    stubs = [ast.parse((package / name).read_text()) for name in files]
    nodes = [node for stub in stubs for node in stub.body]
    classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}
    told = "Syn PathInfo PathMemory PeerGap Feedback Established Sent Ack Loss Marked"
    told += " Recovered Timeout Idle Delivery RateSample"
    for name in (*told.split(), "Window"):
        body = classes[name].body
        fields = {n.target.id for n in body if isinstance(n, ast.AnnAssign)}  # type: ignore[union-attr]
        fields |= {n.name for n in body if isinstance(n, ast.FunctionDef)}
        native = {field for field in vars(getattr(_native, name)) if not field.startswith("__")}
        assert fields - {"__init__"} == native, name


def test_the_base_class_has_the_hooks_of_the_rust_trait() -> None:
    control = ROOT / "crates" / "control" / "src"
    _, events = (control / "signals.rs").read_text().split("macro_rules! startup_events")
    _, trait = (control / "startup" / "hooks.rs").read_text().split("pub trait Startup")
    hooks = re.findall(r"^ {12}(\w+)\(\w+: \w+\) -> ", events, re.MULTILINE)
    assert hooks == [hook for hook, *_ in _native.EVENTS]
    hooks += re.findall(r"^    fn (\w+)", trait, re.MULTILINE)
    # What is exported is a model, here of one kind; what an ACK leaves unused is the slow start's.
    # Kinds of congestion, what survives them, and whether it has resumed, have hooks of their own.
    # A startup in Python always gets samples of the delivery rate.
    rust = {"export_model", "on_congestion", "assisted", "columns", "reads_samples"}
    python = {"unused_acked", "exit_estimate", "survives_loss", "survives_mark", "has_resumed"}
    python |= {"on_loss", "on_marked", "on_timeout", "cancel"}
    assert {*hooks, *python} - rust == set(_native.HOOKS)
    assert all(callable(getattr(fs.Startup, hook)) for hook in _native.HOOKS)


class Recorder(Doubling):
    seen: list[tuple[Any, ...]] = []  # noqa: RUF012

    def rate_request(self, s: fs.signals.Syn) -> int | None:
        self.seen.append(("rate_request", s))
        return None

    def on_established(self, w: fs.Window, e: fs.signals.Established) -> None:
        super().on_established(w, e)
        self.seen.append(("on_established", w.cwnd, e))

    def on_sent(self, w: fs.Window, s: fs.signals.Sent) -> None:
        self.seen.append(("on_sent", s))

    def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> None:
        super().on_ack(w, a)
        self.seen.append(("on_ack", a))

    def on_recovery_ack(self, w: fs.Window, a: fs.signals.Ack) -> None:
        self.seen.append(("on_recovery_ack", a))

    def on_loss(self, w: fs.Window, loss: fs.signals.Loss) -> Any:
        self.seen.append(("on_loss", loss))

    def on_recovered(self, w: fs.Window, r: fs.signals.Recovered) -> None:
        self.seen.append(("on_recovered", r))

    def on_timeout(self, w: fs.Window, t: fs.signals.Timeout) -> None:
        self.seen.append(("on_timeout", t, w.cwnd))

    def on_idle(self, w: fs.Window, before: fs.Window, i: fs.signals.Idle) -> bool:
        self.seen.append(("on_idle", before.cwnd, i))
        return True

    def unused_acked(self) -> int:
        self.seen.append(("unused_acked",))
        return 0

    def survives_loss(self) -> bool:
        self.seen.append(("survives_loss",))
        return super().survives_loss()

    def wants_delivery(self) -> bool:
        self.seen.append(("wants_delivery",))
        return super().wants_delivery()

    def owns_cwnd(self) -> bool:
        self.seen.append(("owns_cwnd",))
        return super().owns_cwnd()

    def in_charge(self, w: fs.Window) -> bool:
        self.seen.append(("in_charge", w.cwnd))
        return super().in_charge(w)


def test_every_hook_is_called_at_its_moment(path: fs.NetworkPath) -> None:
    writes = [fs.spec.Write(at="0s", size="1MB"), fs.spec.Write(at="900s", size="100kB")]
    drops = [5, *range(300, 326)]
    described = fs.Flow(startup=Recorder, writes=writes, forced_drops=drops)
    Recorder.seen.clear()
    fs.run(fs.Scenario(path=path, flows=[described], stack="rfc"))
    told = {name: rest for name, *rest in reversed(Recorder.seen)}
    first = told["on_established"]
    assert (first[0], first[1].initial_window, first[1].queued) == (10, 10, 1_000_000)
    assert first[1].rtt == first[1].now > 64_000_000
    assert repr(first[1]).startswith("Established(now=64128000, initial_window=10, rtt=64128000, ")
    assert repr(told["on_sent"][0]).endswith("seq=0, retransmission=False, flight=1460)")
    assert told["on_sent"][0].seq == 0
    assert told["on_sent"][0].bytes == 1460
    ack = told["on_ack"][0]
    assert (ack.una, ack.rtt > 64_000_000, ack.cwnd_limited) == (ack.acked, True, True)
    assert told["on_idle"][1].idle > 10_000_000_000
    assert told["on_loss"][0].usable > 0
    untold = {"cancel", "on_known", "on_peer_gap", "on_feedback", "on_marked", "on_spurious"}
    untold |= {"survives_mark", "has_resumed", "exit_estimate", "trace"}
    assert set(_native.HOOKS) - set(told) == untold


def test_a_signal_that_a_hook_keeps_stays_what_it_was() -> None:
    kept: list[tuple[int, fs.signals.Ack]] = []

    class Keeping(Doubling):
        def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> None:
            super().on_ack(w, a)
            if len(kept) % 3 < 2:  # so that some objects are used again
                kept.append((a.una, a))
            else:
                kept.append((a.una, kept[-1][1]))

    run(Keeping)
    assert len(kept) > 50
    for before, (una, ack) in zip([(0, None), *kept], kept, strict=False):
        assert ack.una == (before[0] if ack is before[1] else una)


def test_what_a_startup_answers_of_itself_is_asked_again_when_any_hook_was_called() -> None:
    class Turning(Doubling):
        sent = 0

        def on_sent(self, w: fs.Window, s: fs.signals.Sent) -> None:
            Turning.sent += 1

        def in_charge(self, w: fs.Window) -> bool:
            return Turning.sent < 40

    row = run(Turning, fs.NetworkPath(rate="20Mbps", rtt="60ms"), count=2, stagger="1ms").records[0]
    # The packets of both flows count.
    assert row["startup_exit_reason"] == "ssthresh"
    assert row["startup_exit_cwnd_segments"] < 21


def test_a_startup_in_python_may_rule_the_window_by_what_is_delivered() -> None:
    class ByRate(fs.Startup):
        """Twice what the path delivers in a round trip, whatever is lost."""

        rates: ClassVar[list[float]] = []
        losses: ClassVar[list[fs.signals.Loss]] = []
        least = 10**10
        fastest = 0.0

        def wants_delivery(self) -> bool:
            return True

        def owns_cwnd(self) -> bool:
            return True

        def in_charge(self, w: fs.Window) -> bool:
            return True

        def on_loss(self, w: fs.Window, loss: fs.signals.Loss) -> Any:
            self.losses.append(loss)
            return "done"

        def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> None:
            assert a.delivery is not None
            self.least = min(self.least, a.rtt or self.least)
            if a.delivery.sample:
                sample = a.delivery.sample
                self.rates.append(8e3 * sample.delivered / sample.interval)
                assert sample.interval == max(sample.send_interval, sample.ack_interval)
                assert sample.sent < a.now
                self.fastest = max(self.fastest, sample.delivered / sample.interval)
            w.cwnd = max(10, w.segments(int(2 * self.fastest * self.least)))

    path = fs.NetworkPath(rate="20Mbps", rtt="50ms", loss="1%")
    row = run(ByRate, path, size="5MB").records[0]
    # Payload is what is delivered: 1460 of 1500 bytes.
    assert max(ByRate.rates) == pytest.approx(20 * 1460 / 1500, rel=0.01)
    assert len(ByRate.losses) > 2
    assert float(str(row["slowdown"])) < 1.3


def test_an_ack_says_when_what_it_timed_left_and_the_smoothed_round_trip() -> None:
    class Timing(Doubling):
        sent: ClassVar[list[int]] = []
        acks: ClassVar[list[fs.signals.Ack]] = []

        def on_sent(self, w: fs.Window, s: fs.signals.Sent) -> None:
            self.sent.append(s.now)

        def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> None:
            self.acks.append(a)
            super().on_ack(w, a)

    run(Timing, fs.NetworkPath(rate="20Mbps", rtt="60ms"))
    assert {ack.sent for ack in Timing.acks} <= set(Timing.sent)
    assert all(ack.sent == ack.now - (ack.rtt or 0) for ack in Timing.acks)
    handshake, *_ = smoothed = [ack.srtt for ack in Timing.acks]
    assert 60_000_000 < handshake < 62_000_000
    assert smoothed[-1] > smoothed[0]


def test_a_startup_that_survives_a_loss_may_end_with_the_recovery() -> None:
    class Enduring(Doubling):
        def survives_loss(self) -> bool:
            return True

        def on_recovered(self, w: fs.Window, r: fs.signals.Recovered) -> Any:
            return "estimate"

    path = fs.NetworkPath(rate="20Mbps", rtt="60ms")
    row = run(Enduring, path, size="600kB", forced_drops=[30]).records[0]
    assert row["startup_exit_reason"] == "estimate"


def test_a_startup_may_set_the_window_after_a_timeout_itself() -> None:
    class Resuming(Doubling):
        windows: ClassVar[list[float]] = []

        def on_timeout(self, w: fs.Window, t: fs.signals.Timeout) -> Any:
            w.cwnd, w.ssthresh = 7, 70
            return "done"

        def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> None:
            self.windows.append(w.cwnd)
            super().on_ack(w, a)

    path = fs.NetworkPath(rate="20Mbps", rtt="60ms")
    row = run(Resuming, path, size="100kB", forced_drops=range(30, 70)).records[0]
    assert row["startup_exit_reason"] == "timeout"
    assert 7 in Resuming.windows


def test_an_estimate_of_the_path_is_where_cubic_levels_out() -> None:
    class Early(Doubling):
        def __init__(self, estimate: float | None = None) -> None:
            self.estimate = estimate

        def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> Any:
            super().on_ack(w, a)
            if w.cwnd < 30:
                return None
            w.ssthresh = w.cwnd
            return "estimate"

        def exit_estimate(self) -> float | None:
            return self.estimate

    path = fs.NetworkPath(rate="20Mbps", rtt="60ms", buffer="1000pkt")
    most = {}
    for stack in ("rfc", "linux"):
        flows = [fs.Flow(startup=Early(n), cc="cubic", size="3MB") for n in (None, 100)]
        plain, told = (
            fs.run(fs.Scenario(path=path, flows=[flow], stack=stack)).records[0] for flow in flows
        )
        assert plain["startup_exit_cwnd_segments"] == told["startup_exit_cwnd_segments"]
        most[stack] = plain["max_cwnd_segments"], told["max_cwnd_segments"]
    # Without one the RFC's curve begins flat, and the kernel grows by 5 % a round trip.
    assert most["rfc"][0] < 75 < most["rfc"][1] < 100
    assert most["linux"][1] < 100 < most["linux"][0]


def test_segments_may_be_sent_a_second_time_before_any_is_lost() -> None:
    class Twice(Doubling):
        def on_established(self, w: fs.Window, e: fs.signals.Established) -> None:
            w.cwnd = 20

        def on_sent(self, w: fs.Window, s: fs.signals.Sent) -> None:
            if s.seq + s.bytes == 20 * w.mss and not s.retransmission:
                w.proactive_below, w.proactive_segments = 20 * w.mss, 4
                assert (w.proactive_below, w.proactive_segments) == (20 * 1460, 4)

    path = fs.NetworkPath(rate="20Mbps", rtt="60ms")
    flow: dict[str, Any] = {"size": "20pkt", "forced_drops": [19, 20]}
    once, twice = (run(startup, path, **flow).records[0] for startup in (Doubling, Twice))
    assert twice["packets_retransmitted"] == 4
    # One round trip for the handshake, one for data, and the four segments.
    assert twice["fct_s"] < 1.8 * 0.06
    assert once["fct_s"] > 2 * twice["fct_s"]


class Traced(Doubling):
    least: float = 0.0

    def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> None:
        super().on_ack(w, a)
        self.least = a.srtt / 1e6

    def trace(self) -> dict[str, float]:
        return {"least_ms": self.least, "acked": 1} if self.least else {}


def test_a_startup_may_put_numbers_of_its_own_into_the_trace() -> None:
    flows = [fs.Flow(startup=startup, size="40kB") for startup in (Traced, "slow-start")]
    path = fs.NetworkPath(rate="20Mbps", rtt="60ms")
    samples = fs.run(fs.Scenario(path=path, flows=flows, trace=True)).flow_samples
    assert samples is not None
    assert samples.columns[-2:] == ["least_ms", "acked"]
    acks = samples.filter(samples["event"] == 2)
    own, others = (acks.filter(acks["flow"] == flow)["least_ms"] for flow in (0, 1))
    assert not own.is_nan().any()
    assert 60 < own[-1] < 62 + 10
    assert others.is_nan().all()
    # A run without a trace asks nobody.
    assert run(type("Silent", (Traced,), {"trace": lambda _: 1 / 0})).records[0]["complete"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"cwnd": 1.0}, '"cwnd" is not a name for a separate column next to time_ns, flow, event'),
        ({"": 1.0}, '"" is not a name for a separate column'),
        ({"one": "1"}, "trace returned {'one': '1'}; a dictionary of numbers by name is needed"),
        (None, "trace returned None; a dictionary of numbers by name is needed"),
    ],
)
def test_what_is_no_column_is_refused(answer: Any, message: str) -> None:
    wrong = type("Wrong", (Doubling,), {"trace": lambda _: answer})
    described = fs.Scenario(path=LOSSY, flows=[fs.Flow(startup=wrong, size="9kB")], trace=True)
    with pytest.raises(fs.RequestError, match=re.escape(message)):
        fs.run(described)


def test_a_mark_is_told_as_a_loss_unless_there_is_a_hook_for_it() -> None:
    path = fs.NetworkPath(rate="10Mbps", rtt="40ms", buffer="400pkt", queue="codel:ecn=true")

    class Aware(Recorder):
        def on_marked(self, w: fs.Window, m: fs.signals.Marked) -> Any:
            self.seen.append(("on_marked", m))
            w.cwnd = w.ssthresh = 20.0
            return "done"

    for startup, hook in ((Recorder, "on_loss"), (Aware, "on_marked")):
        Recorder.seen.clear()
        flow = fs.Flow(startup=startup, size="2MB")
        run = fs.run(fs.Scenario(path=path, stack={"ecn": True}, flows=[flow]))
        row = run.records[0]
        assert row["startup_exit_reason"] == "ecn"
        assert row["packets_marked"] == run.links["marked"][0] > 0
        assert row["packets_dropped"] == 0
        told = [name for name, *_ in Recorder.seen]
        assert told.index(hook) < told.index("on_recovered")
        assert {"on_loss", "on_marked"} & set(told) == {hook}


def test_a_startup_in_python_may_be_told_by_routers() -> None:
    class Told(Doubling):
        changes: ClassVar[list[float | None]] = []

        def on_established(self, w: fs.Window, e: fs.signals.Established) -> None:
            super().on_established(w, e)
            w.congestion_header = e.rtt

        def on_feedback(self, w: fs.Window, f: fs.signals.Feedback) -> None:
            assert (f.wire, f.cwnd_limited) == (1520, True)
            self.changes.append(f.change)

    answers = {}
    for queue in ("xcp", "drop-tail"):
        Told.changes.clear()
        run(Told, fs.NetworkPath(rate="20Mbps", rtt="60ms", buffer="1000pkt", queue=queue))
        answers[queue] = set(Told.changes)
    assert answers["drop-tail"] == {None}
    changes = [change for change in answers["xcp"] if change is not None]
    assert len(changes) == len(answers["xcp"])
    assert max(changes) > 0


@pytest.mark.parametrize("reason", get_args(Reason))
def test_a_reason_ends_the_startup(reason: str) -> None:
    class Short(Doubling):
        def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> Any:
            if w.cwnd > 20:
                w.ssthresh = w.cwnd
                return reason
            return super().on_ack(w, a)

    row = run(Short, fs.NetworkPath(rate="20Mbps", rtt="60ms")).records[0]
    assert row["startup_exit_reason"] == reason
    assert 20 < row["startup_exit_cwnd_segments"] < 24


def test_a_startup_may_answer_a_loss_itself() -> None:
    class Stubborn(Doubling):
        def on_loss(self, w: fs.Window, loss: fs.signals.Loss) -> Any:
            w.cwnd = w.ssthresh = 8
            return "done"

    class Indifferent(Doubling):
        def on_loss(self, w: fs.Window, loss: fs.signals.Loss) -> Any:
            return "standard"

    rows = [run(s, size="1MB", forced_drops=[100]).records[0] for s in (Stubborn, Indifferent)]
    assert rows[0]["fct_s"] > rows[1]["fct_s"]
    assert {k: v for k, v in rows[1].items() if k != "startup"} == {
        k: v for k, v in run(Doubling, size="1MB", forced_drops=[100]).records[0].items()
        if k != "startup"
    }  # fmt: skip


def test_a_startup_may_govern_a_recovery() -> None:
    class Silent(Doubling):
        """Leaves nothing to proportional reduction, which would send half of it meanwhile."""

        windows: ClassVar[set[float]] = set()

        def on_loss(self, w: fs.Window, loss: fs.signals.Loss) -> Any:
            w.cwnd = w.ssthresh = 8
            return "self-managed"

        def on_recovery_ack(self, w: fs.Window, a: fs.signals.Ack) -> None:
            self.windows.add(w.cwnd)

        def on_recovered(self, w: fs.Window, r: fs.signals.Recovered) -> float:
            return 100

    described = fs.Flow(startup=Silent, size="1MB", forced_drops=[100])
    path = fs.NetworkPath(rate="20Mbps", rtt="60ms")
    fs.run(fs.Scenario(path=path, stack={"preset": "linux"}, flows=[described]))
    assert Silent.windows == {8}


def test_what_a_hook_raises_reaches_the_caller_with_its_traceback() -> None:
    class Broken(Doubling):
        acks = 0

        def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> Any:
            Broken.acks += 1
            raise ZeroDivisionError("ouch")

    with pytest.raises(ZeroDivisionError, match="ouch") as caught:
        run(Broken)
    assert Broken.acks == 1  # the run stopped there
    assert caught.traceback[-1].name == "on_ack"
    text = "".join(traceback.format_exception(caught.value))
    assert 'raise ZeroDivisionError("ouch")' in text
    assert re.search(r"in on_ack of `Broken` at \d+\.\d+ms", text)
    with pytest.raises(ZeroDivisionError):
        fs.compare(LOSSY, startups=["slow-start", Broken], sizes=["10kB"], workers=2)


def test_a_constructor_that_fails_for_a_flow_reaches_the_caller() -> None:
    class Once(Doubling):
        made = 0

        def __init__(self) -> None:
            Once.made += 1
            if Once.made > 2:
                raise LookupError("no third")

    with pytest.raises(LookupError, match="no third"):
        run(Once, count=2)


WRONG: list[tuple[str, Any, str]] = [
    ("on_ack", "dely", "on_ack returned 'dely'; did you mean \"delay\"?"),
    ("on_ack", 5, "on_ack returned 5; None or a reason is needed: ack-train, delay"),
    ("on_sent", "xyzzy-xyzzy", "on_sent returned 'xyzzy-xyzzy'; None or a reason"),
    ("on_loss", "maybe", 'on_loss returned \'maybe\'; "standard" (or None), "done" or'),
    ("on_timeout", 1, 'on_timeout returned 1; "standard" (or None), "done" or'),
    ("on_established", "loss", "on_established returned 'loss'; it should return nothing"),
    ("on_recovered", 0, "on_recovered returned 0; a number of segments from 1 to 1e9"),
    ("on_recovered", "lost", "on_recovered returned 'lost'; did you mean \"loss\"?"),
    ("in_charge", None, "in_charge returned None; True or False is needed"),
    ("in_charge", 1, "in_charge returned 1; True or False is needed"),
]


@pytest.mark.parametrize(("hook", "answer", "message"), WRONG)
def test_a_wrong_answer_is_named_with_the_hook(hook: str, answer: Any, message: str) -> None:
    wrong = type("Wrong", (Doubling,), {hook: lambda *_: answer})
    with pytest.raises(fs.RequestError, match=re.escape(message)):
        run(wrong, forced_drops=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 30])


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("cwnd", float("nan"), "window.cwnd = NaN: a number of segments above 0"),
        ("cwnd", 0, "window.cwnd = 0:"),
        ("cwnd", float("inf"), "window.cwnd = inf:"),
        ("cwnd", 1e300, "window.cwnd = 1e300:"),
        ("ssthresh", -1, "window.ssthresh = -1:"),
        ("pacing", 0, "window.pacing = 0: a rate in bits per second above 0, or None"),
        ("timeout", 0, "window.timeout = 0: a time in nanoseconds above 0, or None"),
        ("pair", "third", 'window.pair = third: "first", "second" or None is needed'),
    ],
)
def test_an_impossible_window_is_refused_in_the_line_that_sets_it(
    field: str, value: Any, message: str
) -> None:
    class Wild(Doubling):
        def on_ack(self, w: fs.Window, a: fs.signals.Ack) -> Any:
            setattr(w, field, value)

    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        run(Wild)
    assert caught.traceback[-1].name == "on_ack"


def test_a_python_startup_may_ask_the_routers() -> None:
    class Asking(Doubling):
        approved: list[int | None] = []  # noqa: RUF012

        def rate_request(self, s: fs.signals.Syn) -> int | None:
            return 10_000_000

        def on_known(self, k: fs.signals.PathInfo) -> None:
            self.approved.append(k.approved)

    run(Asking, fs.NetworkPath(rate="20Mbps", rtt="60ms"))
    assert Asking.approved == [5_120_000]  # the largest that the option can name below


def test_pacing_and_marks_are_obeyed() -> None:
    class Paced(Doubling):
        def on_established(self, w: fs.Window, e: fs.signals.Established) -> None:
            w.cwnd, w.pacing, w.pair, w.startup_excess = 100, 1_000_000, "first", True
            assert (w.cwnd_bytes, w.pacing, w.pair) == (146_000, 1_000_000, "first")

    path = fs.NetworkPath(rate="20Mbps", rtt="60ms")
    assert run(Paced, path, size="60kB").records[0]["fct_s"] > 8 * 60_000 / 1e6


def test_one_worker_stays_on_the_calling_thread_and_ctrl_c_keeps_what_is_finished() -> None:
    class Pressed(Doubling):
        runs = 0
        threads: ClassVar[set[threading.Thread]] = set()

        def on_established(self, w: fs.Window, e: fs.signals.Established) -> None:
            self.threads.add(threading.current_thread())
            Pressed.runs += 1
            if Pressed.runs == 3:
                raise KeyboardInterrupt

    result = fs.compare(LOSSY, startups=[Pressed], sizes=["10kB"], repeat=5, workers=1)
    assert result.interrupted
    assert [row["seed"] for row in result.records] == [1, 2]
    assert Pressed.threads == {threading.current_thread()}


def test_what_is_no_startup_is_refused(path: fs.NetworkPath) -> None:
    named = type("Doubling", (Doubling,), {})
    taken = type("Taken", (Doubling,), {"name": "slow-start"})
    for wrong, message in (
        ([dict], "<class 'dict'> is neither the name of a startup nor derived"),
        ([5], "startups: 5 is neither"),
        ([Doubling, named], "two classes have this name"),
        ([Doubling, Doubling], "`Doubling` is given twice"),
        ([taken], "startup `slow-start`: the catalog has one"),
        (["-hystart"], "`hystart` is not among those before it"),
    ):
        with pytest.raises(fs.RequestError, match=message):
            fs.compare(path, startups=wrong)  # type: ignore[arg-type]
    with pytest.raises(fs.RequestError, match=r"flows\[0\]\.startup: <class 'int'> is neither"):
        run(int)


def test_a_class_without_on_ack_is_no_startup() -> None:
    with pytest.raises(TypeError, match=r"abstract method '?on_ack"):
        run(type("Empty", (fs.Startup,), {}))


def test_a_misspelt_hook_is_met_where_it_is_written() -> None:
    with pytest.raises(fs.RequestError, match="`on_akc` is not a hook; did you mean `on_ack`"):
        type("Misspelt", (Doubling,), {"on_akc": lambda *_: None})


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("wants_deliverry", "wants_delivery"),
        ("own_cwnd", "owns_cwnd"),
        ("in_chrage", "in_charge"),
        ("unuse_acked", "unused_acked"),
        ("onAck", "on_ack"),
        ("OnLoss", "on_loss"),
        ("on_timout", "on_timeout"),
    ],
)
def test_a_method_close_to_a_hook_is_refused(name: str, meant: str) -> None:
    for body in (lambda *_: None, staticmethod(lambda: None)):
        with pytest.raises(
            fs.RequestError, match=f"`{name}` is not a hook; did you mean `{meant}`"
        ):
            type("Misspelt", (Doubling,), {name: body})
    mixin = type("Mixin", (), {name: lambda *_: None})
    with pytest.raises(fs.RequestError, match=f"did you mean `{meant}`"):
        type("Mixed", (mixin, Doubling), {})


def test_methods_and_values_of_ones_own_are_not_taken_for_hooks() -> None:
    helpers = ("is_late", "least", "grow", "charge", "window", "acked", "request", "_on_akc")
    own = {name: lambda *_: None for name in helpers}
    kind = type("Helped", (Doubling,), {**own, "last": 3, "losts": property(lambda _: 1)})
    assert run(kind).records[0]["complete"]


def test_an_argument_that_nobody_takes_is_refused() -> None:
    with pytest.raises(TypeError):
        Doubling(5)  # type: ignore[call-arg]


MINE = """
import flowstart as fs
class Mine(fs.Startup):
    def __init__(self, step: float = 1, word: str = "x") -> None:
        self.step = step
    def on_ack(self, w, a):
        w.cwnd += self.step * w.segments(a.acked)
class Other: pass
class Failing(Mine):
    def on_ack(self, w, a):
        return 1 / 0
class Short(Mine):
    def on_ack(self, w): pass
class Unmade(Mine):
    def __init__(self) -> None:
        raise KeyError("step")
class Untraced(Mine):
    def trace(self):
        return {"one": 1 / 0}
"""
PATH = ("--rate", "5Mbps", "--rtt", "64ms", "--size", "30kB")


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "wrong.py").write_text("import nowhere_to_be_found\n")
    (tmp_path / "broken.py").write_text("def :\n")
    (tmp_path / "empty.py").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_command_line_takes_a_file_and_its_class(cli: Cli, folder: pathlib.Path) -> None:
    startups = "slow-start,./mine.py:Mine,mine.py:Mine:step=0.5,word=hallo"
    answer = cli("compare", *PATH, "--startup", startups, "--json")
    document = json.loads(answer.out)
    assert document["startups"][1:] == ["./mine.py:Mine", "mine.py:Mine:step=0.5,word=hallo"]
    plain, slow = (row["max_cwnd_segments"] for row in document["rows"][1:])
    assert slow < plain
    assert f"--startup {startups} " in document["command"]
    shown = cli("compare", *PATH, "--startup", "slow-start,./mine.py:Mine", "-o", folder / "out")
    assert " mine.py:Mine " in shown.out
    assert shown.status == 0


def test_a_scenario_finds_the_file_beside_it(cli: Cli, folder: pathlib.Path) -> None:
    deep = folder / "deep"
    deep.mkdir()
    (deep / "its.py").write_text(MINE)
    text = '[path]\nrate = "5Mbps"\nrtt = "64ms"\n[[flows]]\nstartup = "its.py:Mine"\nsize = "9kB"'
    (deep / "scenario.toml").write_text(text)
    assert "its.py:Mine" in cli("run", "deep/scenario.toml", "--allow-python").out
    assert fs.run(deep / "scenario.toml", allow_python=True).records[0]["complete"]


def test_an_edited_file_is_read_again_in_the_same_process(cli: Cli, folder: pathlib.Path) -> None:
    """Also where the edit changes neither its length nor, within a second, its time."""
    words = ("compare", *PATH, "--startup", "./mine.py:Mine", "--json")
    before = json.loads(cli(*words).out)["rows"][0]["max_cwnd_segments"]
    (folder / "mine.py").write_text(MINE.replace("self.step * w", "0.0000000 * w"))
    assert json.loads(cli(*words).out)["rows"][0]["max_cwnd_segments"] < before


def test_ctrl_c_while_a_file_is_read_leaves_no_half_of_it(folder: pathlib.Path) -> None:
    (folder / "mine.py").write_text("import interrupting\n" + MINE)
    (folder / "interrupting.py").write_text("raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        custom.load("mine.py:Mine")
    (folder / "interrupting.py").write_text("")
    assert type(custom.load("mine.py:Mine")).__name__ == "Mine"


REFUSED = [
    ("./none.py:Mine", "none.py: there is no such file"),
    ("./mine.py:Mien", "mine.py has no `Mien`; there is `mine.py:Mine`, "),
    ("./mine.py", "which class of it is not said; there is `mine.py:Mine`, "),
    ("./mine.py:Other", "`Other` is not a class derived from fs.Startup"),
    ("./mine.py:Mine:step", "`step` should be written name=value"),
    ("./mine.py:Mine:stepp=1", "unexpected keyword argument 'stepp'"),
    ("./mine.py:Mine:step=1,step=2", "`step` is given twice"),
    ("./mine.py:Unmade", "startup `./mine.py:Unmade`: mine.py, line 16: KeyError: 'step'"),
    ("./wrong.py:Mine", "wrong.py, line 1: ModuleNotFoundError"),
    ("./broken.py:Mine", "SyntaxError: invalid syntax (broken.py, line 1)"),
    ("./empty.py:Mine", "empty.py has no class derived from fs.Startup"),
    ("./:Mine", "startup `./`: unknown"),
    ("mine:Mine", "startup `mine`: unknown"),
    ("all,-none", "`none` is not among those before it"),
]


@pytest.mark.parametrize(("startup", "message"), REFUSED, ids=[r[0] for r in REFUSED])
def test_a_bad_file_or_class_is_one_line_and_status_2(
    cli: Cli, folder: pathlib.Path, startup: str, message: str
) -> None:
    status, printed, error = cli("compare", *PATH, "--startup", startup, "-o", folder / "out")
    assert message in error
    assert error.count("\n") == 1
    assert (status, printed) == (2, "")
    assert not (folder / "out").exists()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("Failing", "ZeroDivisionError: division by zero (in on_ack of `./mine.py:Failing` at"),
        ("Short", "TypeError: Short.on_ack() takes 2 positional arguments but 3 were given (in"),
    ],
)
def test_a_hook_that_raises_is_shown_with_its_line(cli: Cli, kind: str, message: str) -> None:
    status, printed, error = cli("compare", *PATH, "--startup", f"./mine.py:{kind}")
    *frames, last = error.splitlines()
    assert last.startswith(f"flowstart: {message}")
    assert (status, printed) == (1, "")
    shown = [line.strip() for line in frames if "~" not in line]
    if kind == "Failing":
        assert re.fullmatch(r'File ".*mine.py", line 11, in on_ack', shown[0])
        assert shown[1:] == ["return 1 / 0"]
    else:
        assert not shown  # it was not entered


@pytest.mark.parametrize(
    ("attribute", "value", "hook"),
    [
        ("own_cwnd", True, "owns_cwnd"),
        ("owns_cwnd", True, "owns_cwnd"),
        ("wants_delivry", False, "wants_delivery"),
        ("on_ack", None, "on_ack"),
    ],
)
def test_a_value_in_the_place_of_a_hook_is_refused(attribute: str, value: Any, hook: str) -> None:
    message = f"`{attribute}` is a value, and is never called; write a method `{hook}`"
    with pytest.raises(fs.RequestError, match=message):
        type("Mine", (Doubling,), {attribute: value})


def test_values_of_ones_own_may_be_called_what_they_are() -> None:
    own = {"last": 0, "leftovers": 3, "established": False, "recovered": True, "charge": True}
    type("Mine", (Doubling,), own)


def test_what_a_trace_raises_under_the_figures_is_shown_with_its_line(
    cli: Cli, folder: pathlib.Path
) -> None:
    startup = "./mine.py:Untraced"
    status, printed, error = cli("compare", *PATH, "--startup", startup, "-o", folder / "out")
    assert "in trace" in error
    assert "flowstart: ZeroDivisionError: division by zero (in trace of" in error
    assert status == 1
    assert "Untraced" in printed
    assert (folder / "out" / "rows.csv").exists()
