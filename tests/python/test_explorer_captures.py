"""The explorer's captures: what commands print of them, transfers, and jobs that are ended."""

import asyncio
import json
import pathlib
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from flowstart.errors import RequestError, SimulationError
from flowstart.explorer import jobs
from flowstart.explorer.captures import replayed
from flowstart.explorer.captures.uploads import MOST_FILES, File, Uploads
from flowstart.explorer.jobs import BackgroundJob, Ended, Jobs
from flowstart.replays.result import Replay

CAPTURE = pathlib.Path(__file__).parents[1] / "data" / "captures" / "web-mix.pcap.gz"
STARTUPS = ["slow-start", "hystart-plus-plus"]
GIVEN = {"uncertainty": False}
Cli = Callable[..., Any]


@pytest.fixture(scope="module")
def job() -> BackgroundJob:
    """A quick replay of the capture."""
    found = BackgroundJob("one")
    replayed.work(found, CAPTURE, "mine.pcap", GIVEN, startups=STARTUPS)
    return found


@pytest.fixture
def replay(job: BackgroundJob) -> Replay:
    assert isinstance(job.kept, Replay)
    return job.kept


def test_recommendations_and_intervals_are_those_of_replay(job: BackgroundJob, cli: Cli) -> None:
    command = ("replay", CAPTURE, "--no-uncertainty", "--json")
    printed = json.loads(cli(*command, "--startup", ",".join(STARTUPS)).out)
    found = json.loads(json.dumps(job.found, allow_nan=False))["replay"]
    assert found["intervals"] == printed["intervals"]
    assert found["decision"] == printed["verdict"]
    by_name = {one["name"]: one for one in printed["paths"]}
    assert {one["name"] for one in found["networks"]} == set(by_name)
    for one in found["networks"]:
        assert one["path"]["rate"] == by_name[one["name"]]["rate"]
        assert one["transfers"] == by_name[one["name"]]["transfers"]


def test_people_see_the_name_that_the_file_has_for_them(job: BackgroundJob) -> None:
    assert job.found["contents"]["headline"].startswith("mine.pcap")
    assert job.found["replay"]["command"].startswith("flowstart replay mine.pcap")
    assert str(CAPTURE) not in json.dumps(job.found)


def test_a_buffer_that_is_assumed_has_a_band_and_one_that_was_measured_has_none(
    job: BackgroundJob,
) -> None:
    networks = job.found["replay"]["networks"]
    assumed = next(one for one in networks if "buffer" in one["assumed"])
    known = next(one for one in networks if "buffer" not in one["assumed"])
    buffers = {band["name"]: int(band["buffer"][:-3]) for band in assumed["bands"]}
    assert buffers["buffers × 4"] > int(assumed["path"]["buffer"][:-3])
    assert {band["buffer"] for band in known["bands"]} == {known["path"]["buffer"]}


def test_transfers_are_listed_by_class_and_network(replay: Replay) -> None:
    everything = replayed.transfers(replay)
    assert everything["total"] == replay.facts.height
    assert len(everything["transfers"]) == replayed.MOST_TRANSFERS
    rest = replayed.transfers(replay, first=everything["total"] - 1)
    assert len(rest["transfers"]) == 1
    network = replay.paths[0].name
    some = replayed.transfers(replay, "10 to 100 kB", network)
    assert 0 < some["total"] < everything["total"]
    assert all(one["network"] == network for one in some["transfers"])
    assert all(10_000 <= one["size_bytes"] < 100_000 for one in some["transfers"])
    with pytest.raises(RequestError, match="class: `huge` is none"):
        replayed.transfers(replay, "huge")
    with pytest.raises(RequestError, match="network: `moon` is not"):
        replayed.transfers(replay, network="moon")


def test_a_transfer_opens_the_path_of_its_network_as_its_data_crossed_it(replay: Replay) -> None:
    one = replayed.transfers(replay)["transfers"][0]
    found = replayed.transfer(replay, one["transfer"])
    path = next(path for path in replay.paths if path.name == one["network"])
    # The capture was taken beside the server, so data goes towards the remote network.
    assert found["given"]["rate"] == path.path["rate"]
    assert found["given"]["reverse-rate"] == path.path["reverse_rate"]
    assert found["given"]["size"] == f"{one['size_bytes']}B"
    assert found["given"]["startup"] == STARTUPS
    assert found["together_s"] == one["fct_s"]
    with pytest.raises(RequestError, match="transfer: `-1` is not under test"):
        replayed.transfer(replay, -1)


