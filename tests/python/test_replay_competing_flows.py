"""Not everyone at once: shares that are switched, traffic of others, competing, other buffers."""

import dataclasses
import pathlib
from typing import Any

import polars as pl
import pytest

from flowstart.captures.contents import Capture
from flowstart.captures.reading import read_capture
from flowstart.errors import RequestError
from flowstart.inference import Statistic
from flowstart.model import quantities
from flowstart.replays import competing_flows
from flowstart.replays.answer import EVERYTHING, ONCE, buffers, rates, shared
from flowstart.replays.execute import study
from flowstart.replays.paths import ReplayPath, build
from flowstart.replays.result import Replay
from flowstart.replays.runner import COMPETING, Round, jobs
from flowstart.replays.settings import Settings
from flowstart.replays.traffic import Conversation, conversations
from made_up_replay import facts, times
from test_replay import group

CAPTURES = pathlib.Path(__file__).parent.parent / "data" / "captures"
STARTUPS = ("slow-start", "jump-start")
ROOM = {"rate": "10Gbps", "buffer": "100000pkt"}
"""A path on which nobody is in anybody's way."""


@pytest.fixture(scope="module")
def small() -> Capture:
    return read_capture(CAPTURES / "small.pcap")


# Shares


def test_the_rest_of_a_share_is_compared_with_itself_without_the_share() -> None:
    one = Round("rollout", share=0.5)
    everybody = [float(1 + number) for number in range(200)]
    later = [1.2 * time for time in everybody]
    base, meanwhile = times(everybody, everybody), times(everybody, later)
    settings = Settings(("slow-start", "first"))
    found = shared(facts(200), meanwhile, base, one, settings)
    row = found.rest.row(EVERYTHING, "first", Statistic.GEOMEAN_RATIO)
    assert row and row.estimate == pytest.approx(0.2)
    assert row.transfers == 200 - found.connections


def test_on_a_path_with_room_a_share_changes_nothing_for_the_rest(small: Capture) -> None:
    settings = Settings(STARTUPS, direction="both", **ROOM)  # type: ignore[arg-type]
    found = study(small, settings, dataclasses.replace(ONCE, rollout=0.5)).rollout
    assert found
    rest = found.rest.row(EVERYTHING, "jump-start", Statistic.GEOMEAN_RATIO)
    switched = found.switched.row(EVERYTHING, "jump-start", Statistic.GEOMEAN_RATIO)
    assert rest and rest.estimate == pytest.approx(0, abs=1e-3)
    assert switched and switched.estimate is not None and abs(switched.estimate) > 0.02


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1])
def test_a_share_of_nobody_or_everybody_is_refused(share: float) -> None:
    with pytest.raises(RequestError, match=r"rollout: `.*%` is out of range; a part above 0%"):
        dataclasses.replace(ONCE, rollout=share)


# Traffic of others


def talks(small: Capture, settings: Settings) -> list[Conversation]:
    [path] = build(small, settings, {})
    return [talk for part in path.traffic.chunks() for talk in conversations(part)]


def bits(flows: list[dict[str, Any]]) -> int:
    return sum(8 * int(flow["size"].removesuffix("B")) for flow in flows)


@pytest.mark.slow
@pytest.mark.parametrize("cross", [0.1, 0.4, 0.9])
def test_cross_traffic_takes_its_share_of_the_rate(small: Capture, cross: float) -> None:
    settings = Settings(("slow-start",), cross_traffic=cross, rate="20Mbps")
    span_s, rate_bps = 5_000.0, 20e6
    busy = competing_flows.Busy(((0.0, span_s),))
    flows = competing_flows.cross_traffic(talks(small, settings), busy, rate_bps, {}, settings)
    assert bits(flows) / (span_s * rate_bps) == pytest.approx(cross, rel=0.1)


def test_cross_traffic_begins_only_while_a_connection_is_open(small: Capture) -> None:
    settings = Settings(("slow-start",), cross_traffic=0.5, rate="20Mbps")
    busy = competing_flows.Busy(((10.0, 20.0), (50.0, 60.0)))
    flows = competing_flows.cross_traffic(talks(small, settings), busy, 20e6, {}, settings)
    starts = [quantities.read_seconds(flow["start"]) or 0.0 for flow in flows]
    assert starts
    assert all(10 <= start <= 20 or 50 <= start <= 60 for start in starts)


