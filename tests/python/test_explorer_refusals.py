"""What the explorer refuses, in one sentence, and that it goes on."""

import asyncio
import contextlib
import http.client
import importlib.resources
import json
import os
import pathlib
import re
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from uvicorn.protocols.http.h11_impl import H11Protocol

from explorer_server import GIVEN, PAGE, TOKEN, Explorer, explorer, settings
from flowstart.errors import RequestError
from flowstart.explorer import connection, threads, working
from flowstart.explorer import page as pages
from flowstart.explorer import path as explore
from flowstart.explorer.app import routes
from flowstart.explorer.serve import listening
from flowstart.explorer.working import Stop, TookTooLong, done
from flowstart.simulation.trajectories import Cancelled

Cli = Callable[..., Any]
ASKED = ("/api/compare", "/api/intervals", "/api/packets")
POSTED = [
    route.path for route in routes(settings(), PAGE) if route.methods and "POST" in route.methods
]
LONG = {"rate": "10Gbps", "rtt": "100ms", "size": "5GB", "startup": ["slow-start"]}
"""Some seconds of work, little less than is refused."""
HANGING = """
from flowstart import Startup

class Hangs(Startup):
    def on_ack(self, *_):
        while True:
            pass
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Explorer]:
    with explorer(settings()) as running:
        yield running


def goes_on(server: Explorer) -> None:
    assert server.post("/api/compare", {"given": GIVEN}).status == 200


def is_a_sentence(words: str) -> bool:
    return bool(words) and "\n" not in words and "Traceback" not in words and len(words) < 1000


@pytest.mark.parametrize(
    ("headers", "named"),
    [
        ({"Host": "attacker.example"}, "Host: `attacker.example`"),
        ({"Host": "attacker.example:{port}"}, "Host: `attacker.example:"),
        ({"Host": "127.0.0.1"}, "Host: `127.0.0.1`"),
        ({"Host": ""}, "Host: ``"),
        ({"Origin": "https://attacker.example"}, "Origin: `https://attacker.example`"),
        ({"Origin": "null"}, "Origin: `null`"),
        ({"Origin": "http://127.0.0.1:1"}, "Origin: `http://127.0.0.1:1`"),
        ({"Origin": "https://127.0.0.1:{port}"}, "Origin: `https://127.0.0.1"),
        ({"X-Flowstart-Token": ""}, "token"),
        ({"X-Flowstart-Token": "wrong"}, "token"),
        ({"X-Flowstart-Token": TOKEN[:-1]}, "token"),
        ({"X-Flowstart-Token": "\xfc"}, "token"),
    ],
)
def test_others_than_the_page_are_refused(
    server: Explorer, headers: dict[str, str], named: str
) -> None:
    wrong = {name: value.format(port=server.port) for name, value in headers.items()}
    for path, content in (("/api/about", None), ("/api/compare", b"{}")):
        reply = server.ask(path, content, {**server.headers, **wrong})
        assert reply.status == 403
        assert named in reply.error
    goes_on(server)


def test_a_request_without_a_token_is_refused_wherever_it_goes(server: Explorer) -> None:
    for path in ("/", "/?token=wrong", "/?token=", "/api/about", "/api/compare", "/nowhere"):
        reply = server.ask(path, headers={})
        assert reply.status == 403
        assert "token" in reply.error


OWN = "Host: 127.0.0.1:{port}\r\nX-Flowstart-Token: " + TOKEN
"""The headers of a request of the page, which is answered."""


def sent(server: Explorer, head: str) -> bytes:
    """What the server answers to a request as it is, up to the end of the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
        client.sendall(head.format(port=server.port).encode("latin-1"))
        client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(4096), b""))


