"""What files are, by their content: which reader they are for, or what is said of them."""

import gzip
import os
import pathlib
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import flowstart as fs
from flowstart.captures import kinds
from flowstart.captures.kinds import Reader

Cli = Callable[..., Any]
DATA = pathlib.Path(__file__).parent.parent / "data"
LOGS = DATA / "logs"
CLF = '192.0.2.1 - - [16/Nov/2026:10:00:00 +0100] "GET / HTTP/1.1" 200 5000'
IIS = "#Software: IIS\n#Fields: date time c-ip sc-bytes\n2026-11-16 10:00:01 192.0.2.1 5\n"
ZEEK = '{"ts":1.5,"uid":"C1","id.orig_h":"192.0.2.1","id.orig_p":5,"id.resp_h":"192.0.2.2",'


@pytest.fixture
def file(tmp_path: pathlib.Path) -> Callable[[str | bytes], pathlib.Path]:
    def write(content: str | bytes) -> pathlib.Path:
        path = tmp_path / "file"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


File = Callable[[str | bytes], pathlib.Path]


@pytest.mark.parametrize(
    ("content", "reader", "name"),
    [
        (bytes.fromhex("d4c3b2a10200"), Reader.PACKETS, "a capture"),
        (bytes.fromhex("0a0d0d0a1c00"), Reader.PACKETS, "a capture"),
        (bytes.fromhex("28b52ffd0000"), Reader.PACKETS, "a capture"),
        ("#separator \\x09\n#path\tconn\n#fields\tts\n", Reader.PACKETS, "a Zeek conn.log"),
        ("#separator \\x2c\n#path,ssl\n", Reader.NONE, "Zeek's ssl.log"),
        (ZEEK + '"proto":"tcp","conn_state":"SF"}\n', Reader.PACKETS, "a Zeek conn.log"),
        (ZEEK + '"proto":"udp","query":"x"}\n', Reader.NONE, "a log of Zeek's other than conn.log"),
        ('{"_path":"capture_loss","ts":1,"acks":5}\n', Reader.NONE, "Zeek's capture_loss.log"),
        ('\x1e{"file_schema":"urn:ietf:params:qlog:file:sequential"}\n', Reader.QLOG, "a qlog"),
        ('{"qlog_version":"draft-00","traces":[]}', Reader.QLOG, "a qlog"),
        (CLF + "\n", Reader.LOG, "combined or common log"),
        (f"www.example.com:443 {CLF}\n", Reader.LOG, "combined or common log"),
        (f"Nov 28 14:00:00 web1 nginx: {CLF}\n", Reader.LOG, "combined or common log"),
        (f'not a line\n{CLF} "-" "a, b; c"\n', Reader.LOG, "combined or common log"),
        (IIS, Reader.LOG, "a W3C extended log"),
        ("\ufeff" + IIS.replace("\n", "\r\n"), Reader.LOG, "a W3C extended log"),
        ('{"msec":"1.5","bytes_sent":"5"}\n', Reader.LOG, "JSON lines"),
        ('{"Duration":5,"DownstreamContentSize":5}\n', Reader.LOG, "Traefik's JSON log"),
        ('{"Ta":5,"bytes_read":5,"client_ip":"192.0.2.1"}\n', Reader.LOG, "HAProxy's JSON log"),
        ('{"start_time":"-","bytes_sent":1,"duration":3}\n', Reader.LOG, "Envoy's JSON log"),
        ("PAR1", Reader.LOG, "Parquet"),
        ("ts,bytes\n1,2\n", Reader.LOG, "a table of text"),
        ('{"constants":{"x":1},\n', Reader.NONE, "a netlog of Chrome"),
        ('{"log":{"version":"1.2"', Reader.NONE, "a HAR (HTTP archive)"),
        ('{"log":"x\\n","stream":"stdout"}\n', Reader.NONE, "a log of Docker"),
        ('[{"ts":1}]', Reader.NONE, "a JSON array"),
        ('{\n  "ts": 1\n}\n', Reader.NONE, "JSON over several lines"),
        ("Nov 28 14:00:00 web1 systemd[1]: Started it, now.\n", Reader.NONE, "a syslog"),
        ("<34>1 2026-11-28T14:00:00Z web1 su - - it, now\n", Reader.NONE, "a syslog"),
        ("2026/11/28 10:00:00 [error] 1#0: *1, x\n", Reader.NONE, "nginx's error log"),
        ("<!DOCTYPE html>\n<p>, </p>", Reader.NONE, "a page of HTML or XML"),
        ("\ufeffts,bytes\n".encode("utf-16"), Reader.NONE, "UTF-16 text"),
        (b"PK\x03\x04", Reader.NONE, "a zip archive"),
        (b"", Reader.NONE, "empty (0 bytes)"),
        (" \n\n", Reader.NONE, "not a capture or log"),
        (b"\x93\x00,;", Reader.NONE, "not a capture or log"),
    ],
)
def test_the_content_decides_what_a_file_is(
    file: File, content: str | bytes, reader: Reader, name: str
) -> None:
    kind = kinds.of(str(file(content)))
    assert (kind.reader, kind.name) == (reader, name)


