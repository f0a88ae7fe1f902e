"""Samples of captures, and captures without addresses."""

import json
import pathlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import polars as pl
import pytest

import flowstart as fs

Cli = Callable[..., Any]
CAPTURES = pathlib.Path(__file__).parent.parent / "data" / "captures"
WEB_MIX = CAPTURES / "web-mix.pcap.gz"
SMALL = CAPTURES / "small.pcap"


def ends(found: fs.Capture) -> set[tuple[Any, ...]]:
    return set(found.connections.select("client_ip", "client_port", "start").iter_rows())


def test_a_share_of_connections_is_drawn_with_all_their_transfers() -> None:
    whole, some = fs.read_capture(WEB_MIX), fs.read_capture(WEB_MIX, sample="30%")
    assert ends(some) < ends(whole)
    assert 0.2 < len(some.connections) / len(whole.connections) < 0.4
    assert some.connections["stream"].to_list() == list(range(len(some.connections)))
    sums = some.transfers.group_by("connection").agg(pl.col("bytes").sum())
    of = some.connections.select(
        pl.col("stream").alias("connection"), total=pl.col("c2s_bytes") + pl.col("s2c_bytes")
    )
    both = sums.join(of, on="connection")
    assert both["bytes"].to_list() == both["total"].to_list()


def test_paths_are_told_by_all_connections_whatever_the_sample() -> None:
    assert fs.read_capture(WEB_MIX, sample="10").groups == fs.read_capture(WEB_MIX).groups


def test_a_smaller_sample_is_part_of_a_larger_one_and_another_seed_draws_another() -> None:
    ten, twenty = (ends(fs.read_capture(WEB_MIX, sample=count)) for count in ("10", "20"))
    assert len(ten) == 10
    assert ten < twenty
    assert ends(fs.read_capture(WEB_MIX, sample="10")) == ten
    assert ends(fs.read_capture(WEB_MIX, sample="10", seed=2)) != ten


def test_the_headline_says_that_it_is_a_sample(cli: Cli) -> None:
    answer = cli("capture", SMALL, "--sample", "5", "--details")
    assert "833 packets, a sample of 11 connections: 5 TCP connections" in answer.out
    document = json.loads(cli("capture", SMALL, "--sample", "5", "--json").out)
    assert document["sampled_from"] == 11
    assert len(document["connections"]) == 5


def test_a_replay_s_command_draws_the_same_sample(cli: Cli) -> None:
    words = ("--sample", "2", "--anonymize", "--startup", "slow-start")
    answer = cli("replay", SMALL, *words, "--details")
    assert answer.status == 0, answer.err
    assert "replay small.pcap --anonymize" in answer.out
    assert "--sample 2" in answer.out


@pytest.mark.parametrize("wrong", ["0%", "101%", "half", "-3", "0", "٣", "٣%", "1" * 21])
def test_what_is_no_sample_is_refused(cli: Cli, wrong: str) -> None:
    answer = cli("capture", SMALL, f"--sample={wrong}")
    assert answer.status == 2
    assert f"--sample `{wrong}`: a share of the connections is needed, such as 10%" in answer.err


def addresses(found: fs.Capture) -> set[str]:
    """Every address and network of a capture."""
    columns = ("client_ip", "server_ip", "network")
    seen = {text for name in columns for text in found.connections[name]}
    return seen | {text.removesuffix(".0/24").removesuffix("::/48") for text in seen}


def telling(text: str, found: fs.Capture) -> list[str]:
    """The addresses that a text tells."""
    return [
        address
        for address in addresses(found)
        if re.search(rf"(?<![\d.a-f:]){re.escape(address)}(?![\da-f])", text)
    ]


def texts(folder: pathlib.Path) -> Iterator[str]:
    """All that is in the files of a folder; of Parquet as CSV."""
    for file in folder.iterdir():
        if file.suffix == ".parquet":
            yield pl.read_parquet(file).write_csv()
        elif file.suffix != ".png":
            yield file.read_text()
        yield file.name


@pytest.fixture
def named_by_an_address(tmp_path: pathlib.Path) -> pathlib.Path:
    file = tmp_path / "10.9.1.2" / "10.9.1.2.pcap"
    file.parent.mkdir()
    file.write_bytes(SMALL.read_bytes())
    return file


REPLAY = ("--startup", "slow-start,jump-start", "--anonymize", "--details")


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [("capture", "{}", "--anonymize", "--full-json"), ("replay", "{}", *REPLAY)],
    ids=["capture", "compare"],
)
@pytest.mark.parametrize("json_too", [False, True], ids=["tables", "json"])
def test_nothing_that_is_written_tells_an_address(
    cli: Cli,
    named_by_an_address: pathlib.Path,
    tmp_path: pathlib.Path,
    words: tuple[str, ...],
    json_too: bool,
) -> None:
    found = fs.read_capture(SMALL)
    out = tmp_path / "out"
    given = [word.format(named_by_an_address) for word in words]
    answer = cli(*given, *(["--json"] if json_too else []), "-o", out)
    assert answer.status == 0, answer.err
    assert telling(answer.out + answer.err, found) == []
    assert "network 1" in answer.out
    for text in texts(out):
        assert telling(text, found) == []


def test_an_error_tells_no_address_either(cli: Cli, tmp_path: pathlib.Path) -> None:
    missing = tmp_path / "192.0.2.77.pcap"
    for words in (("capture", missing), ("replay", missing)):
        answer = cli(*words, "--anonymize")
        assert answer.status == 2
        assert "192.0.2.77" not in answer.err
        assert "cannot open file 1" in answer.err


def test_networks_are_named_in_the_order_of_their_first_connections() -> None:
    found = fs.read_capture(WEB_MIX, anonymize=True)
    seen = dict.fromkeys(found.connections["network"])
    assert list(seen) == [f"network {n}" for n in range(1, len(seen) + 1)]
    assert {group.network for group in found.groups} == set(seen)
    assert set(found.connections["server_ip"]) == {"host 2", "host 6"}
    assert not {"client_port", "server_port"} & set(found.connections.columns)
