"""The window at the end of startup as a separate choice, and what is measured after it."""

import pytest

import flowstart as fs
from flowstart.cli import main

SHALLOW = fs.NetworkPath(rate="50Mbps", rtt="40ms", buffer="25kB")
FACTORS = [f"{factor}: landing={factor}" for factor in ("0.7", "0.5", "0.4")]
MEASURES = {
    "exit_dropped_pkts",
    "later_dropped_pkts",
    "exit_recoveries",
    "exit_to_90_s",
    "exit_queue_pkts",
    "mean_acked_s",
}


def compared(stack: str, available_rate: str | None = None) -> fs.Comparison:
    return fs.compare(
        SHALLOW,
        variants=FACTORS,
        cc="cubic",
        stack=stack,
        sizes=["10MiB"],
        uncertainty=False,
        available_rate=available_rate,
    )


@pytest.mark.parametrize(
    ("stack", "fastest", "recoveries"),
    [
        ("quic", "0.7", [2, 2, 1]),
        ("quic:pacing=rfc9002,pacing_gain=2,ack_every=10", "0.4", [2, 2, 1]),
        ("quic:pacing=rfc9002,pacing_gain=1.25,ack_every=10", "0.5", [3, 2, 2]),
    ],
)
def test_the_pacer_decides_which_factor_is_fastest_in_neqos_queue(
    stack: str, fastest: str, recoveries: list[int]
) -> None:
    """The numbers of docs/landing.md."""
    frame = compared(stack).frame
    assert frame.sort("fct_s")["variant"][0] == fastest
    assert frame["fast_retransmits"].to_list() == recoveries


def test_what_follows_the_exit_is_measured_with_an_available_rate_only() -> None:
    found = compared("quic", available_rate="50Mbps")
    assert set(found.frame.columns) >= MEASURES
    assert found.landing_table is not None
    assert len(found.landing_table.rows) == len(FACTORS)
    usual = compared("quic")
    assert not MEASURES & set(usual.frame.columns)
    assert usual.landing_table is None


def test_the_command_of_a_comparison_has_its_landing() -> None:
    found = fs.compare(SHALLOW, startups=["slow-start"], landing="delivered", sizes=["1MB"])
    assert found.command is not None
    assert "--landing delivered" in found.command
    assert found.plan.entries()[0]["landing"] == "delivered"


def test_a_variant_is_written_as_it_is_read() -> None:
    text = "half: startup=hystart landing=half-then-recovery"
    assert fs.Variant.parse(text).written == text


def test_a_sweep_has_landings_as_a_dimension() -> None:
    sweep = fs.Sweep.of(
        {
            "startups": ["slow-start"],
            "path": {"rate": "10Mbps", "rtt": "40ms"},
            "flow": {"size": "1MB", "landing": ["0.5", "bdp"]},
        }
    )
    assert [cell.flow["landing"] for cell in sweep.cells()] == ["0.5", "bdp"]


@pytest.mark.parametrize("value", ["1.5", "0", "half", "2bdp"])
def test_a_wrong_value_is_refused_in_a_line(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["compare", "--rate", "5Mbps", "--rtt", "64ms", "--landing", value]
    assert main(line) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"flowstart: --landing: `{value}` is not `startup`, ")
    assert error.count("\n") == 1


def test_how_often_the_order_of_neqo_comes_about_in_its_queue() -> None:
    """Over segment sizes and frequencies of ACKs, as docs/landing.md counts them."""
    fastest, third_losses = [], 0
    for mss in (1222, 1250, 1337, 1400, 1420, 1460):
        for every in (2, 5, 10, 20):
            stack = f"quic:pacing=rfc9002,pacing_gain=2,mss={mss}B,ack_every={every}"
            frame = compared(stack).frame
            fastest.append(frame.sort("fct_s")["variant"][0])
            third_losses += frame["fast_retransmits"][0] == 3
    assert (fastest.count("0.4"), fastest.count("0.5"), third_losses) == (20, 4, 11)
