"""The testbeds of two papers: scales, set-ups, files and figures."""

import pathlib
from typing import Any

import pytest

import flowstart as fs
import http_testbed
import hystart_testbed
import testbed_parts
from flowstart_papers.slow_start_high_speed import http
from flowstart_papers.slow_start_high_speed.setups import Path
from hystart_testbed import BUFFER, RTT
from testbed_parts import Scale


def test_a_scale_keeps_proportions_to_the_bdp() -> None:
    scale = Scale(1000, 180, 100, 45)
    assert (scale.bdp, scale.share) == (375, 0.025)
    assert (scale.packets(1000), scale.packets(100), scale.packets(1, least=2)) == (25, 3, 2)
    assert str(scale).startswith("100 Mbit/s × 45 ms, BDP 375 packets: 0.025 of the paper's")


def test_the_buffers_are_those_of_the_paper_on_a_path_that_needs_no_scale() -> None:
    points = [point for point in hystart_testbed.points(100) if point.sweep == BUFFER]
    assert [point.scale.share for point in points] == [1.0] * 5
    assert [point.path.buffer for point in points] == [
        "88pkt",
        "220pkt",
        "441pkt",
        "883pkt",
        "1766pkt",
    ]
    assert points[0].startups[-1] == "limited-slow-start:max_ssthresh=100"


def test_a_rate_below_the_papers_shrinks_buffer_and_limit_alike() -> None:
    point = next(p for p in hystart_testbed.points(50) if p.sweep == RTT and p.x == 160)
    assert (point.scale.share, point.limit, point.path.buffer) == (0.125, 13, "666pkt")
    assert (point.path.rate, point.path.rtt) == ("50Mbps", "160ms")


def pair(seed: int, exit_pkts: float | None) -> dict[str, Any]:
    sides = {
        "startup_exit_reason": "ack-train",
        "startup_exit_cwnd_segments": 883.0,
        "packets_dropped": 7,
        "fct_s": 2.0,
    }
    live = sides | {"startup_exit_cwnd_segments": exit_pkts}
    return {
        **{f"simulated_{name}": value for name, value in sides.items()},
        **{f"live_{name}": value for name, value in live.items()},
        "seed": seed,
    }


def row(sweep: str = BUFFER) -> dict[str, Any]:
    point = next(point for point in hystart_testbed.points(100) if point.sweep == sweep)
    return hystart_testbed.row(point, "kernel-cubic", [pair(1, 441.5), pair(2, None)], 1)


def test_a_row_has_the_median_of_the_runs_and_their_ends() -> None:
    found = row()
    assert found["scheme"] == "CUBIC + HyStart (kernel)"
    assert found["simulated_exit_bdp"] == pytest.approx(1.0, abs=0.001)
    assert found["live_exit_bdp"] == pytest.approx(0.5, abs=0.001)
    assert (found["live_fct_s_least"], found["live_fct_s_most"]) == (2.0, 2.0)


def test_the_figures_are_drawn_and_the_tables_written(tmp_path: pathlib.Path) -> None:
    rows = [row(BUFFER), row(RTT)]
    testbed_parts.write(rows, tmp_path, "hystart", {"repeat": 2})
    assert (tmp_path / "hystart.csv").read_text().count("\n") == 3
    testbed_parts.draw(hystart_testbed.drawn(rows), tmp_path, "hystart")
    assert "window where slow start ends" in (tmp_path / "hystart.svg").read_text()


@pytest.mark.parametrize("path", http.PATHS)
@pytest.mark.parametrize("way", http.WAYS)
def test_every_scheme_of_the_slides_is_a_scenario_with_their_sessions(path: Path, way: str) -> None:
    setting = http_testbed.Setting.of(path, 10)
    for scheme in http_testbed.SCHEMES:
        scenario = setting.scenario(scheme, *http.WAYS[way])
        scenario["web"][0]["size"] = 20
        found = fs.run({**scenario, "stack": {"preset": "linux"}})
        assert len(found.objects) == http.OBJECTS
        assert found.objects["complete"].all()


def test_the_https_load_says_how_it_is_scaled() -> None:
    said = str(http_testbed.Setting.of(http.PATHS[1], 100))
    assert said.startswith("10G-1G: 100 Mbit/s × 45 ms, BDP 375 packets: 0.025 of the paper's")
    assert "interface 1 Gbps with 25 packets, objects of 17123 packets, max_ssthresh 3" in said


def test_a_mean_needs_all_objects() -> None:
    requests: list[dict[str, Any]] = [
        {"fct_s": 1.0, "asked_s": 0.0, "packets_retransmitted": 3},
        {"fct_s": 3.0, "asked_s": 1.0, "packets_retransmitted": None},
    ]
    found = http_testbed.measured(requests)
    assert found == {"mean_s": 2.0, "longest_s": 3.0, "all_s": 4.0, "retransmitted": 3}
    found = http_testbed.measured([*requests, {**requests[0], "fct_s": None}])
    assert (found["mean_s"], found["all_s"]) == (None, None)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--mbps", "900"], "argument --mbps: `900`: 1 to 200 Mbit/s, which the emulator holds\n"),
        (["--repeat", "0"], "argument --repeat: `0`: a whole number from 1 is needed\n"),
    ],
)
def test_what_is_wrong_is_one_line_and_status_2(
    words: list[str], message: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        testbed_parts.parser("about", 100).parse_args(["-o", str(tmp_path), *words])
    assert (ended.value.code, capsys.readouterr().err) == (2, message)
