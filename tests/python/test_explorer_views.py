"""The addresses of the explorer's views: what they answer, and what they refuse in a sentence."""

import gc
import pathlib
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import flowstart as fs
from explorer_server import Explorer, Reply, explorer
from flowstart.cli import explore
from flowstart.explorer.captures import uploads

CAPTURE = pathlib.Path(__file__).parents[1] / "data" / "captures" / "small.pcap"
STATE = {"rate": "20Mbps", "rtt": "50ms", "size": "50kB", "startup": ["slow-start", "hystart"]}
ADDRESSES = (
    "/api/map",
    "/api/maps/read",
    "/api/maps/tile",
    "/api/maps/cell",
    "/api/captures/replay",
    "/api/captures/transfers",
    "/api/captures/transfer",
    "/api/papers/run",
    "/api/jobs/look",
    "/api/jobs/cancel",
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explorer]:
    """An explorer with a sweep and a capture."""
    folder = tmp_path_factory.mktemp("views") / "sweep"
    path = {"rate": ["3Mbps", "30Mbps"], "rtt": "40ms"}
    startups = STATE["startup"]
    fs.sweep({"startups": startups, "path": path, "flow": {"size": "50kB"}}, folder)
    with explorer(explore.settings({}, (folder,), 1, (CAPTURE,))) as running:
        yield running


@pytest.fixture
def ask(client: Explorer) -> Callable[..., Any]:
    def post(path: str, **body: Any) -> Any:
        answer = client.post(path, body)
        assert answer.status == 200, answer.content
        return answer.document

    return post


def upload(client: Explorer, name: str, content: bytes) -> Reply:
    return client.ask(f"/api/captures/upload?name={name}", content)


def ended(ask: Callable[..., Any], job: str) -> dict[str, Any]:
    """The job when it is no longer running."""
    for _ in range(3000):
        found: dict[str, Any] = ask("/api/jobs/look", job=job)
        if found["state"] != "running":
            return found
        time.sleep(0.02)
    raise AssertionError("the job did not end")


def test_levels_of_the_map_are_answered(ask: Callable[..., Any]) -> None:
    first = ask("/api/map", given=STATE, level=0)
    second = ask("/api/map", given=STATE, level=1, rates=["1Mbps", "1Gbps"])
    assert (len(first["cells"]), len(second["cells"])) == (12, 23)
    assert first["startups"] == STATE["startup"]


def test_a_folders_map_is_read_and_its_cells_open(ask: Callable[..., Any]) -> None:
    found = ask("/api/maps/read", map=0)
    tile = found["panels"][0]["tiles"][1]
    cells = ask("/api/maps/tile", map=0, column=0, row=0, x=tile["x"], y=tile["y"])["cells"]
    opened = ask("/api/maps/cell", map=0, cell=cells[0]["cell"])
    assert opened["given"]["rate"] == "30Mbps"
    # What opens a cell is a state that the explorer takes.
    assert ask("/api/map", given=opened["given"], level=0)["size"] == "50kB"


def test_a_file_is_dropped_replayed_and_asked_about(
    client: Explorer, ask: Callable[..., Any]
) -> None:
    file = upload(client, "mine.pcap", CAPTURE.read_bytes()).document
    names = [one["name"] for one in client.ask("/api/captures").document["files"]]
    assert names == [str(CAPTURE), "mine.pcap"]
    given = {"startup": STATE["startup"]}
    job = ask("/api/captures/replay", file=file["id"], given=given, quick=True)["job"]
    found = ended(ask, job)
    assert found["error"] is None
    assert found["found"]["replay"]["headline"].startswith("mine.pcap")
    assert ask("/api/jobs/look", job=job, seen=found["version"])["found"] is None
    some = ask("/api/captures/transfers", job=job)["transfers"]
    opened = ask("/api/captures/transfer", job=job, transfer=some[0]["transfer"])
    assert opened["given"]["size"] == f"{some[0]['size_bytes']}B"
    # What opens a transfer is a state that the explorer takes.
    assert ask("/api/map", given=opened["given"], level=0)["cells"]


