"""The verdict of a replay: one for all traffic, and each size class and network has a veto."""

import dataclasses
import json
import pathlib
import time
from collections.abc import Callable
from typing import Any

import pytest

import synthetic_deployments as synthetic
from flowstart.captures.reading import read_capture
from flowstart.deployment.stacks import RESTORED, HostStack, names
from flowstart.inference import Status
from flowstart.inference.gates import GateQuantity, Outcome
from flowstart.model.variants import Variant
from flowstart.questions.replay import ReplayQuestion
from flowstart.replays.answer import ONCE, Questions
from flowstart.replays.execute import study
from flowstart.replays.overview import next_steps
from flowstart.replays.request import settings_of
from flowstart.replays.result import Replay

Cli = Callable[..., Any]
CAPTURES = pathlib.Path(__file__).parent.parent / "data" / "captures"
WEB_MIX = CAPTURES / "web-mix.pcap.gz"
FOUR_REPEATS = Questions(repeats=4, buffers=False, calibrate=False)
LEAST_RECOMMENDED = 18


@pytest.fixture(scope="module")
def web_mix() -> Replay:
    settings = settings_of(ReplayQuestion("mine.pcap", startups=["jump-start"], variants=[IW30]))
    return study(read_capture(WEB_MIX), settings, FOUR_REPEATS)


IW30 = "iw30: startup=hystart iw=30"


@pytest.mark.slow
def test_of_forty_deployments_the_better_are_recommended_and_no_harmful_one_is() -> None:
    chosen: dict[bool, list[str]] = {True: [], False: []}
    for one in synthetic.ALL:
        found = study(synthetic.captured(one, 1), one.settings, FOUR_REPEATS)
        if found.answer.verdict.recommended:
            chosen[one.harm is None].append(one.name)
    assert len(chosen[True]) >= LEAST_RECOMMENDED
    assert chosen[False] == []


def test_classes_and_networks_that_are_harmed_veto_a_gain_over_all_traffic(web_mix: Replay) -> None:
    found = web_mix.verdict.of("iw30")
    assert found
    assert found.gain.gains
    assert found.status != Status.RECOMMENDED
    assert ("below 10 kB", GateQuantity.HARMED) in {(g.part, g.quantity) for g in found.vetoes}
    assert web_mix.verdict.headline.startswith(
        "Recommendation: keep the current setting. iw30 is 11."
    )
    assert "may exceed the limit of harm for up to" in web_mix.verdict.headline
    first, *lines = str(web_mix.verdict).splitlines()
    assert first == web_mix.verdict.headline
    assert [line.split()[0] for line in lines] == ["iw30", "jump-start"]


def test_a_setting_is_shown_with_the_quantity_that_decides_against_it(web_mix: Replay) -> None:
    found = {one.setting: one.cause for one in web_mix.verdict.judgements}
    assert found == {"iw30": "inconclusive: harm", "jump-start": "research"}


def test_an_inconclusive_gain_gets_a_test_and_no_deployment(web_mix: Replay) -> None:
    (notes,) = web_mix.notes_to_deploy
    assert notes.lines[0] == "To test, not to deploy: iw30, all sizes"
    assert notes.test
    sizes = " or ".join(f"{one.transfers:,} with {one.unit}s as units" for one in notes.test.sizes)
    test = f"an A/B test of iw30; transfers in each arm: {sizes}."
    assert next_steps(web_mix) == [f"Next: no change, or {test}"]
    assert not any(line.startswith("  hystart:") for line in notes.lines)


def test_what_no_stack_offers_is_research_whatever_it_gains(web_mix: Replay) -> None:
    found = web_mix.verdict.of("jump-start")
    assert found
    assert found.status == Status.RESEARCH
    assert web_mix.settings.offered == ("current", "iw30")


def test_the_baseline_is_what_was_recorded(web_mix: Replay) -> None:
    reference = web_mix.settings.reference
    assert (reference.name, reference.startup, reference.cc) == (
        "current",
        "hystart",
        "cubic",
    )


def large(file: pathlib.Path) -> pathlib.Path:
    """A server's log of transfers of 1 to 10 MB."""
    rows = [
        f"{5 * n},10.0.{n % 2}.{n % 50 + 1},{1_000_000 + 130_000 * (n % 60)},0.06,20000000"
        for n in range(60)
    ]
    file.write_text("\n".join(["time,peer,bytes,rtt_s,rate_bps", *rows]))
    return file


def test_a_startup_that_loses_half_of_its_packets_is_not_recommended(
    cli: Cli, tmp_path: pathlib.Path
) -> None:
    words = ("--startup", "slow-start,jump-start", "--baseline", "slow-start", "--no-uncertainty")
    columns = ("--columns", "time=time,peer=peer,bytes=bytes,rtt=rtt_s:s,rate=rate_bps:bps")
    log = large(tmp_path / "log.csv")
    document = json.loads(cli("replay", log, *words, *columns, "--json").out)
    [found] = document["verdict"]["settings"]
    assert document["verdict"]["recommended"] is None
    loss = [g for g in found["gates"] if g["quantity"] == "loss" and g["kind"] == "all"]
    assert loss[0]["outcome"] == Outcome.REJECTED
    assert loss[0]["estimate"] > 0.2