@pytest.mark.parametrize(
    ("headers", "status", "named"),
    [
        (OWN, 200, ""),
        (OWN.replace("Host", "hOST").replace("X-Flow", "x-FLOW"), 200, ""),
        (OWN + "\r\nOrigin: http://127.0.0.1:{port}", 200, ""),
        (OWN + "\r\norigin:http://127.0.0.1:{port} \t", 200, ""),
        (OWN + "\r\nOrigin: http://127.0.0.1:{port}" * 2, 403, "Origin"),
        (OWN + "\r\nOrigin: http://127.0.0.1:{port}\r\nOrigin: http://a.example", 403, "Origin"),
        (OWN + "\r\nOrigin: http://127.0.0.1:{port}\r\noRIGIN: http://a.example", 403, "Origin"),
        (OWN + "\r\nOrigin: http://127.0.0.1:{port}\r\n http://a.example", 403, "Origin"),
        (OWN + "\r\nOrigin: http://127.0.0.1:{port}, http://a.example", 403, "Origin"),
        (OWN + "\r\nOrigin:", 403, "Origin"),
        (OWN + "\r\nOrigin : http://a.example", 400, ""),
        (OWN + "\r\n\tOrigin: http://a.example", 403, "token"),
        (OWN + "\r\nHost: 127.0.0.1:{port}", 400, ""),
        (OWN + "\r\nHost: a.example", 400, ""),
        ("Host: a.example\r\n" + OWN, 400, ""),
        ("X-Flowstart-Token: " + TOKEN, 400, ""),
        (OWN + "\r\nX-Flowstart-Token: " + TOKEN, 403, "token"),
        (OWN + "\r\nx-flowstart-token: wrong", 403, "token"),
        ("X-Flowstart-Token: wrong\r\n" + OWN, 403, "token"),
        (OWN + "\r\n " + TOKEN, 403, "token"),
    ],
)
def test_headers_that_decide_are_sent_once(
    server: Explorer, headers: str, status: int, named: str
) -> None:
    answer = sent(server, f"GET /api/about HTTP/1.1\r\n{headers}\r\n\r\n")
    head, _, content = answer.partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    assert TOKEN.encode() not in answer
    if status == 403:
        assert json.loads(content)["error"].startswith(named)


@pytest.mark.parametrize("query", ["token={0}&token={0}", "token=wrong&token={0}", "token={0}x"])
def test_the_address_has_the_token_once(server: Explorer, query: str) -> None:
    reply = server.ask(f"/?{query.format(TOKEN)}", headers={})
    assert reply.status == 403
    assert reply.error.startswith("token")


MALFORMED = [
    b"",
    b"\r\n\r\n",
    b"GET",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"\0" * 5000,
    b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\n" + b"A: b\r\n" * 9000,
    b"GET / HTTP/1.1\r\nHost: a\r\n" + b"A" * 70_000,
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc",
    b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n" * 50,
    b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
]
"""What is no request, no whole one, or one without a token."""


@pytest.mark.parametrize("way", ["close", "half", "reset", "open"])
def test_connections_of_others_print_nothing(
    server: Explorer,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    way: str,
) -> None:
    before, clients = resident_bytes(), []
    for content in MALFORMED * 8:
        client = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        clients.append(client)
        with contextlib.suppress(ConnectionError):  # closed as one of too many
            client.sendall(content)
            match way:
                case "half":
                    client.shutdown(socket.SHUT_WR)
                case "reset":
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    client.close()
                case "close":
                    client.close()
    goes_on(server)
    for client in clients:
        client.close()
    goes_on(server)
    assert capsys.readouterr() == ("", "")
    assert not caplog.records  # which a terminal would show
    assert resident_bytes() - before < 50_000_000


def test_the_page_comes_with_what_a_browser_may_do_with_it(server: Explorer) -> None:
    for host in ("127.0.0.1", "localhost"):
        own = f"{host}:{server.port}"
        sent = {"Host": own, "Origin": f"http://{own}"}
        reply = server.ask(f"/?token={TOKEN}", headers=sent)
        assert reply.status == 200
        assert reply.content == PAGE.html
        headers = {name.lower(): value for name, value in reply.headers.items()}
        assert headers["content-security-policy"] == PAGE.policy
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers


@pytest.mark.parametrize(
    "path",
    [
        *("/../etc/passwd", "/api/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2fetc"),
        *("/explorer.js", "/api", "/api/", "/api/compare/", "//etc/passwd", "/\\..\\", "/%00"),
    ],
)
def test_no_file_and_no_folder_is_served(server: Explorer, path: str) -> None:
    reply = server.ask(path)
    assert reply.status == 404
    assert is_a_sentence(reply.error)
    assert "is not an address of the explorer" in reply.error


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"])
def test_other_methods_are_refused(server: Explorer, method: str) -> None:
    reply = server.ask("/api/compare", method=method)
    assert reply.status == 405
    assert method in reply.error


