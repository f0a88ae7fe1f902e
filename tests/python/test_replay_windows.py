"""Receivers' windows that limit a recording, and the setting with larger ones."""

import functools
import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs
from flowstart.comparison import larger_window
from flowstart.replays.result import Replay

Cli = Callable[..., Any]
COUNT = 80
PATH = {"rate": "100Mbps", "rtt": "60ms", "buffer": "600pkt"}
KNOWN = ["*:rate=100Mbps,buffer=600pkt"]


@functools.cache
def recording(folder: pathlib.Path, window: str) -> pathlib.Path:
    """Captures of a server whose clients have this window."""
    flow = {"size": "600kB", "count": COUNT, "stagger": "3s", "opener": "receiver"}
    stack = {"preset": "linux", "window": window}
    run = fs.run({"path": PATH, "stack": stack, "flows": [flow]}, packets=range(COUNT))
    for number in range(COUNT):
        (folder / f"{number}.pcap").write_bytes(run.pcap(number))
    return folder


def replayed(folder: pathlib.Path, *, startups: list[str], uncertainty: bool = False) -> Replay:
    return fs.replay(
        folder, networks=KNOWN, startups=startups, stack="linux", uncertainty=uncertainty
    )


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return recording(tmp_path_factory.mktemp("narrow"), "65536B")


def test_a_larger_window_is_the_recommendation_where_it_is_the_limit(narrow: pathlib.Path) -> None:
    found = replayed(narrow, startups=["jump-start"], uncertainty=True)
    summary = found.summary("")
    first, second = summary.answer[-2:]
    assert first.startswith("The receivers' windows limit current for ")
    assert second.startswith(f"Recommendation: {larger_window.NAME}. It is ")
    assert "within every limit" in second


def test_recorded_windows_are_four_times_as_large(narrow: pathlib.Path) -> None:
    found = replayed(narrow, startups=["jump-start"])
    assert found.settings.names == ("current", "jump-start", larger_window.NAME)
    assert found.settings.larger
    documents = {
        name: document["flows"][0]["stack"]["window"] for name, document in found.resolved.items()
    }
    offered = {name: int(window.removesuffix("B")) for name, window in documents.items()}
    assert offered[larger_window.NAME] == 4 * offered["current"]


def test_rows_have_shares_that_add_up_to_one(narrow: pathlib.Path) -> None:
    frame = replayed(narrow, startups=["slow-start"]).frame
    shares = [name for name in frame.columns if name.endswith("_share")]
    assert len(shares) == 9
    assert frame.select(shares).sum_horizontal().round(9).unique().to_list() == [1.0]
    current = frame.filter((frame["variant"] == "current") & (frame["mode"] == "together"))
    assert set(current["limited_by"]) == {"receive-window"}


def test_windows_that_do_not_limit_are_left_as_they_are(tmp_path: pathlib.Path) -> None:
    found = replayed(recording(tmp_path, "2097152B"), startups=["slow-start"])
    assert larger_window.NAME not in found.settings.names
    assert "receivers' windows" not in " ".join(found.summary("").answer)


def test_a_receiver_of_quic_has_the_command_for_its_window(narrow: pathlib.Path) -> None:
    stack = "quinn:window=30kB"
    found = fs.replay(
        narrow,
        networks=KNOWN,
        startups=["slow-start"],
        stack=stack,
        ignore=["handshake"],
        uncertainty=False,
    )
    larger = found.settings.larger
    assert larger and larger.fields["window"] == "120000B"
    (command,) = found.settings.commands(larger)
    assert "stream_receive_window(120000)" in command.set[0]


def test_a_given_window_replaces_the_recorded_ones(narrow: pathlib.Path) -> None:
    small = "own: startup=slow-start window=20kB"
    found = fs.replay(narrow, networks=KNOWN, variants=[small], uncertainty=False)
    windows = {n: d["flows"][0]["stack"]["window"] for n, d in found.resolved.items()}
    assert windows["own"] == "20kB"
    assert windows["current"] != "20kB"


def test_the_option_is_the_window_of_all_settings(cli: Cli, narrow: pathlib.Path) -> None:
    words = ("replay", narrow, "--network", KNOWN[0], "--startup", "slow-start", "--json")
    found = json.loads(cli(*words, "--no-uncertainty", "--window", "20kB").out)
    assert "--stack linux:window=20kB" in found["command"]
    shares = {one["variant"]: one["window_share"] for one in found["classes"]}
    assert shares["slow-start"] == shares["current"] > shares[larger_window.NAME]