def test_loss_in_all_classes_is_allowed_by_its_option(cli: Cli) -> None:
    words = (
        "--variant",
        IW30,
        "--no-uncertainty",
        "--json",
        "--max-loss",
        "100%",
        "--max-harm",
        "100%",
    )
    document = json.loads(cli("replay", WEB_MIX, *words, "--max-p99", "100%").out)
    [found] = document["verdict"]["settings"]
    quantities = {gate["quantity"] for gate in found["vetoes"]}
    assert not quantities & {"harmed", "loss", "retransmitted"}
    assert "--max-loss 100%" in document["command"]


def test_a_network_may_have_a_verdict_of_its_own_that_a_route_implements() -> None:
    fast = synthetic.Net(50, 40, 250, 90)
    deployment = synthetic.Deployment(
        "by-network", synthetic.IW30, (fast, synthetic.SLOWER), synthetic.WEB, "network"
    )
    questions = Questions(repeats=1, when=("10.0.0.0/24", "10.1.0.0/24"))
    found = study(synthetic.recorded(deployment, 1), deployment.settings, questions)
    assert found.verdict.recommended is None
    good, bad = found.partial
    assert (good.verdict.recommended, bad.verdict.recommended) == ("iw30", None)
    assert good.lines[1:] == [
        "Deploy: flowstart deploy iw30 --from DIR --when network=10.0.0.0/24",
    ]
    document = found.to_dict(rows=False)["partial"][0]["verdict"]["settings"][0]
    assert document["commands"][0]["set"] == ["initcwnd 30 on the route to 10.0.0.0/24"]
    assert document["commands"][0]["steps"] == ["route 10.0.0.0/24 initcwnd 30"]


def test_only_what_can_be_limited_to_a_network_has_a_verdict_there() -> None:
    hosts = HostStack.named("linux")
    limited = {v.name for v in hosts.candidates if hosts.commands(v, hosts.recorded, "N")}
    assert limited == {"IW20", "IW30", "BBR"}
    both = Variant.parse("both: cc=bbr iw=30")
    assert not hosts.commands(both, hosts.recorded, "N")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("size=1MB", "when: `size=1MB` should be written network=PREFIX"),
        ("network=10.7.0.0/24", "when: `10.7.0.0/24` is not a network of the capture: "),
    ],
)
def test_a_part_that_is_none_is_refused_in_a_line(cli: Cli, given: str, message: str) -> None:
    answer = cli("replay", CAPTURES / "small.pcap", "--when", given)
    assert answer.status == 2
    assert message in answer.err


@pytest.mark.parametrize("name", names())
def test_every_candidate_of_a_stack_has_the_command_that_sets_it_and_that_reverts_it(
    name: str,
) -> None:
    hosts = HostStack.named(name)
    for variant in hosts.candidates:
        found = hosts.commands(variant, hosts.recorded)
        assert found, variant.name
        for one in found:
            assert len(one.set) == len(one.revert) > 0
            assert all((*one.set, *one.revert, *one.sources))
            assert not any("{" in word for word in one.set)
    for variant in hosts.research:
        assert not hosts.offers(variant, hosts.recorded), variant.name


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("IW30", ["route default initcwnd 30"]),
        ("paced", ["qdisc fq"]),
        ("BBR", ["value /proc/sys/net/ipv4/tcp_congestion_control bbr"]),
        ("no-HyStart", ["value /sys/module/tcp_cubic/parameters/hystart 0"]),
    ],
)
def test_a_script_switches_linux_to_a_setting_and_back_to_what_was_there(
    name: str, steps: list[str]
) -> None:
    hosts = HostStack.named("linux")
    by_name = {variant.name: variant for variant in hosts.candidates}
    [found] = hosts.commands(by_name[name], hosts.recorded)
    assert list(found.steps) == steps
    assert found.revert == (RESTORED,)
    assert found.lines(name) == [f"Deploy: flowstart deploy {name} --from DIR"]
    assert "DEVICE" not in found.set[0]


def test_by_default_the_recorded_stacks_own_settings_are_compared_with_it() -> None:
    linux = settings_of(ReplayQuestion("mine.pcap"))
    assert linux.names[:6] == ("current", "IW20", "IW30", "paced", "BBR", "no-HyStart")
    assert {*linux.names} - {*linux.offered} == {"HyStart++", "Jump-Start"}
    assert linux.reference.name == "current"
    empty = dataclasses.replace(read_capture(WEB_MIX), about={"format": "qlog"})
    empty = dataclasses.replace(empty, connections=empty.connections.clear())
    qlog = settings_of(ReplayQuestion("mine.pcap"), empty)
    assert (qlog.hosts.name, qlog.recorded.fields["preset"]) == ("quic", "quic")
    freebsd = settings_of(ReplayQuestion("mine.pcap", recorded="freebsd"))
    assert "HyStart++" in freebsd.offered


