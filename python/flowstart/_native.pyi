"""The simulator, compiled: scenarios are JSON text, results are columns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, TypedDict, final

from numpy.typing import NDArray

CaptureColumns: TypeAlias = dict[str, Any]
"""Arrays by name; of texts numbers of words and the words."""
Arrays: TypeAlias = tuple[NDArray[Any], NDArray[Any] | None, list[str] | None]
"""The cells of a column, where there are values (None is everywhere), and of text the words of
which the cells are numbers."""
CustomStartups: TypeAlias = dict[str, tuple[Callable[[], Any], list[str]]]

@final
class Table:
    """A table of a run, or of many: the column `run` and those that are defined for its rows."""

    def __init__(self, name: str, arrays: dict[str, Arrays]) -> None:
        """The table of this name from what `arrays` says of its columns."""
    @staticmethod
    def joined(name: str, parts: list[tuple[list[int], Table]]) -> Table:
        """Tables of one name as one: of each the numbers that its runs have among all.

        Rows are in the order of these, those of a run in their own.
        """
    @property
    def name(self) -> str:
        """What it is called."""
    def __len__(self) -> int: ...
    def lists(self) -> dict[str, list[Any]]:
        """Its columns as lists, in which None is no value."""
    def arrays(self) -> dict[str, Arrays]:
        """Its columns as arrays."""

NamedCase: TypeAlias = tuple[str, str | None, int]
"""A run of a comparison: its variant, its size, and its seed."""

@final
class ComparisonPlan:
    """What a comparison runs: a scenario under one variant after another."""

    def __init__(
        self, base: str, variants: str, baseline: str | None, sizes: Sequence[str] | None
    ) -> None:
        """The plan of a scenario, of whose flows those without a startup are under test.

        Scenario and variants are JSON.
        """
    @property
    def tested(self) -> list[int]:
        """Which entries of `flows` are under test."""
    @property
    def tested_web(self) -> list[int]:
        """Which entries of `web` are."""
    @property
    def baseline(self) -> str:
        """The variant that the others are measured against."""
    @property
    def sizes(self) -> list[str | None]:
        """The sizes of flows that have none; only None where the scenario gives them."""
    def scenarios(self, cases: Sequence[NamedCase], repeats: Sequence[int] = ()) -> Scenarios:
        """The scenarios of runs; of each the repeat of a number, where these are given."""
    def resolved(self, seed: int, custom: CustomStartups | None) -> list[str]:
        """The whole configuration of the first run of each variant; refuses equal sizes."""
    def lower_bound(
        self, size_bytes: int, seed: int, custom: CustomStartups | None
    ) -> float | None:
        """The time in seconds in which no transfer of this size can be complete."""
    def rows(self, batch: Outcomes, cases: Sequence[NamedCase]) -> ComparisonRows:
        """The rows of a batch whose scenarios are these cases."""
    def rows_from_bytes(self, data: bytes) -> ComparisonRows:
        """The rows in the bytes that `ComparisonRows.to_bytes` returns."""
    def command(
        self,
        words: list[str],
        path: str,
        options: str,
        without: list[str],
        seed: int,
        repeat: int | None,
    ) -> str:
        """The command line that repeats it; path and options are lists of names and values."""

@final
class Scenarios:
    """Scenarios of a comparison's runs."""

    def __len__(self) -> int: ...
    def __getitem__(self, at: int) -> str: ...
    def __iter__(self) -> Iterator[str]: ...
    @property
    def records_limits(self) -> bool: ...