def test_a_packed_file_is_what_it_holds(file: File) -> None:
    assert kinds.of(str(file(gzip.compress(IIS.encode())))).name == "a W3C extended log"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("small.har", "small.har is a HAR (HTTP archive): record packets or a qlog"),
        ("http.log", "http.log is Zeek's http.log: its conn.log is needed"),
    ],
)
def test_what_is_not_read_is_named_with_the_remedy(cli: Cli, name: str, message: str) -> None:
    answer = cli("capture", LOGS / name)
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert message in answer.err


def test_a_folder_of_zeek_is_its_conn_log(cli: Cli) -> None:
    answer = cli("capture", LOGS / "zeek-folder")
    assert answer.status == 0
    assert "1 TCP connection (1 complete)" in " ".join(answer.out.split())
    assert answer.err == "flowstart: warning: left out: http.log (Zeek's http.log)\n"


def test_a_folder_of_rotated_logs_is_one_log(tmp_path: pathlib.Path) -> None:
    (tmp_path / "access.log").write_text(CLF.replace("192.0.2.1", "192.0.2.2") + "\n")
    (tmp_path / "access.log.1.gz").write_bytes(gzip.compress(f"{CLF}\n".encode()))
    (tmp_path / "error.log").write_text("2026/11/28 10:00:00 [error] 1#0: x\n")
    (tmp_path / "empty.log").write_text("")
    found = fs.read_capture(tmp_path)
    assert sorted(found.connections["client_ip"]) == ["192.0.2.1", "192.0.2.2"]
    assert found.connections["file"].n_unique() == 2
    assert found.warnings == [
        "left out: empty.log (empty (0 bytes)), error.log (nginx's error log)"
    ]


def test_packets_in_a_folder_come_first(cli: Cli, tmp_path: pathlib.Path) -> None:
    shutil.copy(DATA / "captures" / "small.pcap", tmp_path)
    (tmp_path / "rows.csv").write_text("ts,bytes\n1,2\n")
    answer = cli("capture", tmp_path)
    assert answer.status == 0
    assert answer.err == "flowstart: warning: left out: rows.csv (a table of text)\n"


def test_a_folder_without_readable_files_is_refused(cli: Cli, tmp_path: pathlib.Path) -> None:
    shutil.copy(LOGS / "small.har", tmp_path)
    answer = cli("capture", tmp_path)
    assert (answer.status, answer.out) == (2, "")
    assert "none of the folder's files can be read: small.har (a HAR" in answer.err


def test_named_files_that_do_not_go_together_are_refused(cli: Cli) -> None:
    answer = cli("capture", LOGS / "squid.log", LOGS / "caddy.jsonl")
    assert (answer.status, answer.out) == (2, "")
    assert "caddy.jsonl is Caddy's JSON log: read them separately" in answer.err


def test_a_folder_is_read_without_what_is_damaged(tmp_path: pathlib.Path) -> None:
    plain = (DATA / "captures/field/plain.pcap").read_bytes()
    (tmp_path / "a.pcap").write_bytes(plain)
    (tmp_path / "cut.pcap").write_bytes(plain[:20])
    (tmp_path / "header.pcap").write_bytes(plain[:24])
    (tmp_path / "gone.pcap").symlink_to(tmp_path / "nowhere")
    (tmp_path / "2026-11-28").mkdir()
    os.mkfifo(tmp_path / "pipe")
    found = fs.read_capture(tmp_path)
    assert (found.files, len(found.connections)) == ((str(tmp_path / "a.pcap"),), 1)
    assert " ".join(found.warnings) == (
        "left out: 2026-11-28 (a folder, read where it is named), cut.pcap (damaged: the pcap "
        "header is cut short), gone.pcap (a symbolic link to a file that is "
        "not there), header.pcap (holds no "
        "packets: it ends after its header), pipe (no regular file)"
    )