def test_a_stack_that_is_not_in_the_table_is_refused_in_a_line(cli: Cli) -> None:
    answer = cli("replay", WEB_MIX, "--recorded", "linx")
    assert answer.status == 2
    assert "--recorded: `linx` is not a stack; did you mean `linux`" in answer.err
    other = cli("replay", WEB_MIX, "--recorded", "foo").err
    assert "--recorded: `foo` is not a stack; there are linux, freebsd" in other
    assert other.count("freebsd") == 1
    assert answer.err.count("\n") == 1


def test_a_quick_replay_of_few_connections_has_too_little_traffic() -> None:
    settings = settings_of(ReplayQuestion("mine.pcap", variants=[IW30]))
    found = study(read_capture(CAPTURES / "small.pcap"), settings, ONCE)
    assert found.verdict.headline.startswith(
        "No setting is recommended: there is too little traffic: "
    )


def test_the_first_page_of_a_report_is_its_summary_and_has_figures_on_paper(
    cli: Cli, tmp_path: pathlib.Path
) -> None:
    words = ("--startup", "jump-start", "--no-uncertainty", "-o", str(tmp_path / "out"))
    assert cli("replay", CAPTURES / "small.pcap", *words).status == 0
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    first, _, rest = page.partition("</section>")
    for expected in (
        "No setting is recommended: ",
        "Path known: ",
        "Gain and cost",
        "Next",
        "<svg",
    ):
        assert expected in first
    assert "Size classes" in rest
    assert '<template class="picture"' not in page
    assert "break-after: page" in page


def test_the_summary_fits_a_screen_and_details_have_all_tables(cli: Cli) -> None:
    words = ("replay", CAPTURES / "small.pcap", "--startup", "jump-start", "--no-uncertainty")
    brief = cli(*words).out.splitlines()
    assert len(brief) <= 25
    assert all(len(line) <= 88 for line in brief if not line.startswith("Reproduce: "))
    detailed = cli(*words, "--details").out
    assert "Limits that settings exceed, or may exceed" in detailed
    assert "below 10 kB: " in detailed


def test_a_rate_for_several_networks_is_refused_in_a_line(cli: Cli) -> None:
    answer = cli("replay", CAPTURES / "small.pcap", "--rate", "20Mbps")
    assert answer.status == 2
    assert answer.err.splitlines()[-1] == (
        "flowstart: --rate: `20Mbps` for 2 networks would put all on one link; give each its "
        "own with --network PREFIX:rate=RATE, or all with --network '*:rate=20Mbps'"
    )


def test_networks_have_the_rates_that_are_given(cli: Cli) -> None:
    words = ("--startup", "jump-start", "--no-uncertainty", "--json")
    given = ("--network", "*:rate=7Mbps,buffer=50pkt", "--network", "10.9.0.0/16:rate=9Mbps")
    answer = cli("replay", CAPTURES / "small.pcap", *words, *given)
    document = json.loads(answer.out)
    paths = {one["name"]: (one["rate"], one["buffer"]) for one in document["paths"]}
    assert paths == {"fd09:1::/48": ("7000000bps", "50pkt"), "10.9.1.0/24": ("9000000bps", "50pkt")}
    assert "--network '*:rate=7Mbps,buffer=50pkt' --network 10.9.0.0/16" in document["command"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("10.9.0.0/16", "should be written PREFIX:rate=RATE"),
        ("10.9.0.0/16:rat=5Mbps", "did you mean `rate`?"),
        ("10.7.0.0/16:rate=5Mbps", "holds none of the capture's: 10.9.1.0/24, fd09:1::/48"),
        ("*:rate=5", "rate"),
    ],
)
def test_what_is_given_of_no_network_is_refused_in_a_line(
    cli: Cli, given: str, message: str
) -> None:
    answer = cli("replay", CAPTURES / "small.pcap", "--network", given)
    assert answer.status == 2
    assert message in answer.err
    assert answer.err.splitlines()[-1].startswith("flowstart: ")


def test_the_verdict_has_the_fields_that_its_page_lists(cli: Cli) -> None:
    words = ("--startup", "jump-start", "--no-uncertainty", "--json")
    document = json.loads(cli("replay", CAPTURES / "small.pcap", *words).out)
    page = (pathlib.Path(__file__).parents[2] / "docs" / "concepts" / "verdict.md").read_text(
        "utf-8"
    )
    [setting] = document["verdict"]["settings"]
    for fields in (document["verdict"], setting, setting["gates"][0], setting["gain"]):
        for name in fields:
            assert f"`{name}`" in page, name


@pytest.mark.real_time
def test_the_default_answer_on_web_mix_takes_at_most_fifteen_seconds() -> None:
    start = time.monotonic()
    study(read_capture(WEB_MIX), settings_of(ReplayQuestion("mine.pcap")))
    assert time.monotonic() - start <= 15