@final
class ComparisonRows:
    """The rows of a comparison."""

    def __len__(self) -> int: ...
    def to_bytes(self) -> bytes:
        """The rows as bytes, for another process."""
    def of_runs(self, begin: int, end: int) -> ComparisonRows:
        """The rows of runs from one number to before another."""
    @staticmethod
    def joined(
        parts: list[ComparisonRows], plan: ComparisonPlan, cases: Sequence[NamedCase]
    ) -> ComparisonRows:
        """All rows in the order of these cases, whose numbers become those of the runs."""
    def summaries(self, planned: list[int]) -> tuple[str, list[str]]:
        """The summaries as JSON, and the order of the variants in tables."""
    def tallies(
        self, repeats: Sequence[int] | None = None
    ) -> list[tuple[tuple[bool, int, int, int, str, bool], list[list[list[float]]]]]:
        """What the flows of each repeat came to, by group and variant; repeats may be the seeds."""
    @property
    def packets_sent(self) -> int:
        """Packets that its flows sent."""
    def tested(self) -> tuple[list[str], tuple[int, int] | None]:
        """Congestion controls of the flows under test, and their least and greatest BDP."""
    def has_stack(self, preset: str) -> bool:
        """Whether endpoints of a preset took part."""
    def all_failed(self, cut: bool) -> bool:
        """Whether no flow under test was done, nor under way where the runs were cut short."""
    def table(self) -> Table:
        """The rows as a table."""

def variants(
    startups: Sequence[str] | None = None, without: Sequence[str] = ()
) -> list[tuple[str, str | None, str | None]]:
    """Name, startup and congestion control of each variant that startups by name mean."""

def baseline(given: str | None, names: Sequence[str]) -> str:
    """The name that others are measured against: the given one, slow start, or the first."""

def given_path(given: str, paths: str) -> str | None:
    """The fields of the path that options give; None where they give nothing of one.

    Options and the paths that are known by name are JSON, the fields names and values in order.
    """

def given_stack(given: str) -> str:
    """The fields of the stack that options give: names and values in order."""

def superseded(given: list[str]) -> list[str]:
    """The fields of a path that these take the place of."""

def comparison_flows(options: str) -> str:
    """The flows of a comparison on a path as JSON: of each its names and values, in order."""

def comparison_table(summaries: str, order: list[str], acked: bool, judged: str | None) -> str:
    """The table of summaries as JSON, and what repeats add to it."""

def variant_text(variant: str) -> str:
    """The text that `--variant` reads of a variant, which is JSON."""

def option_text(name: str, value: str) -> str:
    """The value of a path's field, which is JSON, as its option takes it."""

def stack_word(fields: str) -> str:
    """A stack as one word of a command line; its names and values are JSON."""

def perturbed(scenario: str, number: int) -> str:
    """The repeat of a number of a scenario, which is JSON."""

class Estimated(TypedDict):
    runs: int
    packets: float
    python_packets: float
    flows: float
    largest_bytes: float

class BuildFacts(TypedDict):
    commit: str | None
    rust: str
    profile: str
    target: str
    stable_abi: bool

Bounds: TypeAlias = tuple[Callable[[Estimated], object] | None, Cancel | None]
"""What may refuse runs by their estimate, and what ends them."""

class Outcomes(TypedDict):
    runs: Table
    flows: Table
    transfers: Table
    objects: Table
    links: Table
    startups: Table
    limits: Table
    goodputs: Table
    delays: Table
    handshakes: Table

class Outcome(Outcomes):
    trace: dict[str, dict[str, Any]] | None
    packets: list[FlowPackets]

class Batch(Outcomes):
    interrupted: bool

class FlowLines(TypedDict):
    lines: dict[str, tuple[bytes, bytes]]
    events: dict[str, tuple[bytes, bytes, int]]

class Traced(Batch):
    from_s: float
    bin_s: float
    found: list[list[FlowLines]]

class LiveExit(TypedDict):
    reason: str
    at_s: float
    cwnd_segments: float
    flight: int

class Lateness(TypedDict):
    median_s: float
    p99_s: float
    most_s: float

class LiveOutcome(TypedDict):
    size_bytes: int
    fct_s: float | None
    exit: LiveExit | None
    max_cwnd_segments: float
    packets_sent: int
    packets_dropped: int
    packets_lost: int
    failure: str | None
    lateness: Lateness | None
    answered: Lateness | None
    stalls: int
    trace: dict[str, NDArray[Any]]
    qlog: bytes | None

