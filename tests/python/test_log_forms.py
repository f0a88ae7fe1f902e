"""Forms of server logs: what is read of each."""

import pathlib

import polars as pl
import pytest

import flowstart as fs

LOGS = pathlib.Path(__file__).parent.parent / "data" / "logs"
T = 1_794_823_200.0
"""2026-11-16T10:00:00Z"""
IIS = (
    "\ufeff#Software: Microsoft Internet Information Services 10.0\r\n#Version: 1.0\r\n"
    "#Fields: date time cs-uri-stem c-ip cs(User-Agent) sc-bytes time-taken\r\n"
    "2026-11-16 10:00:01 /a 192.0.2.1 Mozilla/5.0+(X11,+a) 57000 310\r\n"
    '2026-11-16 10:00:02 /b 2001:db8::7 "a ""b"" c" 1200 40\r\n'
    "#Software: Microsoft Internet Information Services 10.0\r\n"
    "#Fields: date time c-ip time-taken sc-bytes\r\n"
    "2026-11-16 10:00:03 192.0.2.2 77 5000\r\n"
    "2026-11-16 10:00:04 192.0.2.2\r\n"
)
CLOUDFRONT = (
    "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip time-taken "
    "time-to-first-byte\n"
    "2026-11-16\t10:00:01\tFRA2\t57000\t192.0.2.1\t0.310\t0.100\n"
    "2026-11-16\t10:00:02\tFRA 2\t1200\t2001:db8::7\t0.040\t-\n"
)
CLF = (
    '192.0.2.1:5000 - - [16/Nov/2026:11:00:00 +0100] "GET /\\"a HTTP/1.1" 200 5000\r\n'
    'www.example.com:443 2001:db8::1 - a b [16/Nov/2026:11:00:01 +0100] "-" 400 6000 "-" "x, y"\r\n'
    '[2001:db8::2]:44 - - [16/Nov/2026:10:00:02 +0000] "GET / HTTP/1.1" 200 7000\r\n'
    '192.0.2.1 - - [16/Nov/2026:11:00:00 +0100] "GET / HTTP/1.1" 304 -\r\n'
    '192.0.2.1 - - [16/Nov/2026:11:0'
)  # fmt: skip
HAPROXY = (
    "Nov 16 10:00:00 lb haproxy[14389]: 192.0.2.1:33317 [16/Nov/2026:10:00:00.655] http-in "
    'static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {x} {} "GET /i HTTP/1.1"\n'
)
ENVOY = (
    '[2026-11-16T10:00:00.310Z] "POST /a HTTP/2" 204 - 154 9000 226 100 "192.0.2.1, 10.0.0.1" '
    '"agent" "id" "host" "tcp://10.0.2.1:80"\n'
    '[2026-11-16T10:00:01Z] "GET /b HTTP/1.1" 200 - via_upstream - "-" 0 135 4 - "2001:db8::1" '
    '"agent" "id" "host" "127.0.0.1:80" inbound|8000|| 127.0.0.1:4 10.0.0.2:80 10.0.0.3:5 x y\n'
)
TRAEFIK = (
    '{"ClientAddr":"192.0.2.7:44218","ClientHost":"192.0.2.7","DownstreamContentSize":9000,'
    '"Duration":412000000,"OriginDuration":12000000,"StartUTC":"2026-11-16T10:00:00.1Z",'
    '"time":"2026-11-16T11:00:00+01:00"}\n'
)
ENVOY_JSON = (
    '{"start_time":"2026-11-16T10:00:00.310Z","bytes_sent":9000,"duration":226,'
    '"upstream_service_time":"100","downstream_remote_address":"192.0.2.1:37652"}\n'
    '{"start_time":"2026-11-16T10:00:01Z","bytes_sent":900,"duration":26,'
    '"upstream_service_time":null,"downstream_remote_address":"[2001:db8::1]:37652"}\n'
)
CADDY = (
    '{"ts":"2026-11-16T10:00:00.5Z","request":{"remote_ip":"2001:db8::5"},"duration":0.25,'
    '"size":57000,"status":200}\n{"ts":1794823201,"request":{"remote_addr":"192.0.2.1:5"},'
    '"duration":0,"size":500,"status":200}\nno JSON\n{"ts":179482'
)
CLOUDFRONT_JSON = (
    '{"date":"2026-11-16","time":"10:00:01","x-edge-location":"FRA2","sc-bytes":"57000",'
    '"c-ip":"192.0.2.1","time-taken":"0.310","time-to-first-byte":"0.100"}\n'
)
ECS = (
    '{"@timestamp":"2026-11-16T10:00:00.000Z","source.ip":"192.0.2.1",'
    '"http":{"response":{"body":{"bytes":500}}},"event":{"duration":310000000}}\n'
)
Row = tuple[float, int, float, str]


