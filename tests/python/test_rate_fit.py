"""Rates of servers' logs: fitted to durations that were simulated at known rates."""

import pathlib

import polars as pl
import pytest

import flowstart as fs
from flowstart.captures.contents import Capture, PathEstimate
from flowstart.model.variants import Variant
from flowstart.replays import overview
from flowstart.replays.answer import Questions
from flowstart.replays.calibration import calibrate
from flowstart.replays.execute import study
from flowstart.replays.rate_fit import fitted
from flowstart.replays.settings import Settings
from made_up_logs import Network, columns, networks, write, write_nginx

MIXES = 20
DATA = pathlib.Path(__file__).parent.parent / "data" / "captures"
NGINX_LOG = DATA / "nginx-shallow.access.json.gz"


def read(number: int, found: list[Network], folder: pathlib.Path) -> Capture:
    return fs.read_capture(write(found, number, folder / f"{number}.csv"), columns=columns(number))


def interval(way: PathEstimate) -> tuple[float, float]:
    """The ends of a rate's interval; zero and infinity where one is unknown."""
    return way.rate_low_bps or 0.0, way.rate_high_bps or float("inf")


def differences(found: list[Network], capture: Capture) -> list[float]:
    """How far the rates that count as known are from the truth."""
    ways = {group.network: group.to_remote for group in fitted(capture, Settings()).groups}
    return [
        abs((ways[one.name].rate_bps or 0) / one.rate_bps - 1)
        for one in found
        if not ways[one.name].rate_assumed
    ]


def test_slow_start_is_not_taken_for_a_slow_path(tmp_path: pathlib.Path) -> None:
    found = networks(1, count=2, rates_bps=(20e6, 20e6), rtts_s=(0.1, 0.2))
    ends = [interval(g.to_remote) for g in fitted(read(1, found, tmp_path), Settings()).groups]
    assert all(low <= 20e6 <= high and low > 10e6 for low, high in ends)


@pytest.mark.slow
def test_a_network_whose_transfers_say_little_of_its_rate_is_unknown(
    tmp_path: pathlib.Path,
) -> None:
    large = networks(2, count=1)
    small = networks(3, count=1, sizes=(8e3, 0.2), rates_bps=(50e6, 50e6), rtts_s=(0.1, 0.1))
    capture = read(2, large + small, tmp_path)
    known, unknown = (
        next(g.to_remote for g in fitted(capture, Settings()).groups if g.network == one.name)
        for one in large + small
    )
    assert not known.rate_assumed
    assert unknown.rate_assumed
    assert unknown.rate_low_bps
    assert unknown.rate_bps is not None
    assert unknown.rate_bps >= unknown.rate_low_bps
    assert unknown.rate_method.startswith("unknown, assumed the median of the other networks'")


@pytest.mark.slow
@pytest.mark.parametrize("number", [4, 5])
def test_what_durations_span_is_found_and_named(number: int, tmp_path: pathlib.Path) -> None:
    found = networks(number, count=2)
    notes = fitted(read(number, found, tmp_path), Settings()).notes
    ends = ("to the last acknowledgement", "until it has the last byte")[number % 2]
    assert notes[-1] == f"durations agree best with times from the client's SYN {ends}"


def test_a_log_is_calibrated_by_its_durations(tmp_path: pathlib.Path) -> None:
    found = networks(6, count=2)
    classes = calibrate(read(6, found, tmp_path)).classes
    assert classes[-1].transfers == sum(len(one.sizes) for one in found)
    assert classes[-1].median == pytest.approx(1, abs=0.01)


def test_a_log_without_round_trips_is_fitted_with_the_one_given(tmp_path: pathlib.Path) -> None:
    found = networks(7, count=1, rtts_s=(0.05, 0.05))
    file = write(found, 7, tmp_path / "log.csv")
    file.write_text(file.read_text().replace("rtt_us", "other"))
    (group,) = fitted(fs.read_capture(file, columns=columns(7)), Settings(rtt="50ms")).groups
    assert group.to_remote.rate_bps == pytest.approx(found[0].rate_bps, rel=0.1)


def test_a_replay_of_a_log_names_the_origin_of_rates_and_tries_both_ends_of_their_intervals(
    tmp_path: pathlib.Path,
) -> None:
    found = networks(8, count=1, rates_bps=(10e6, 10e6))
    larger = Variant.parse("iw30: startup=hystart iw=30")
    settings = Settings(startups=("hystart",), variants=(larger,), baseline="hystart")
    replayed = study(read(8, found, tmp_path), settings, Questions(repeats=0))
    said = overview.sources(replayed)
    assert said.startswith("Rates: fitted to the log's durations by simulation. Buffers: assumed.")
    assert {"lowest rates", "highest rates"} <= {band.name for band in replayed.bands}
    assert replayed.calibration
    assert replayed.calibration.classes
    low, high = replayed.paths[0].rate_range or (0, 0)
    assert low < found[0].rate_bps < (high or 0)