class LoadOutcome(TypedDict):
    requests: dict[str, list[Any]]
    packets_dropped: int
    failure: str | None
    lateness: Lateness
    answered: Lateness | None
    stalls: int
    objects: list[tuple[int, int, int, int]]

def run(
    scenario: str,
    custom: CustomStartups | None = None,
    packets_of: list[int] = ...,
    bounds: Bounds = ...,
) -> Outcome: ...
def run_in_parts(
    scenario: str,
    take: Callable[[Table], object],
    custom: CustomStartups | None = None,
    bounds: Bounds = ...,
) -> None: ...
def run_many(
    scenarios: Sequence[str] | Scenarios,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    custom: CustomStartups | None = None,
    bounds: Bounds = ...,
    limits: bool = False,
) -> Batch: ...
def run_lines(
    scenarios: list[str],
    flows: list[list[int]],
    window: tuple[int, float, float | None],
    workers: int | None = None,
    custom: CustomStartups | None = None,
    cancel: Cancel | None = None,
) -> Traced: ...
def run_live(
    stack: str,
    scenario: str,
    clock: str = "virtual",
    qlog: bool = False,
    control: str | None = None,
) -> LiveOutcome: ...
def native_control(stack: str, options: str) -> tuple[str, int | None]: ...
def run_live_load(scenario: str, control: str | None = None) -> LoadOutcome: ...
def live_prohibition(stack: str, drives: bool) -> str | None: ...
def kernel_try(startup: str) -> None: ...
def kernel_load(load: Mapping[str, Any]) -> None: ...
def kernel_status() -> dict[str, Any] | None: ...
def kernel_unload() -> bool: ...
def live_refusals(stack: str, scenarios: list[str]) -> list[str | None]: ...
def calls_python(
    scenarios: Sequence[str] | Scenarios,
    custom: CustomStartups | None = None,
    approve: Callable[[Estimated], object] | None = None,
) -> list[bool]: ...
def resolve(scenario: str, custom: CustomStartups | None = None) -> str: ...
def read_capture(
    paths: list[str],
    progress: Callable[[int, int | None], object] | None = None,
    stdin_start: bytes = b"",
) -> tuple[str, dict[str, CaptureColumns]]: ...
def zeek_log(start: bytes) -> str | None:
    """The name of the log of Zeek's that a file is; empty for one without a name here."""

def catalog() -> str: ...
def fields() -> str: ...
def columns() -> str: ...
def schema() -> str: ...
def quantity(text: str) -> tuple[str, float, str, float] | None: ...
def netem(text: str) -> str | None: ...
def size_bytes(size: str, mss: str) -> int | None: ...
def rate_bps(rate: str) -> int: ...
def initial_window(rule: str, mss: str) -> int:
    """The whole packets of an initial window, as a stack has it."""

def receiver_window(receiver: str) -> int | None:
    """The first window of a receiver with flow control, in bytes, and None of one without."""

def small_buffers(given: str, resolved: str, window: int) -> list[tuple[int, str, str]]:
    """The buffers of a path that were given in BDPs and came to less than the initial window.

    Each is packets, field and what was given. The path is JSON, as it was given and with every
    default filled in.
    """

def buffer_warning(packets: int, field: str, given: str, place: str, window: int) -> str:
    """What to report of one; `place` are further words on where it is."""

def without_effect(resolved: str) -> list[str]:
    """What a resolved scenario has that changes nothing in it, in a sentence each."""

def omissions(scenarios: str) -> tuple[list[str], list[str]]:
    """What the presets of resolved scenarios leave out, and what can decide the startup."""

def preset_omissions(name: str) -> list[tuple[str, str, str]]:
    """The rules that a preset leaves out: what each decides, the rule and its source."""

def headline(facts: str) -> str: ...
def legend(facts: str) -> str: ...
def notes(setting: str, repeated: bool) -> tuple[list[str], list[str]]: ...
def drawn(resolved: str) -> list[str]: ...
def marked(name: str) -> str:
    """A startup's name with its marks: † for reconstructions, * for those that need help."""