def test_a_body_of_100_mb_is_refused_and_not_kept(server: Explorer) -> None:
    before = resident_bytes()
    reply = server.ask("/api/compare", bytes(100_000_000))
    assert reply.status == 413
    assert "100000000 bytes" in reply.error
    # The body itself is this process's as well, and has gone.
    assert resident_bytes() - before < 50_000_000
    goes_on(server)


@pytest.mark.parametrize("path", [*POSTED, "/api/captures/upload?name=a.pcap"])
def test_no_address_reads_a_body_of_100_mb(server: Explorer, path: str) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        client.sendall(
            f"{head}X-Flowstart-Token: {TOKEN}\r\nContent-Length: 100000000\r\n".encode()
        )
        client.sendall(b"\r\n")
        # Nothing of the body was sent yet.
        if path == "/api/captures/upload":
            assert client.recv(4096).startswith(b"HTTP/1.1 400 ")
        else:
            assert client.recv(4096).startswith(b"HTTP/1.1 413 ")


def test_a_request_that_is_cut_short_is_no_defect(
    server: Explorer, capsys: pytest.CaptureFixture[str]
) -> None:
    head = f"POST /api/compare HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
    head += f"X-Flowstart-Token: {TOKEN}\r\nContent-Length: 1000\r\n\r\n{{"
    clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
    for client in clients:
        client.sendall(head.encode())
    goes_on(server)  # while all of them are waited for
    for client in clients:
        client.close()
    goes_on(server)
    assert capsys.readouterr().err == ""


def test_a_body_that_does_not_say_its_length_is_refused_while_it_is_read(server: Explorer) -> None:
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    client.putrequest("POST", "/api/compare")
    for name, value in {**server.headers, "Transfer-Encoding": "chunked"}.items():
        client.putheader(name, value)
    client.endheaders()
    for _ in range(200):
        client.send(b"1000\r\n" + bytes(4096) + b"\r\n")
    # Refused although the end has not come yet.
    answer = client.getresponse()
    assert answer.status == 413
    assert is_a_sentence(json.loads(answer.read())["error"])
    client.close()
    goes_on(server)