@pytest.mark.long
@pytest.mark.slow
def test_known_rates_are_within_a_tenth_and_intervals_contain_the_truth(
    tmp_path: pathlib.Path,
) -> None:
    off, within, total = [], 0, 0
    for number in range(1, MIXES + 1):
        found = networks(number)
        capture = fitted(read(number, found, tmp_path), Settings())
        off += differences(found, capture)
        ends = {group.network: interval(group.to_remote) for group in capture.groups}
        within += sum(ends[one.name][0] <= one.rate_bps <= ends[one.name][1] for one in found)
        total += len(found)
    assert sum(one <= 0.1 for one in off) >= 0.9 * len(off)
    assert len(off) >= 0.6 * total
    assert within >= 0.95 * total


@pytest.mark.slow
@pytest.mark.parametrize("initial_window", [10, 30])
def test_durations_that_end_in_the_send_buffer_bound_rates_from_below_only(
    initial_window: int, tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "access.csv"
    rates = write_nginx(file, initial_window, 12, initial_window)
    ways = {g.network: g.to_remote for g in fitted(fs.read_capture(file), Settings()).groups}
    assert all(ways[name].rate_assumed and ways[name].rate_high_bps is None for name in rates)
    shares = [(ways[name].rate_low_bps or 0.0) / rate for name, rate in rates.items()]
    assert max(shares) <= 1
    assert sorted(shares)[6] > 0.2


@pytest.mark.slow
def test_durations_that_end_elsewhere_than_their_option_names_give_no_rate(
    tmp_path: pathlib.Path,
) -> None:
    # A backend hides that they are shorter than a round trip, but not that they do not grow.
    write_nginx(tmp_path / "access.csv", 101, 4)
    rows = pl.read_csv(tmp_path / "access.csv")
    rows = rows.with_columns(request_time=pl.col("request_time") + 0.15)
    rows.write_csv(tmp_path / "later.csv")
    capture = fs.read_capture(tmp_path / "later.csv", columns="duration=request_time:s:acked")
    assert capture.about["durations"] == "acked"
    ways = [group.to_remote for group in fitted(capture, Settings()).groups]
    assert [(way.rate_low_bps, way.rate_assumed) for way in ways] == 4 * [(None, True)]


def test_the_log_of_a_real_nginx_gives_no_rate_and_true_bounds() -> None:
    # nginx 1.22 on Linux 6.18, to two networks over a line of 4 Mbit/s with 14 packets of buffer.
    capture = fs.read_capture(NGINX_LOG)
    for group in fitted(capture, Settings()).groups:
        way = group.to_remote
        assert way.rate_assumed
        assert 0.5e6 < (way.rate_low_bps or 0) < 4e6
        assert way.rate_high_bps is None
        assert way.rate_method.startswith("unknown, at least")
    assert calibrate(capture).left_out == {"their end was not seen": 686}


def test_a_duration_of_unknown_end_gives_no_rate(tmp_path: pathlib.Path) -> None:
    found = networks(9, count=1)
    (group,) = fitted(fs.read_capture(write(found, 9, tmp_path / "log.csv")), Settings()).groups
    assert group.to_remote.rate_assumed
    assert group.to_remote.rate_low_bps is None
    assert group.to_remote.rate_high_bps is None


def test_rates_are_unknown_where_the_durations_hold_a_backend(tmp_path: pathlib.Path) -> None:
    found = networks(10, count=1, rtts_s=(0.05, 0.05))
    file = write(found, 10, tmp_path / "log.csv")
    header, *lines = file.read_text().splitlines()
    later = [f"{row.rpartition(',')[0]},{float(row.rpartition(',')[2]) + 0.15}" for row in lines]
    file.write_text("\n".join([header, *later]))
    (group,) = fitted(fs.read_capture(file, columns=columns(10)), Settings()).groups
    assert group.to_remote.rate_assumed
    assert group.to_remote.rate_low_bps is None


def test_a_backend_that_is_logged_is_taken_from_the_durations(tmp_path: pathlib.Path) -> None:
    found = networks(10, count=1, rtts_s=(0.05, 0.05))
    file = write(found, 10, tmp_path / "log.csv")
    header, *lines = file.read_text().splitlines()
    later = [
        f"{row.rpartition(',')[0]},{float(row.rpartition(',')[2]) + 0.15},0.15" for row in lines
    ]
    file.write_text("\n".join([f"{header},wait", *later]))
    named = f"{columns(10)},backend=wait:s"
    (group,) = fitted(fs.read_capture(file, columns=named), Settings()).groups
    low, high = interval(group.to_remote)
    assert 0 < low <= found[0].rate_bps <= high


@pytest.mark.parametrize(
    ("duration", "least_mbps"), [("2", 8 * 1.671 / 3), ("2.001", 8 * 1.671 / 2)]
)
def test_bytes_that_the_send_buffer_cannot_hold_bound_the_rate(
    duration: str, least_mbps: float, tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "access.csv"
    header = "ts,client_ip,bytes,connection,duration"
    file.write_text(f"{header}\n1700000000.25,192.0.2.1,10000000,1,{duration}\n")
    (group,) = fs.read_capture(file, columns="duration=duration:s:written").groups
    assert group.to_remote.rate_low_bps == pytest.approx(1e6 * least_mbps, rel=0.02)