@pytest.mark.parametrize(
    ("content", "durations", "rows"),
    [
        (
            IIS,
            "acked",
            [
                (T + 0.69, 57000, 0.31, "192.0.2.1"),
                (T + 1.96, 1200, 0.04, "2001:db8::7"),
                (T + 2.923, 5000, 0.077, "192.0.2.2"),
            ],
        ),
        (
            CLOUDFRONT,
            "written",
            [(T + 0.79, 57000, 0.21, "192.0.2.1"), (T + 1.96, 1200, 0.04, "2001:db8::7")],
        ),
        (
            CLF,
            "unknown",
            [
                (T, 5000, 0.0, "192.0.2.1"),
                (T + 1, 6000, 0.0, "2001:db8::1"),
                (T + 2, 7000, 0.0, "2001:db8::2"),
            ],
        ),
        (
            IIS.replace("Microsoft Internet Information Services", "SGOS"),
            "unknown",
            [
                (T + 1, 57000, 0.0, "192.0.2.1"),
                (T + 2, 1200, 0.0, "2001:db8::7"),
                (T + 3, 5000, 0.0, "192.0.2.2"),
            ],
        ),
        (HAPROXY, "written", [(T + 0.724, 2750, 0.04, "192.0.2.1")]),
        (
            ENVOY,
            "written",
            [(T + 0.41, 9000, 0.126, "192.0.2.1"), (T + 1, 135, 0.004, "2001:db8::1")],
        ),
        (
            ENVOY_JSON,
            "written",
            [(T + 0.41, 9000, 0.126, "192.0.2.1"), (T + 1, 900, 0.026, "2001:db8::1")],
        ),
        (TRAEFIK, "written", [(T + 0.112, 9000, 0.4, "192.0.2.7")]),
        (CADDY, "written", [(T + 0.25, 57000, 0.25, "2001:db8::5")]),
        (CLOUDFRONT_JSON, "written", [(T + 0.79, 57000, 0.21, "192.0.2.1")]),
        (ECS, "unknown", [(T - 0.31, 500, 0.31, "192.0.2.1")]),
    ],
)
def test_rows_of_a_server_are_read_without_naming_columns(
    tmp_path: pathlib.Path, content: str, durations: str, rows: list[Row]
) -> None:
    (tmp_path / "log").write_bytes(content.encode())
    found = fs.read_capture(tmp_path / "log")
    assert found.about["durations"] == durations
    read = zip(
        *(found.transfers[name] for name in ("start", "bytes", "end_s")),
        found.connections["client_ip"],
        strict=True,
    )
    for row, right in zip(read, rows, strict=True):
        assert row == (pytest.approx(right[0]), right[1], pytest.approx(right[2]), right[3])


@pytest.mark.parametrize(
    ("name", "columns", "peers", "sizes"),
    [
        ("iso-time.csv", None, ["192.0.2.1"] * 2, [57000, 67000]),
        ("iso-nginx.csv", "end=time_iso8601", ["192.0.2.1"] * 2, [57000, 67000]),
        (
            "elastic-nginx.jsonl",
            "end=time,peer=remote_ip",
            ["192.0.2.3", "192.0.2.4"],
            [3316, 81920],
        ),
        ("combined-with-comma.log", None, ["192.0.2.1", "192.0.2.2"], [46210, 134]),
        ("caddy.jsonl", None, ["192.0.2.1"], [57000]),
        ("caddy.jsonl", "peer=request.remote_ip,bytes=size,end=ts", ["192.0.2.1"], [57000]),
        (
            "nginx-strings.jsonl",
            None,
            ["192.0.2.1", "192.0.2.2", "2001:db8::7"],
            [57000, 57000, 1200],
        ),
        ("squid.log", None, ["192.0.2.9"], [41100]),
    ],
)
def test_small_logs_of_the_field_are_read(
    name: str, columns: str | None, peers: list[str], sizes: list[int]
) -> None:
    found = fs.read_capture(LOGS / name, columns=columns)
    assert found.connections["client_ip"].to_list() == peers
    assert found.transfers["bytes"].to_list() == sizes