def split(text: str) -> list[str]:
    """Splits a list of names at its commas; several parameters stay with their algorithm.

    A piece that holds a `=` but no name before it belongs to the piece before it:
    `a,b:x=1,y=2,c` is `a`, `b:x=1,y=2` and `c`.
    """

def request_fields(request: bytes, known: list[str]) -> str:
    """The fields of a request that may have the `known` ones, as JSON; none of them is null."""

def check_options(
    given: str, startups: list[str], stack: str, custom: CustomStartups | None
) -> None:
    """Refuses an option that is `given` and changes nothing; the mappings are JSON."""

def stack_fields(text: str) -> str:
    """Fields of a stack such as `ns2:iw=3` as pairs, the preset ahead, as JSON."""

def stack_value(field: str, text: str) -> str:
    """A value of a stack's field as JSON, a number or a truth value where the field has one."""

def near(name: str, known: list[str]) -> list[str]:
    """Known names that an unknown one may mean: those that contain it, or the nearest."""

def seconds(value: float | None) -> str:
    """A time: `1.234 s`, `56.7 ms`, `890 µs`."""

def size(value: float | None) -> str:
    """A number of bytes in decimal units: `100 kB`."""

def rate(value: float | None) -> str:
    """A data rate in bits per second: `5 Mbps`."""

def percent(value: float | None) -> str:
    """A change: `+12.3 %`, `−4.5 %`, `+112 %`, `0 %`."""

def count(value: float | None) -> str:
    """A number of things, which an average may have left with a fraction."""

def ratio(value: float | None) -> str:
    """A factor: `1.94`, `26.3`, `263`."""

def version() -> str: ...
def build_facts() -> BuildFacts: ...

HOOKS: list[str]
"""The hooks of a startup."""
EVENTS: list[tuple[str, str, str, str, str]]
"""Those that are told an event: name, what it is, its argument, signal and answer."""
SIGNALS: list[tuple[str, str, list[tuple[str, str, str]]]]
"""The signals: name, what it is, and the same of its fields, with their types."""
STACKS: dict[str, str]
"""The presets of endpoints by name, each with what it is."""
DEFAULT_STACK: str
"""The preset of endpoints that name none."""
LIVE_CLOCKS: list[str]
"""In which times live runs are."""
NATIVE_CONTROLS: dict[str, list[tuple[str, str, str]]]
LIVE_STACKS: list[str]
"""The real stacks by name, whether or not they are in this build."""
BUILT_LIVE_STACKS: list[str]
KERNEL_STARTUPS: dict[str, str]
"""Those of them that are."""
USUAL_STARTUPS: list[str]
"""The startups that are compared where none is named."""
USUAL_SIZES: list[str]
"""The sizes of flows that have none, where none is given."""
STARTUP_OF: dict[str, str]
"""The startup of a congestion control that is nothing without it."""
CACHED_CWND: str
"""What an earlier connection left behind where nothing else is given."""
LANDING_MEASURES: list[str]
"""Columns of what follows the end of startup, for flows with an available rate."""
LIMITS: list[str]
"""All reasons that keep a sender from sending."""
LIMITS_OF_ENDS: list[str]
"""What limits a sender that a setting of an end may change: windows, buffers, the application."""
WINDOWS: list[str]
"""Those of them that the receiver sets."""
INTERFACE: str
"""The rate of a host's interface in comparisons, where the path gives none."""
DELAY_SHARE: float
"""By how much of itself a delay of a repeat differs at most."""
START_SPREAD: float
"""By how many seconds a beginning in a repeat is later at most."""
ALIASES: list[tuple[str, str]]
"""Names under which algorithms are known elsewhere, and their names here."""
DISTRIBUTIONS: list[str]
"""The distributions by name."""

COLLECTED: Final[list[tuple[str, str]]]
"""The fields of a collector's rows with their types; as the next three only in a build with Linux,
by `make live-linux`."""
COLLECTED_EXITS: Final[list[str]]
"""The causes of the end of slow start, by number."""
MOST_PORTS: Final[int]
"""Ports that a collector may have."""