def test_another_seed_draws_other_cross_traffic(small: Capture) -> None:
    def drawn(seed: int) -> list[dict[str, Any]]:
        settings = Settings(("slow-start",), cross_traffic=0.5, rate="20Mbps", seed=seed)
        busy = competing_flows.Busy(((0.0, 10.0),))
        return competing_flows.cross_traffic(talks(small, settings), busy, 20e6, {}, settings)

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_cross_traffic_is_not_counted_among_the_transfers(small: Capture) -> None:
    found = study(small, Settings(("slow-start",), cross_traffic=0.5, rate="20Mbps"), ONCE)
    without = study(small, Settings(("slow-start",), rate="20Mbps"), ONCE)
    assert found.frame["transfer"].to_list() == without.frame["transfer"].to_list()


# Competing flows


def beside(small: Capture, *names: str) -> Replay:
    settings = Settings(("slow-start",), competing=names, rate="5Mbps", buffer="60pkt")
    return study(small, settings, ONCE)


def of(replay: Replay, name: str) -> pl.DataFrame:
    assert replay.competing is not None
    return replay.competing.filter(pl.col("name") == name)


def test_a_probes_delay_grows_behind_a_long_transfer(small: Capture) -> None:
    alone, behind = (
        of(beside(small, *names), "probe")["delay_p50_s"][0]
        for names in (["probe"], ["probe", "cubic"])
    )
    # 60 packets of 1500 bytes at 5 Mbit/s take 144 ms.
    assert 0.05 < behind - alone < 0.15


@pytest.mark.parametrize("name", ["cubic", "bbr"])
def test_a_long_transfer_ends_with_the_replay(small: Capture, name: str) -> None:
    found = of(beside(small, name), name)
    settings = Settings(("slow-start",), competing=(name,), rate="5Mbps", buffer="60pkt")
    [job] = jobs(build(small, settings, {}), settings, COMPETING)
    lasts_s = float(str(job.scenario["duration"]).removesuffix("s"))
    most = 5e6 * lasts_s / 8
    assert 0.3 * most < found["delivered_bytes"][0] <= most


def test_competing_flows_have_a_separate_pass_and_change_no_row(small: Capture) -> None:
    without = study(small, Settings(("slow-start",), rate="5Mbps", buffer="60pkt"), ONCE)
    assert beside(small, "cubic").frame.equals(without.frame)


def test_a_competing_flow_that_is_named_twice_is_refused() -> None:
    with pytest.raises(RequestError, match="competing `cubic` is given twice"):
        Settings(("slow-start",), competing=("cubic", "cubic"))


# Other buffers


def paths(**way: Any) -> list[ReplayPath]:
    return build(group(**way), Settings(("slow-start",)), {})


def test_a_buffer_that_is_known_has_no_alternatives() -> None:
    assert buffers(paths()) == []


def test_an_assumed_buffer_is_halved_taken_four_times_and_holds_an_initial_window() -> None:
    found = buffers(paths(rate_bps=40e6, buffer_packets=None, queueing_s=None))
    assert [(name, path.path["buffer"]) for name, [path] in found] == [
        ("buffers × 0.5", "100pkt"),
        ("buffers × 4", "800pkt"),
        ("smallest known buffers", "10pkt"),
    ]


def test_rates_that_packets_show_are_varied_within_the_factor_that_counts_as_known() -> None:
    low, high = (path.rates_bps[0] for _, [path] in rates(paths(rate_bps=40e6)))
    assert high / low == pytest.approx(1.5)
    given = dataclasses.replace(paths()[0], given=True)
    assert rates([given]) == []


def test_no_alternative_is_below_what_is_known_and_that_is_one_by_itself() -> None:
    found = buffers(paths(rate_bps=40e6, buffer_packets=150, buffer_at_least=True))
    assert [(name, path.path["buffer"]) for name, [path] in found] == [
        ("buffers × 0.5", "150pkt"),
        ("buffers × 4", "800pkt"),
        ("smallest known buffers", "150pkt"),
    ]


def test_an_alternative_leaves_a_buffer_that_is_known_as_it_is() -> None:
    for _, [path] in buffers(paths(buffer_packets=None, queueing_s=None)):
        assert path.path["reverse_buffer"] == "70pkt"