@pytest.mark.parametrize(
    "date",
    [
        "2026-11-16T10:00:00Z",
        "2026-11-16t10:00:00.000000z",
        "2026-11-16T11:00:00+01:00",
        "2026-11-16 11:00:00 +0100",
        "2026-11-16T11:00+01",
        "20261116T100000Z",
        "2026-11-16 10:00:00.000 UTC",
        "16/Nov/2026:11:00:00 +0100",
        "[16/Nov/2026:11:00:00.000 +0100]",
        "2026/11/16 10:00:00",
        "1794823200.0",
    ],
)
@pytest.mark.parametrize("what", ["time", "end"])
def test_every_form_of_time_works_in_every_column(
    tmp_path: pathlib.Path, what: str, date: str
) -> None:
    (tmp_path / "log").write_text(f"when;bytes\n{date};5\n")
    found = fs.read_capture(tmp_path / "log", columns=f"{what}=when")
    assert found.transfers["start"].to_list() == [T]


def test_dates_of_parquet_are_times(tmp_path: pathlib.Path) -> None:
    times = pl.Series([T * 1e6]).cast(pl.Int64).cast(pl.Datetime("us", "UTC"))
    frame = pl.DataFrame({"ts": times, "http": [{"bytes": 5}]})
    frame.write_parquet(tmp_path / "log")
    found = fs.read_capture(tmp_path / "log", columns="bytes=http.bytes")
    assert found.transfers["start"].to_list() == [T]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("ts,status,sent_bytes\n1,200,5\n", "--columns bytes=sent_bytes; there is ts"),
        ("level,when_date,bytes\nx,1,5\n", "--columns time=when_date; there is level"),
        ("level,bytes\nx,5\n", "--columns time=COLUMN; there is level"),
        ("#Fields: date time c-ip\n2026-11-16 10:00:01 192.0.2.1\n", "add the field sc-bytes"),
    ],
)
def test_a_hint_names_a_column_that_may_be_right(
    tmp_path: pathlib.Path, content: str, message: str
) -> None:
    (tmp_path / "log").write_text(content)
    with pytest.raises(fs.RequestError) as error:
        fs.read_capture(tmp_path / "log")
    assert message in str(error.value)


def test_a_duration_may_be_written_with_its_unit(tmp_path: pathlib.Path) -> None:
    log = tmp_path / "caddy.jsonl"
    start = '{"level":"info","ts":1700000000.5,"logger":"http.log.access","msg":"handled request",'
    request = '"request":{"remote_ip":"192.0.2.1","proto":"HTTP/2.0"},"status":200,"size":57000,'
    durations = ('"310ms"', '"1.5s"', "0.25")
    rows = (f'{start}{request}"duration":{duration}}}\n' for duration in durations)
    log.write_text("".join(rows))
    assert fs.read_capture(log).transfers["end_s"].round(3).sort().to_list() == [0.25, 0.31, 1.5]


COMBINED = '192.0.2.1 - - [16/Nov/2026:10:00:0{} +0100] "GET / HTTP/1.1" 200 5000 "-" "Mozilla"'


def test_null_bytes_refuse_no_log(tmp_path: pathlib.Path) -> None:
    """`copytruncate` of logrotate leaves them at the start, a crash at the end."""
    path = tmp_path / "access.log"
    path.write_bytes(bytes(200) + f"{COMBINED}\n192.0.2".format(1).encode() + bytes(300) + b"\n")
    found = fs.read_capture(path)
    assert len(found.transfers) == 1
    assert found.warnings == ["1 row was left out: time is missing or no time"]


def test_further_fields_of_a_combined_log_are_counted(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "access.log"
    rows = [COMBINED.format(1), COMBINED.format(2) + " 0.125", COMBINED.format(3) + ' "a" 1']
    path.write_text("\n".join(rows) + "\n")
    (warning,) = fs.read_capture(path).warnings
    assert warning.startswith("2 rows have fields behind those of the combined or common log")
    path.write_text(rows[0] + "\n")
    assert fs.read_capture(path).warnings == []


def test_rows_of_a_conn_log_that_are_not_tcp_are_counted(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "conn.log"
    row = '{"ts":1.5,"uid":"C","id.orig_h":"192.0.2.1","id.orig_p":5,"id.resp_h":"192.0.2.2",'
    rows = [f'{row}"id.resp_p":443,"proto":"{proto}","conn_state":"SF"}}\n'
            for proto in ("tcp", "udp", "udp", "icmp")]  # fmt: skip
    path.write_text("".join(rows))
    assert fs.read_capture(path).warnings == [
        "3 of 4 rows are not TCP and were left out: 1 ICMP, 2 UDP"
    ]


def test_a_missing_file_is_named_whatever_its_columns(tmp_path: pathlib.Path) -> None:
    with pytest.raises(fs.RequestError, match=r"cannot open .*gone\.csv: No such file"):
        fs.read_capture(tmp_path / "gone.csv", columns="time=ts")