@final
class Collector:
    """A BPF program that reports a row for each response, until this object is gone."""

    def __init__(self, cgroup: str, ports: list[int], sample: int, most_open: int) -> None: ...
    def read(self) -> bytes:
        """The rows since the last call."""
    def counts(self) -> tuple[int, int, int, int]:
        """Connections open and collected, connections skipped, rows lost."""

@final
class Cancel:
    """Ends the runs that were given it, from whichever thread, and at these limits."""

    def __init__(self, packets: float = ..., memory: float = ..., seconds: float = ...) -> None: ...
    @property
    def exceeded(self) -> str | None:
        """The limit that has ended them: `packets`, `memory` or `time`."""
    @property
    def packets(self) -> int:
        """Data packets that the runs have sent."""
    def cancel(self) -> None:
        """The runs end at their next event."""
    @property
    def cancelled(self) -> bool:
        """Whether that was asked for."""
    @property
    def ended(self) -> bool:
        """Whether the simulations are over, so that no hook of theirs is at work."""
    @property
    def place(self) -> str | None:
        """The hook that was interrupted, in words; None where none was."""

@final
class Explorer:
    """What the page of the explorer is answered about one path."""

    def __init__(self, settings: str) -> None:
        """One with these settings, as JSON."""
    def typed(self, given: str) -> str:
        """The options of a state, which is JSON, with values of their types."""
    def custom(self, request: bytes) -> list[str]:
        """The startups in Python that take part in a request."""
    def check(self, given: str, custom: CustomStartups | None = None) -> None:
        """Checks that a state can be compared."""
    def compare(self, request: bytes, means: tuple[CustomStartups, int, Cancel]) -> bytes:
        """The table of a comparison, and what every startup did over time, as a frame.

        `means` are startups in Python, the number of threads, and what may end the runs from
        another thread, which raises KeyboardInterrupt.
        """
    def packets(self, request: bytes, means: tuple[CustomStartups, int, Cancel]) -> str:
        """The first packets of a startup's flow, as JSON."""

@final
class FlowPackets:
    """The packets of one flow, as both of its hosts saw them."""

    @property
    def flow(self) -> int:
        """Which flow."""
    def qlog(self) -> bytes:
        """What its sender did and knew, as qlog."""
    def pcap(self, side: str) -> bytes:
        """Its packets as captured at `side`, `sender` or `receiver`, as pcap."""

@final
class Window:
    """The state that a transport obeys and a startup edits."""

    def __init__(self, mss: int) -> None: ...
    cwnd: float
    """Congestion window in segments."""
    ssthresh: float
    """Slow-start threshold in segments; infinite until something is known."""
    pacing: int | None
    """At most this rate in bits per second, headers included; None sends as the window allows."""
    pacing_from: int
    """With a pacing rate: nothing leaves before this time."""
    quantum: int
    """So many segments may leave together where they are paced."""
    timeout: int | None
    """A retransmission timeout that holds instead of the transport's, without back-off."""
    startup_excess: bool
    """Marks segments as part of an oversized startup flight that a router may drop first."""
    pair: Literal["first", "second"] | None
    """Marks a segment as one of a pair whose spacing the peer is to measure."""
    congestion_header: int | None
    """Data carries a congestion header with this round-trip time, 0 where none is known."""
    proactive_segments: int
    """So many segments are sent a second time, before a loss is found; counted off
    as their turn comes. Those that have arrived are passed over."""
    proactive_below: int
    """The next of them ends at this position; the others lie below it, one after the other."""
    @property
    def mss(self) -> int:
        """Maximum segment size, bytes of payload."""
    @property
    def cwnd_bytes(self) -> int:
        """The window in bytes."""
    @property
    def in_slow_start(self) -> bool:
        """Whether the window is below the threshold."""
    def segments(self, count: int) -> float:
        """So many bytes, in segments."""