def test_a_damaged_log_or_qlog_of_a_folder_is_left_out(tmp_path: pathlib.Path) -> None:
    shutil.copy(LOGS / "zeek-folder/conn.log", tmp_path / "a.log")
    lines = (LOGS / "zeek-folder/conn.log").read_text().splitlines()
    (tmp_path / "b.log").write_text("\n".join([*lines[:-1], "x\ty", lines[-1]]))
    found = fs.read_capture(tmp_path)
    assert (len(found.connections), len(found.warnings)) == (1, 1)
    assert "left out: b.log (line " in found.warnings[0]
    for name, content in {
        "a.csv": "ts,bytes,client_ip\n1.5,9000,192.0.2.1\n",
        "b.csv": "x,y\n1,2\n",
    }.items():
        (tmp_path / "logs").mkdir(exist_ok=True)
        (tmp_path / "logs" / name).write_text(content)
    (warning,) = fs.read_capture(tmp_path / "logs").warnings
    assert warning.startswith("left out: b.csv (none of its 2 columns is known")


def test_a_damaged_file_that_is_named_is_refused(cli: Cli, tmp_path: pathlib.Path) -> None:
    plain = (DATA / "captures/field/plain.pcap").read_bytes()
    (tmp_path / "cut.pcap").write_bytes(plain[:20])
    answer = cli("capture", DATA / "captures/field/plain.pcap", tmp_path / "cut.pcap")
    assert (answer.status, answer.out) == (2, "")
    assert "cut.pcap is damaged: the pcap header is cut short" in answer.err


def test_a_folder_of_empty_folders_names_them(tmp_path: pathlib.Path) -> None:
    (tmp_path / "2026-11-28").mkdir()
    with pytest.raises(fs.RequestError, match=r"2026-11-28 .a folder, read where it is named"):
        fs.read_capture(tmp_path)


def test_the_files_in_a_folder_of_folders_are_read_as_one(tmp_path: pathlib.Path) -> None:
    for folder, size in (("cubic", 1000), ("fs_search", 2000)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "rows.csv").write_text(f"ts,bytes\n1.0,{size}\n")
    assert sorted(fs.read_capture(tmp_path).transfers["bytes"]) == [1000, 2000]


def test_a_cut_log_is_known_by_what_is_whole(file: File) -> None:
    packed = gzip.compress("".join(f"{CLF} {n}\n" for n in range(200)).encode())
    path = file(packed[: len(packed) // 2])
    assert kinds.of(str(path)).name == "combined or common log"
    with pytest.raises(fs.RequestError, match=r"is damaged gzip, after .* bytes of content"):
        fs.read_capture(path)


@pytest.fixture
def stdin(tmp_path: pathlib.Path) -> Iterator[Callable[[bytes], None]]:
    """Gives the standard input of this process a content."""
    kept, file = os.dup(0), tmp_path / "stdin"

    def give(content: bytes) -> None:
        file.write_bytes(content)
        with file.open("rb") as opened:
            os.dup2(opened.fileno(), 0)

    yield give
    os.dup2(kept, 0)
    os.close(kept)


@pytest.mark.parametrize(
    ("content", "opening"),
    [
        (f"{CLF}\n".encode(), "standard input: server-log, 1 row"),
        (gzip.compress(f"{CLF}\n".encode()), "standard input: server-log, 1 row"),
        ((LOGS / "draft-00.qlog").read_bytes(), "standard input: qlog, 2 packets"),
        ((LOGS / "zeek-folder/conn.log").read_bytes(), "standard input: zeek-tsv, 1 row"),
        ((DATA / "captures/field/plain.pcap").read_bytes(), "standard input: pcap, 12 packets"),
    ],
    ids=["log", "gzip", "qlog", "zeek", "pcap"],
)
def test_the_standard_input_is_what_it_begins_with(
    cli: Cli, stdin: Callable[[bytes], None], content: bytes, opening: str
) -> None:
    stdin(content)
    answer = cli("capture", "-")
    assert (answer.status, answer.out[: len(opening)]) == (0, opening)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ((LOGS / "small.har").read_bytes(), "the standard input is a HAR (HTTP archive): record"),
        (b"", "the standard input is empty (0 bytes): expected pcap"),
        (b"x,y\n1,2\n", "the standard input: none of its 2 columns is known"),
    ],
)
def test_a_standard_input_that_is_not_read_is_named(
    cli: Cli, stdin: Callable[[bytes], None], content: bytes, message: str
) -> None:
    stdin(content)
    answer = cli("capture", "-")
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert message in answer.err


def test_a_packed_file_without_content_is_empty(cli: Cli, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "empty.pcap.gz"
    file.write_bytes(gzip.compress(b""))
    answer = cli("capture", DATA / "captures" / "small.pcap", file)
    assert (answer.status, answer.out) == (2, "")
    assert f"{file} is empty (0 bytes): expected pcap" in answer.err


def test_a_log_of_zeek_s_tests_has_masked_times(cli: Cli, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "conn.log"
    file.write_text("### BTest baseline data generated by btest-diff.\n#separator \\x09\n")
    answer = cli("capture", file)
    assert (answer.status, answer.out) == (2, "")
    assert "is a baseline of Zeek's tests: its times are masked" in answer.err