@pytest.mark.parametrize("descriptors", [uploads.DESCRIPTORS, pathlib.Path("/nowhere")])
def test_dropped_files_are_gone_when_their_server_is(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, descriptors: pathlib.Path
) -> None:
    """Also where files have to have names, as on macOS."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(uploads, "DESCRIPTORS", descriptors)
    with explorer(explore.settings({}, (), 1)) as own:
        assert upload(own, "a.csv.gz", b"x").status == 200
        assert len(list(tmp_path.iterdir())) == (not descriptors.is_dir())
    del own
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_a_dropped_file_that_is_too_large_leaves_nothing_behind(
    client: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flowstart.explorer.captures.routes.MOST_BYTES", 1000)
    before = client.ask("/api/captures").document["files"]
    answer = upload(client, "large.pcap", b"x" * 2000)
    assert answer.status == 413
    assert "at most 1000 are read" in answer.error
    assert client.ask("/api/captures").document["files"] == before


def test_a_file_that_is_no_capture_fails_in_one_sentence(
    client: Explorer, ask: Callable[..., Any]
) -> None:
    file = upload(client, "song.mp3", b"ID3 la la").document
    found = ended(ask, ask("/api/captures/replay", file=file["id"])["job"])
    assert found["state"] == "failed"
    assert found["error"].startswith("song.mp3 is not a capture")


def test_a_paper_is_run_and_a_job_can_be_cancelled(
    client: Explorer, ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flowstart_papers.explorer.figures.kept", lambda: None)
    assert len(client.ask("/api/papers").document["papers"]) == 5
    found = ended(ask, ask("/api/papers/run", id="JS-F1")["job"])
    assert found["found"]["figure"]["targets"]["rows"]
    job = ask("/api/papers/run", id="QS-SENS")["job"]
    ask("/api/jobs/cancel", job=job)
    assert ended(ask, job)["state"] == "cancelled"


def declared(name: str) -> set[str]:
    """The fields that the page's script knows of an answer; not those that may be missing."""
    types = (pathlib.Path(__file__).parents[2] / "web/src/answers.ts").read_text()
    found = re.search(
        rf"interface {name}(?:<\w+>)?(?: extends (\w+))? {{\n(.*?)^}}", types, re.M | re.S
    )
    assert found, name
    own = set(re.findall(r"^  (\w+):", found[2], re.M))
    return own | (declared(found[1]) if found[1] else set())


def test_what_the_page_reads_is_what_is_answered(client: Explorer, ask: Callable[..., Any]) -> None:
    level = ask("/api/map", given=STATE, level=0)
    folder = ask("/api/maps/read", map=0)
    panel = folder["panels"][0]
    place = {"column": 0, "row": 0, "x": panel["tiles"][0]["x"], "y": panel["tiles"][0]["y"]}
    tile = ask("/api/maps/tile", map=0, **place)
    given = {"startup": STATE["startup"]}
    job = ask("/api/captures/replay", file="0", given=given, quick=True)["job"]
    done = ended(ask, job)
    replay = done["found"]["replay"]
    listed = ask("/api/captures/transfers", job=job)
    number = listed["transfers"][0]["transfer"]
    paper = client.ask("/api/papers").document["papers"][0]
    figure = ended(ask, ask("/api/papers/run", id="JS-F1")["job"])["found"]["figure"]
    answers = {
        "MapLevel": level,
        "MapCell": level["cells"][0],
        "Scale": level["x"],
        "FolderMap": folder,
        "FolderAxis": folder["x"],
        "FolderPanel": panel,
        "FolderTile": panel["tiles"][0],
        "TileCells": tile,
        "OpenedCell": ask("/api/maps/cell", map=0, cell=tile["cells"][0]["cell"]),
        "Job": done,
        "CaptureFile": client.ask("/api/captures").document["files"][0],
        "CaptureContents": done["found"]["contents"],
        "CaptureReplay": replay,
        "Interval": replay["intervals"][0],
        "Network": replay["networks"][0],
        "Transfers": listed,
        "TransferRow": listed["transfers"][0],
        "OpenedTransfer": ask("/api/captures/transfer", job=job, transfer=number),
        "Paper": paper,
        "Figure": paper["figures"][0],
        "Published": paper["figures"][0]["published"][0],
        "Measured": figure,
        "Setup": figure["setups"][0],
    }
    for name, answer in answers.items():
        assert declared(name) - set(answer) == set(), name


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("/api/map", {}, "given: missing"),
        ("/api/map", {"given": STATE, "level": 7}, "level: `7`"),
        ("/api/map", {"given": STATE, "rates": ["fast"]}, "rates: "),
        ("/api/map", {"given": STATE | {"rate": "x"}}, "--rate: `x`"),
        ("/api/map", {"given": STATE | {"buffer": "x"}}, "--buffer: `x`"),
        ("/api/map", {"given": STATE | {"startup": ["x.py:Y"]}}, "is Python code"),
        ("/api/maps/read", {"map": 3}, "there is no folder 3"),
        ("/api/maps/read", {"by": ["rate"]}, "two axes are needed"),
        ("/api/maps/tile", {"column": 0, "row": 0, "x": 99, "y": 0}, "has no cells"),
        ("/api/maps/cell", {"cell": -1}, "cell: `-1`"),
        ("/api/captures/replay", {"file": "../etc"}, "there is no capture"),
        ("/api/captures/replay", {"file": "0", "given": {"flows": "2"}}, "has no use for it"),
        ("/api/captures/replay", {"file": "0", "direction": 3}, "direction: `3`"),
        ("/api/captures/transfers", {"job": "x"}, "there is no job"),
        ("/api/papers/run", {"id": "nothing"}, "is not an experiment"),
        ("/api/jobs/look", {}, "job: missing"),
    ],
)
def test_nonsense_is_refused_by_field_and_value(
    client: Explorer, path: str, body: dict[str, Any], says: str
) -> None:
    answer = client.post(path, body)
    assert 400 <= answer.status < 500
    assert says in answer.error
    assert "\n" not in answer.error


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["given", "level", "rates", "map", "by", "x", "file", "job", "id", "cell", "seen"]
            )
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(body=JUNK)
def test_no_junk_is_a_defect(client: Explorer, body: Any) -> None:
    for path in ADDRESSES:
        answer = client.post(path, body)
        assert answer.status < 500, (path, body, answer.content)
        if answer.status >= 400:
            assert "\n" not in answer.error
