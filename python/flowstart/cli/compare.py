"""`flowstart compare`: the same traffic under one start-up after another."""

import dataclasses
import pathlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flowstart.cli import console, options, replay
from flowstart.errors import RequestError, SimulationError, Stopped

if TYPE_CHECKING:
    from flowstart.comparison.plan import Plan
    from flowstart.comparison.result import Comparison

Text = str | None


def compare(
    context: typer.Context,
    scenario: Annotated[
        str | None,
        typer.Argument(
            metavar="SCENARIO.toml",
            help="A scenario instead of path options: its flows that name no start-up are "
            "under test, the others are background.",
            show_default=False,
        ),
    ] = None,
    capture: Annotated[
        list[pathlib.Path] | None,
        typer.Option(
            metavar="FILE",
            help="The transfers of a pcap, pcapng or Zeek conn.log instead of sizes; path "
            "options override what the capture tells.",
        ),
    ] = None,
    path: Annotated[
        Text, options.text("A path known by name; options override it.", "NAME")
    ] = None,
    rate: Annotated[Text, options.text("Rate of the bottleneck: 5Mbps.", "RATE")] = None,
    rtt: Annotated[Text, options.text("Two-way propagation: 64ms.", "TIME")] = None,
    buffer: Annotated[
        Text, options.text("Bottleneck buffer: 60pkt, 90kB. [1bdp, at least 40pkt]", "SIZE")
    ] = None,
    queue: Annotated[
        Text, options.text("Queue discipline: codel, red:th_min=5. [drop-tail]", "NAME")
    ] = None,
    loss: Annotated[Text, options.text("Random loss on the way forward: 1%.", "SHARE")] = None,
    reverse_rate: Annotated[Text, options.text("Rate of the way back.", "RATE")] = None,
    reverse_buffer: Annotated[Text, options.text("Buffer of the way back.", "SIZE")] = None,
    reverse_queue: Annotated[Text, options.text("Discipline of the way back.", "NAME")] = None,
    reverse_loss: Annotated[Text, options.text("Random loss on the way back.", "SHARE")] = None,
    access_rate: Annotated[Text, options.text("Rate of each host's line.", "RATE")] = None,
    access_delay: Annotated[Text, options.text("Delay of each host's line.", "TIME")] = None,
    access_at: Annotated[
        Text, options.text("Which hosts have such a line: both, left or right.", "SIDE")
    ] = None,
    nic_rate: Annotated[Text, options.text("Rate of each host's interface.", "RATE")] = None,
    quick_start: Annotated[
        Text,
        options.text(
            "How routers decide on Quick-Start's requests: none, rfc, target:threshold=90%. "
            "[by stack]",
            "RULE",
        ),
    ] = None,
    rate_trace: Annotated[
        Text,
        options.text(
            "Delivery opportunities instead of a rate: milliseconds, one a line, as Mahimahi has "
            "them.",
            "FILE",
        ),
    ] = None,
    reverse_rate_trace: Annotated[Text, options.text("The same for the way back.", "FILE")] = None,
    rate_steps: Annotated[
        Text,
        options.text(
            "Rates one after the other, over and over: 50Mbps:10s,0bps:100ms.", "RATE:TIME,..."
        ),
    ] = None,
    rate_variation: Annotated[
        Text,
        options.text(
            "How the rate varies about its mean: steps:every=15s,spread=0.5, wander:sigma=0.4.",
            "MODEL",
        ),
    ] = None,
    policer_rate: Annotated[
        Text, options.text("A token bucket before the bottleneck drops what exceeds this.", "RATE")
    ] = None,
    policer_burst: Annotated[Text, options.text("Size of that bucket.", "SIZE")] = None,
    loss_burst: Annotated[
        Text, options.text("Packets that --loss strikes in a row, on average. [alone]", "NUMBER")
    ] = None,
    reverse_loss_burst: Annotated[Text, options.text("The same on the way back.", "NUMBER")] = None,
    aggregation: Annotated[
        Text,
        options.text(
            "Packets pass in bursts, as on Wi-Fi, this often: 4ms, exponential:mean=4ms.", "TIME"
        ),
    ] = None,
    jitter: Annotated[
        Text, options.text("Delay on top: uniform:most=5ms, exponential:mean=2ms.", "TIME")
    ] = None,
    reverse_jitter: Annotated[Text, options.text("The same on the way back.", "TIME")] = None,
    jitter_every: Annotated[
        Text, options.text("For how long a draw of jitter holds. [one packet]", "TIME")
    ] = None,
    reordering: Annotated[
        bool | None, typer.Option("--reordering", help="Jitter lets packets overtake others.")
    ] = None,
    ripple: Annotated[Text, options.text("How far the round trip swings.", "TIME")] = None,
    ripple_period: Annotated[Text, options.text("How long a swing takes.", "TIME")] = None,
    router_pps: Annotated[
        int | None, typer.Option(help="Packets per second that each router forwards.")
    ] = None,
    ack_batch: Annotated[
        Text, options.text("Acknowledgements arrive together, this often.", "TIME")
    ] = None,
    ack_thinning: Annotated[
        bool | None, typer.Option("--ack-thinning", help="Of each batch only the newest arrives.")
    ] = None,
    buffer_reading: Annotated[
        Text, options.text("Does a buffer hold the packet in service? ns2: yes, linux: no.", "NAME")
    ] = None,
    hosts: Annotated[int | None, typer.Option(help="Pairs of hosts. [one per flow]")] = None,
    startup: Annotated[
        Text,
        options.text(
            "Start-ups, with parameters as name:key=value; all, and -NAME to leave one out; "
            "FILE.py:CLASS for one of your own. [slow-start,limited-slow-start,hystart,"
            "hystart-plus-plus,jump-start]",
            "A,B,...",
        ),
    ] = None,
    size: Annotated[Text, options.text("Transfer sizes. [10kB,100kB,1MB,10MB]", "S,...")] = None,
    flows: Annotated[int | None, typer.Option(min=1, help="Connections at once. [1]")] = None,
    interval: Annotated[Text, options.text("Time between their openings.", "TIME")] = None,
    stack: Annotated[
        Text,
        options.text(
            "Endpoints: rfc, linux, quic, ns2, opnet; with overrides: quic:handshake=0-rtt. [rfc]",
            "NAME",
        ),
    ] = None,
    avoidance: Annotated[Text, options.text("Congestion avoidance.", "NAME")] = None,
    ack: Annotated[Text, options.text("every, delayed or quick-then-delayed.", "WHEN")] = None,
    iw: Annotated[Text, options.text("Initial window: 3, rfc6928.", "WINDOW")] = None,
    remembered: Annotated[
        Text,
        options.text(
            "Window that an earlier connection left behind. [1bdp; with --capture nothing]", "SIZE"
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of everything random. [1]")] = None,
    repeat: Annotated[
        int, typer.Option(min=1, help="Repeat with as many seeds, where anything is random.")
    ] = 1,
    workers: options.Workers = None,
    json: options.Json = False,
    output: options.Folder = None,
) -> None:
    """Compare start-ups on a path, in a scenario, or on the transfers of a capture.

    Every size is transferred under every start-up, all else being equal. The table shows
    how long it took, against slow start and against the ideal, and how the start-up ended.
    Quantities are written with their unit: 5Mbps, 64ms, 100kB, 60pkt, 1bdp.
    """
    from flowstart.cli import output as folders

    if output:
        folders.check(output)
    if capture:
        replay.compare(_only(capture), context.params, workers, json, output)
        return
    with console.speaking_of(scenario):
        plan = _plan(context.params)
        result = _execute(plan, workers)
    for warning in result.warnings:
        console.note(f"warning: {warning}")
    console.deliver(
        lambda: console.show_json(result.result()) if json else _show(result),
        output,
        _files(result),
    )
    _say_what_is_missing(result, kept=f"in {output}" if output else "above")


def _only(captures: list[pathlib.Path]) -> pathlib.Path:
    """The capture; a second one would have to be ignored."""
    first, *others = captures
    if others:
        raise RequestError(
            f"--capture {first} and --capture {others[0]}: one capture is taken; compare the "
            "start-ups on each by itself, or join the files first (mergecap)"
        )
    return first


def _plan(given: dict[str, Any]) -> "Plan":
    """What the command line asks for."""
    from flowstart.cli import applicability
    from flowstart.comparison.plan import DEFAULT_SIZES, DEFAULT_STARTUPS, Plan
    from flowstart.model import specs
    from flowstart.model.path import Path

    traffic = {
        "startups": specs.listed("startup", given["startup"], DEFAULT_STARTUPS),
        "seed": given["seed"],
        "repeat": given["repeat"],
    }
    sizes = None if given["size"] is None else specs.listed("size", given["size"], ())
    if given["scenario"]:
        _refuse_path_options(given)
        return Plan.of_scenario(given["scenario"], sizes=sizes, **traffic)
    names = [f.name for f in dataclasses.fields(Path)]
    fields = {name: given[name] for name in names if given.get(name) is not None}
    if not fields and not given["path"]:
        raise RequestError(
            "no path is given: name its --rate and --rtt, a --path NAME, a scenario file, "
            "or a --capture"
        )
    if given["quick_start"] is not None:
        fields["quick_start"] = specs.quick_start(given["quick_start"])
    if given["rate_steps"] is not None:
        fields["rate_steps"] = specs.rate_steps(given["rate_steps"])
    named = Path.named(given["path"]) if given["path"] else Path()
    stack = options.endpoints(given)
    plan = Plan.of_path(
        named.but(**fields),
        sizes=sizes or DEFAULT_SIZES,
        stack=stack,
        **{name: given[name] for name in ("flows", "interval", "avoidance", "remembered")},
        **traffic,
    )
    applicability.refuse_what_does_nothing(given, plan.startups, plan.custom, stack)
    return plan


def _refuse_path_options(given: dict[str, Any]) -> None:
    """A scenario describes path, endpoints and flows; options that do so contradict it."""
    together = (
        "scenario",
        "capture",
        "startup",
        "size",
        "seed",
        "repeat",
        "workers",
        "json",
        "output",
    )
    for name, value in given.items():
        if value is not None and name not in together:
            option = f"--{name.replace('_', '-')}"
            raise RequestError(
                f"{option} and {given['scenario']}: the scenario describes path and flows; "
                f"write `{name}` into it, or leave one of the two out"
            )


def _execute(plan: "Plan", workers: int | None) -> "Comparison":
    from flowstart.cli.progress import Progress
    from flowstart.comparison.execute import execute

    with console.attending(), Progress() as progress:
        return execute(plan, workers=workers, progress=progress)


def _show(result: "Comparison") -> None:
    """Header, table, and the command that does it again."""
    from flowstart.comparison import sentences

    print(sentences.headline(result))
    if result.rows:
        console.show_grid(result.table)
        print(sentences.legend(result))
    if result.plan.command:
        print(f"Again: {result.plan.command}")


def _files(result: "Comparison") -> Iterator[Mapping[str, bytes]]:
    """What a folder keeps: tables, then figures, whose library is slow to load."""
    from flowstart.comparison import report

    yield report.tables(result)
    yield report.pictures(result)


def _say_what_is_missing(result: "Comparison", kept: str) -> None:
    """Ends in an error where runs failed or Ctrl-C came first."""
    total = len(result.plan.cases())
    if result.interrupted:
        raise Stopped(
            f"stopped by Ctrl-C: {result.finished} of {total} runs are finished and {kept}"
        )
    for failure in result.failures[:3]:
        console.note(failure)
    if result.failures:
        failed = len(result.failures)
        raise SimulationError(f"{failed} of {total} runs failed; the others are {kept}")
    if result.all_failed:
        raise SimulationError(f"no transfer was completed; what became of them is {kept}")