def resident_bytes() -> int:
    """The memory of this process, in which the server is a thread."""
    fields = pathlib.Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not JSON"),
        (b"rate=5Mbps", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 60_000, "nested too deeply"),
        (b'{"given": {"seed": ' + b"9" * 5000 + b"}}", "not JSON"),
        (b'{"given": {"rate": NaN}}', "not JSON"),
        (b'{"given": {"rate": "\\ud800"}}', "not JSON"),
        (b'{"\\ud800": 1}', "not JSON"),
        (b'{"given": {"flows": 1e999, "rate": "1Mbps", "rtt": "1s"}}', "not JSON"),
        (b"[]", "a JSON object with given"),
        (b"{}", "given: missing"),
        (b'{"given": {}}', "no path is given"),
        (b'{"given": [1]}', "given: an object is needed"),
        (b'{"given": {}, "size": "1MB"}', "`size` is unknown"),
    ],
)
def test_what_is_no_request_is_refused(server: Explorer, content: bytes, said: str) -> None:
    for path in ASKED[:2]:
        reply = server.ask(path, content)
        assert reply.status == 400
        assert said in reply.error


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"rate": "5"}, "--rate: `5`"),
        ({"rate": 5}, "--rate: `5`: a text is needed"),
        ({"rate": ["5Mbps"]}, '--rate: `["5Mbps"]`: a text is needed'),
        ({"rtt": "-1ms"}, "--rtt: `-1ms`"),
        ({"rtt": "x" * 301}, "--rtt: `xxxxxxxxxxxxxxxxxxxx…`: 301 letters"),
        ({"loss": "150%"}, "--loss"),
        ({"flows": "many"}, "--flows: `many`: a whole number is needed"),
        ({"flows": 0}, "--flows: `0`: a whole number from 1 on is needed"),
        ({"flows": True}, "--flows: `true`"),
        ({"flows": 1.5}, "--flows: `1.5`"),
        ({"flows": 65}, "--flows: 65 are too many"),
        ({"seed": 10**30}, "--seed: `1e+30`: a whole number of at most"),
        ({"size": "1000000bdp"}, "--size: `1000000bdp` is some 138,121,548 packets"),
        ({"reordering": "perhaps"}, "--reordering: `perhaps`: true or false is needed"),
        ({"size": "1MB,2MB"}, "--size: `1MB,2MB` is 2 sizes"),
        ({"size": ","}, "--size: `,` is 0 sizes"),
        ({"size": "100GB"}, "--size: `100GB` is some 138,121,548 packets in 2 runs of 1 each"),
        ({"startup": ["nonsense"]}, "nonsense"),
        ({"startup": 5}, "--startup: `5`: a list of names is needed"),
        ({"startup": [5]}, "--startup: `5`"),
        ({"startup": ["hystart:a=1"] * 65}, "--startup: 65 are too many"),
        ({"startup": ["hystart", "hystart"]}, "is given twice"),
        ({"startup": ["hystart,./mine.py:Mine"]}, "`./mine.py:Mine` is Python code"),
        ({"startup": ["mine.py"]}, "`mine.py` is Python code"),
        ({"rate-trace": "/etc/passwd"}, "--rate-trace: `/etc/passwd` is a file"),
        ({"reverse_rate_trace": "../x"}, "--reverse-rate-trace: `../x` is a file"),
        ({"reverse-rate": "1Mbps", "reverse_rate": "1Mbps"}, "given twice"),
        ({"stagger": "1s"}, "--stagger: `1s` changes nothing"),
        ({"cached_cwnd": "2bdp"}, "--cached-cwnd: `2bdp` changes nothing"),
        ({"stack": "nonsense"}, "nonsense"),
        ({"stack": "rfc:iw=3", "iw": "4"}, "--iw and --stack rfc:iw=3"),
        ({"path": "nowhere"}, "no path is called `nowhere`"),
        ({"variant": "a: iw=3"}, "`variant` is unknown"),
        ({"output": "/tmp/x"}, "`output` is unknown"),
        ({"allow-python": True}, "`allow-python` is unknown"),
    ],
)
def test_a_wrong_field_is_named_with_its_value(
    server: Explorer, more: dict[str, Any], said: str
) -> None:
    reply = server.post("/api/compare", {"given": {**GIVEN, **more}})
    assert reply.status == 400
    assert said in reply.error
    assert is_a_sentence(reply.error)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"columns": 0}, "columns: `0`: a whole number from 1 to"),
        ({"columns": 10**9}, "columns: `1000000000`"),
        ({"columns": "600"}, "columns: `600`"),
        ({"from_s": -1}, "from_s: `-1`"),
        ({"from_s": "now"}, "from_s: `now`"),
        ({"from_s": 2, "to_s": 1}, "to_s: `1.0`: a time after from_s = 2 by a nanosecond or more"),
        ({"to_s": 4e-10}, "to_s: `4e-10`: a time after from_s = 0 by a nanosecond or more"),
        ({"to_s": 1e300}, "to_s: `1e+300`"),
    ],
)
def test_a_part_of_the_time_that_is_none_is_refused(
    server: Explorer, more: dict[str, Any], said: str
) -> None:
    reply = server.post("/api/compare", {"given": GIVEN, **more})
    assert reply.status == 400
    assert said in reply.error


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "startup: missing; a text"),
        ({"startup": 5}, "startup: `5`: a text"),
        ({"startup": "hystart"}, "startup: `hystart` is not among those in `given`"),
        ({"startup": "jump-start", "most": 0}, "most: `0`: a whole number from 1 to"),
        ({"startup": "jump-start", "most": 10**6}, "most: `1000000`"),
    ],
)
def test_packets_of_what_is_not_compared_are_refused(
    server: Explorer, more: dict[str, Any], said: str
) -> None:
    reply = server.post("/api/packets", {"given": GIVEN, **more})
    assert reply.status == 400
    assert said in reply.error


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.sampled_from(["5Mbps", "64ms", "1bdp", "60pkt", "1%", "hystart", "a:b=1", "all", "-all"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
FIELDS = st.sampled_from([*settings().options, "reverse-rate", "nonsense"])


@pytest.mark.slow
@given(
    path=st.sampled_from(POSTED),
    document=JSON
    | st.fixed_dictionaries({"given": JSON}, optional={"columns": JSON, "startup": JSON})
    | st.dictionaries(st.sampled_from(["map", "by", "id", "capture", "level", "given"]), JSON)
    | st.fixed_dictionaries({"given": st.dictionaries(FIELDS, JSON, max_size=3)}),
)
@hypothesis_settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_nonsense_is_refused_with_a_sentence_or_answered(
    server: Explorer, path: str, document: Any
) -> None:
    reply = server.post(path, document)
    assert reply.status in (200, 400, 422), reply.content
    if reply.status != 200:
        assert is_a_sentence(reply.error)


@given(name=FIELDS, value=JSON)
@hypothesis_settings(max_examples=300, deadline=None)
def test_nonsense_in_one_field_of_a_good_state_is_refused_with_a_sentence_or_answered(
    server: Explorer, name: str, value: Any
) -> None:
    reply = server.post("/api/compare", {"given": {**GIVEN, name: value}})
    assert reply.status in (200, 400, 422), reply.content
    if reply.status != 200:
        assert is_a_sentence(reply.error)


def test_what_is_no_http_is_refused(server: Explorer) -> None:
    for nonsense in (b"\x16\x03\x01\x02\x00\x01", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\nA\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
            client.sendall(nonsense + b"\r\n\r\n")
            assert client.recv(4096).startswith(b"HTTP/1.1 400 ")
    goes_on(server)


def test_a_run_that_nobody_waits_for_is_stopped(
    server: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Stop] = []

    def noted() -> Stop:
        told.append(Stop())
        return told[-1]

    monkeypatch.setattr(working, "Stop", noted)
    client = http.client.HTTPConnection("127.0.0.1", server.port)
    client.request("POST", "/api/compare", json.dumps({"given": LONG}), server.headers)
    wait_for(lambda: bool(told))
    assert not told[0].cancel.cancelled
    client.close()
    wait_for(lambda: told[0].cancel.cancelled)
    goes_on(server)


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.005)


class Waiting:
    """A request whose browser waits for the answer."""

    async def receive(self) -> dict[str, str]:
        await asyncio.sleep(60)
        return {"type": "http.disconnect"}


def test_a_run_that_lasts_too_long_is_stopped_and_said_so() -> None:
    def endless(stop: Stop) -> None:
        while not stop.cancel.cancelled:
            time.sleep(0.001)
        stop.check()

    with pytest.raises(TookTooLong, match=r"not ended after 0\.05 s; choose a smaller size"):
        asyncio.run(done(Waiting(), endless, most_seconds=0.05))  # type: ignore[arg-type]


def compared(body: bytes, stop: Stop) -> bytes:
    of = settings()
    return explore.answered(of.native.compare, body, of, stop)


@pytest.mark.real_time
def test_a_long_simulation_ends_soon_after_it_was_told() -> None:
    body = json.dumps({"given": LONG}).encode()

    def simulated(stop: Stop) -> bytes:
        return compared(body, stop)

    begin = time.monotonic()
    with pytest.raises(TookTooLong):
        asyncio.run(done(Waiting(), simulated, most_seconds=0.1))  # type: ignore[arg-type]
    assert time.monotonic() - begin < 2


def test_a_hook_that_never_returns_is_interrupted_and_the_server_goes_on(
    tmp_path: pathlib.Path,
) -> None:
    (tmp_path / "hanging.py").write_text(HANGING)
    name = f"{tmp_path / 'hanging.py'}:Hangs"
    with explorer(settings(startups=[name])) as running:
        client = http.client.HTTPConnection("127.0.0.1", running.port)
        asked = json.dumps({"given": {**GIVEN, "startup": [name]}})
        client.request("POST", "/api/compare", asked, running.headers)
        wait_for(lambda: bool(threads._alive))
        goes_on(running)
        client.close()
        wait_for(lambda: not threads._alive)
        goes_on(running)


def test_work_that_takes_no_notice_is_given_up_and_then_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(working, "SECONDS_TO_END", 0.01)
    free = threading.Event()

    def waits(_: Stop) -> None:
        free.wait(30)

    async def asked() -> None:
        await done(Waiting(), waits, most_seconds=0.01)  # type: ignore[arg-type]

    for _ in range(working.MOST_STUCK):
        with pytest.raises(TookTooLong, match="has not ended: a hook of a startup in Python"):
            asyncio.run(asked())
    with pytest.raises(RequestError, match="4 simulations were stopped and have not ended"):
        asyncio.run(asked())
    free.set()
    wait_for(lambda: not working._stuck)


def test_an_answer_of_several_writes_does_not_wait_for_acknowledgements(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[int] = []
    made = H11Protocol.connection_made

    def connected(protocol: H11Protocol, transport: asyncio.Transport) -> None:
        connection = transport.get_extra_info("socket")
        seen.append(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        made(protocol, transport)

    monkeypatch.setattr(H11Protocol, "connection_made", connected)
    with explorer(settings()) as running:
        goes_on(running)
    assert set(seen) == {1}


def test_a_port_that_is_taken_is_refused() -> None:
    with listening(None) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(RequestError, match=f"--port {port}: .*in use; without it any free"):
            listening(port)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rate", "5"], "--rate: `5`"),
        (["--startup", "./nowhere.py:Mine"], "there is no such file"),
        (["--startup", "nonsense"], "nonsense"),
        (["--map", "nowhere"], "--map nowhere: there is no such folder"),
        (["--map", "."], "--map .: it holds no part of a sweep"),
        (["--capture", "nowhere.pcap"], "--capture nowhere.pcap: there is no such file"),
        (["--size", "1MB,2MB"], "--size: `1MB,2MB` is 2 sizes"),
        (["--port", "0"], "--port"),
    ],
)
def test_a_wrong_command_line_is_refused_before_anything_is_served(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.setattr("flowstart.explorer.serve.serve", lambda *_, **__: None)
    answer = cli("explore", "--no-open", *words)
    assert (answer.status, answer.out) == (2, "")
    assert said in answer.err
    assert answer.err.count("\n") == 1


def test_without_the_extra_the_command_says_how_to_install_it(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    answer = cli("explore", "--no-open")
    assert answer.status == 2
    assert answer.err == (
        "flowstart: explore needs starlette and uvicorn: install it with "
        "`pip install starlette uvicorn`\n"
    )


def test_where_the_page_is_not_built_the_command_says_how_to_build_it(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    files = importlib.resources.files
    monkeypatch.setattr(
        "importlib.resources.files",
        lambda package: tmp_path if package == "flowstart.render" else files(package),
    )
    answer = cli("explore", "--no-open")
    assert answer.status == 2
    assert "`make page`" in answer.err


def test_the_page_holds_its_script_and_style_and_a_browser_runs_no_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    built(tmp_path)
    monkeypatch.setattr("importlib.resources.files", lambda _: tmp_path)
    found = pages.page()
    assert b"<script>begin('{style}')</script>" in found.html
    assert b"<style>p { color: red }</style>" in found.html
    # printf "begin('{style}')" | openssl dgst -sha256 -binary | base64
    assert "script-src 'sha256-" in found.policy
    assert "'unsafe" not in found.policy
    assert not re.search(rb"(src|href)=\"(?!data:)", found.html)


def test_the_page_without_a_server_connects_to_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    built(tmp_path)
    files = importlib.resources.files
    monkeypatch.setattr(
        "importlib.resources.files",
        lambda package: tmp_path if package == "flowstart.render" else files(package),
    )
    (tmp_path / "sample.pcap").write_bytes(b"packets")
    found = pages.static_page(b"module", settings(), tmp_path / "sample.pcap")
    policy = re.search(rb'http-equiv="Content-Security-Policy" content="([^"]*)"', found)
    assert policy
    assert b"default-src 'none'" in policy[1]
    assert b"connect-src" not in policy[1]
    assert b'id="engine"' in found
    choices = re.search(rb'id="choices">(.*?)</script>', found, re.DOTALL)
    assert choices
    assert json.loads(choices[1])["about"]["first"] == settings().first


def built(folder: pathlib.Path) -> None:
    """A page as the build leaves it."""
    (folder / "page").mkdir()
    (folder / "page" / "explorer.js").write_text("begin('{style}')")
    (folder / "page" / "explorer.css").write_text("p { color: red }")


STARTED = """
import importlib.resources, pathlib, sys
importlib.resources.files = lambda package, real=importlib.resources.files: (
    pathlib.Path(sys.argv[1]) if package == "flowstart.render" else real(package)
)
from flowstart.cli import main
sys.exit(main(["explore", "--no-open", *sys.argv[2:]]))
"""


Started = tuple["subprocess.Popen[str]", Explorer, str]


@pytest.fixture
def start(tmp_path: pathlib.Path) -> Iterator[Callable[..., Started]]:
    """Starts the command with more words in a process of its own: that, its server, its page."""
    built(tmp_path)
    (tmp_path / "hanging.py").write_text(HANGING)
    began: list[subprocess.Popen[str]] = []

    def begin(*more: str) -> Started:
        words = [sys.executable, "-c", STARTED, str(tmp_path), *more]
        process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
        )
        began.append(process)
        assert process.stdout
        said = re.search(r"http://127\.0\.0\.1:(\d+)(/\?token=(\S+))", process.stdout.readline())
        assert said
        return process, Explorer(int(said[1]), {"X-Flowstart-Token": said[3]}), said[2]

    yield begin
    for process in began:
        process.kill()
        process.communicate()


@pytest.fixture
def started(start: Callable[..., Started]) -> Started:
    """The command as most start it."""
    return start()


def test_the_command_prints_its_address_and_ctrl_c_ends_it(started: Started) -> None:
    process, server, path = started
    reply = server.ask(path, headers={})
    assert reply.status == 200
    assert b"begin(" in reply.content
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert err == "flowstart: stopped by Ctrl-C\n"


def test_ctrl_c_ends_a_simulation_too(started: Started) -> None:
    process, server, _ = started
    client = http.client.HTTPConnection("127.0.0.1", server.port)
    client.request("POST", "/api/compare", json.dumps({"given": LONG}), server.headers)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert err == "flowstart: stopped by Ctrl-C\n"
    client.close()


@pytest.mark.slow
def test_ctrl_c_ends_a_hook_that_never_returns(start: Callable[..., Started]) -> None:
    process, server, _ = start("--startup", "./hanging.py:Hangs")
    client = http.client.HTTPConnection("127.0.0.1", server.port)
    asked = {**GIVEN, "startup": ["./hanging.py:Hangs"]}
    client.request("POST", "/api/compare", json.dumps({"given": asked}), server.headers)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert (process.returncode, err) == (130, "flowstart: stopped by Ctrl-C\n")
    client.close()


ENDINGS = [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda one: one.name)
@pytest.mark.parametrize("is_whole", [True, False], ids=["uploaded", "uploading"])
def test_nothing_is_left_of_a_dropped_file_when_the_process_is_ended(
    start: Callable[..., Started],
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    ending: signal.Signals,
    is_whole: bool,
) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    process, server, _ = start()
    if is_whole:
        assert server.ask("/api/captures/upload?name=a.pcap", b"x").status == 200
    else:
        client = uploading(server)
        assert kept_files(process) == 1
    process.send_signal(ending)
    _, err = process.communicate(timeout=10)
    killed = ending == signal.SIGKILL
    expected = (-ending, "") if killed else (128 + ending, f"flowstart: stopped by {ending.name}\n")
    assert (process.returncode, err) == expected
    assert not list(place.iterdir())
    if not is_whole:
        client.close()


def uploading(server: Explorer) -> socket.socket:
    """The connection of an upload of which one of two megabytes has come."""
    client = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    head = f"POST /api/captures/upload?name=a.pcap HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
    client.sendall(
        f"{head}X-Flowstart-Token: {server.headers['X-Flowstart-Token']}\r\n"
        "Content-Length: 2000000\r\n\r\n".encode()
        + bytes(1_000_000)
    )
    time.sleep(0.5)
    return client


def kept_files(process: "subprocess.Popen[str]") -> int:
    """How many deleted files the process has open."""
    numbers = pathlib.Path(f"/proc/{process.pid}/fd").iterdir()
    return sum(" (deleted)" in str(number.readlink()) for number in numbers)


@pytest.mark.skipif(sys.platform != "linux", reason="descriptors are counted in /proc")
def test_a_browser_that_is_killed_during_an_upload_leaves_nothing(
    start: Callable[..., Started], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    process, server, _ = start()
    clients = [uploading(server) for _ in range(3)]
    assert kept_files(process) == 3
    for client in clients:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()  # as the kernel does for a process that was killed
    time.sleep(0.5)
    assert kept_files(process) == 0
    assert not list((tmp_path / "temporary").iterdir())
    goes_on(server)


def test_work_that_was_told_to_stop_says_so() -> None:
    stop = Stop()
    stop.check()
    stop.stop()
    with pytest.raises(Cancelled):
        stop.check()
    with pytest.raises(KeyboardInterrupt):
        stop.progress(1, 2)


INTERRUPTED_AND_NOT = """
import sys, time
from flowstart.explorer.threads import Interrupted, Running

def work():
    try:
        while True:
            pass
    except Interrupted:
        return "interrupted"

assert Running(lambda: "ended").result.result() == "ended"
running = Running(work)
time.sleep(0.1)
running.interrupt()
assert running.result.result() == "interrupted"
sys.settrace(lambda *_: None)
(lambda: None)()
"""


def test_after_an_interruption_python_can_be_debugged() -> None:
    # CPython 3.11 hangs in the last line where an interruption was taken back, not raised.
    command = [sys.executable, "-c", INTERRUPTED_AND_NOT]
    assert subprocess.run(command, timeout=20).returncode == 0


# Connections.


def connect(server: Explorer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=10)


def is_closed(client: socket.socket) -> bool:
    """Whether the server has closed it, without an answer."""
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True


def test_a_request_that_does_not_come_in_time_is_given_up(
    server: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "SECONDS_TO_ASK", 0.3)
    head = b"POST /api/captures/upload?name=a HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % server.port
    token = b"X-Flowstart-Token: " + TOKEN.encode() + b"\r\n"
    for begun in (b"", b"GET /", head, head + token + b"Content-Length: 100\r\n\r\nabc"):
        with connect(server) as client:
            client.sendall(begun)
            begin = time.monotonic()
            assert is_closed(client)
            assert 0.2 < time.monotonic() - begin < 5
    goes_on(server)


def test_a_second_request_that_does_not_come_in_time_is_given_up(
    server: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "SECONDS_TO_ASK", 0.3)
    with connect(server) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        answer = b""
        while not answer.endswith(b"}"):
            answer += client.recv(65_536)
        client.sendall(b"GET / HT")
        assert is_closed(client)


def test_an_answer_may_take_longer_than_a_request(
    server: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "SECONDS_TO_ASK", 0.1)
    assert server.post("/api/compare", {"given": LONG | {"size": "1GB"}}).status == 200


def test_of_many_connections_the_oldest_that_await_a_request_are_closed(server: Explorer) -> None:
    clients = [connect(server) for _ in range(3 * connection.MOST)]
    try:
        assert all(is_closed(client) for client in clients[: 2 * connection.MOST])
        goes_on(server)
        clients[-1].settimeout(0.1)
        with pytest.raises(TimeoutError):
            clients[-1].recv(1)
    finally:
        for client in clients:
            client.close()


@pytest.mark.slow
@pytest.mark.parametrize("descriptors", [40, 128])
def test_a_flood_of_connections_leaves_one_line_and_a_server_that_goes_on(
    start: Callable[..., Started], descriptors: int
) -> None:
    process, server, path = start()
    resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (descriptors, descriptors))
    clients: list[socket.socket] = []
    for _ in range(1500):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(("127.0.0.1", server.port))
        clients.append(client)
    time.sleep(2)
    for client in clients:
        client.close()
    begin = time.monotonic()
    assert server.ask(path, headers={}).status == 200
    assert time.monotonic() - begin < 5
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    *noted, last = err.splitlines()
    assert last == "flowstart: stopped by Ctrl-C"
    assert len(noted) <= 1
    assert all("Too many open files" in line for line in noted)


def test_work_above_a_limit_is_stopped_and_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "MOST_BYTES", 2e6)
    large = {"size": "80MB", "flows": 4, "iw": "1000000", "stack": "quic"}
    path = {"rate": "10Mbps", "rtt": "500ms", "buffer": "20pkt"}
    asked = path | large | {"startup": ["slow-start"]}
    body = json.dumps({"given": asked}).encode()

    def simulated(stop: Stop) -> bytes:
        return compared(body, stop)

    with pytest.raises(TookTooLong, match=r"stopped by the limit of .* of memory; choose"):
        asyncio.run(done(Waiting(), simulated))  # type: ignore[arg-type]