def test_the_path_of_data_from_the_remote_side_is_turned_round(replay: Replay) -> None:
    path = replay.paths[0]
    turned = replayed._as_sent(path, towards=False)
    assert turned["rate"] == path.path["reverse_rate"]
    assert turned["reverse_buffer"] == path.path["buffer"]


@pytest.mark.parametrize(
    "content", [b"", b"nonsense", b"\x00" * 4096, b'{"a": 1}\n', b"a,b\n1,2\n", b"\xd4\xc3\xb2\xa1"]
)
def test_a_file_that_is_no_capture_is_refused_by_its_name_in_one_sentence(
    content: bytes, tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "upload"
    file.write_bytes(content)
    with pytest.raises(RequestError, match=r"^[^\n]+$") as error:
        replayed.work(BackgroundJob("x"), file, "mine.pcap", GIVEN, startups=STARTUPS)
    assert "mine.pcap" in str(error.value)
    assert str(tmp_path) not in str(error.value)


# Jobs.


def waited(job: BackgroundJob) -> BackgroundJob:
    for _ in range(1000):
        if job.state != "running":
            return job
        threading.Event().wait(0.01)
    raise AssertionError("the job did not end")


def test_a_cancelled_replay_ends_without_an_answer() -> None:
    running = Jobs()

    def work(job: BackgroundJob) -> None:
        replayed.work(job, CAPTURE, "mine.pcap", {}, startups=None)

    job = running.start(work)
    running[job.id].cancel()
    assert waited(job).state == "cancelled"
    assert "replay" not in job.found


def test_a_job_that_fails_says_so_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    def refuses(_job: BackgroundJob) -> None:
        raise RequestError("`x`: a rate is needed", ("path", "rate"))

    def breaks(_job: BackgroundJob) -> None:
        raise KeyError("a\nb")

    running = Jobs()
    assert waited(running.start(refuses)).error == "--rate: `x`: a rate is needed"
    error = waited(running.start(breaks)).error
    assert error is not None
    assert error.startswith("an error in flowstart: KeyError")
    assert "\n" not in error
    assert "Traceback" in capsys.readouterr().err


def test_a_job_ends_also_where_a_library_panics(capsys: pytest.CaptureFixture[str]) -> None:
    class PanicException(BaseException):
        pass

    def panics(_job: BackgroundJob) -> None:
        raise PanicException("assertion failed")

    found = waited(Jobs().start(panics)).document()
    assert found["state"] == "failed"
    assert found["error"] == "an error in flowstart: PanicException: assertion failed"
    assert "Traceback" in capsys.readouterr().err


def test_only_some_jobs_run_at_once_and_only_some_that_ended_are_kept() -> None:
    running = Jobs()
    free = threading.Event()

    def waits(_job: BackgroundJob) -> None:
        free.wait(10)

    held = [running.start(waits) for _ in range(2)]
    with pytest.raises(RequestError, match="2 jobs are running"):
        running.start(lambda _job: None)
    free.set()
    for job in held:
        waited(job)
    for _ in range(jobs.MOST_KEPT + 1):
        waited(running.start(lambda _job: None))
    with pytest.raises(RequestError, match="there is no job"):
        running[held[0].id]


def test_a_job_that_is_cancelled_ends_where_it_reports() -> None:
    job = BackgroundJob("one")
    job.cancel()
    with pytest.raises(Ended):
        job.report(1, 2)


def test_what_a_simulation_says_is_passed_on() -> None:
    def fails(_job: BackgroundJob) -> None:
        raise SimulationError("all runs failed")

    found: dict[str, Any] = waited(Jobs().start(fails)).document()
    assert (found["state"], found["error"]) == ("failed", "all runs failed")


# Files that are dropped.


def test_a_file_stays_while_a_job_reads_it_and_is_removed_afterwards() -> None:
    dropped = Uploads()

    async def drop(name: str) -> File:
        async def pieces() -> AsyncIterator[bytes]:
            yield b"bytes"

        return await dropped.take(name, pieces())

    held = asyncio.run(drop("first.pcap"))
    place = held.place
    for number in range(MOST_FILES):
        asyncio.run(drop(f"{number}.pcap"))
    assert len(dropped.files) == MOST_FILES
    with pytest.raises(RequestError, match="there is no capture"):
        dropped[held.id]
    assert place.read_bytes() == b"bytes"
    del held
    assert not place.exists()
