"""The explorer as tests start it: its settings, and a server in a thread."""

import contextlib
import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import uvicorn

from flowstart.cli import explore
from flowstart.explorer.app import app
from flowstart.explorer.page import Page
from flowstart.explorer.serve import configured, listening, run
from flowstart.explorer.settings import PageSettings

TOKEN = "a-token-of-tests"
GIVEN = {"rate": "20Mbps", "rtt": "40ms", "size": "100kB", "startup": ["slow-start", "jump-start"]}
"""A state whose runs take no time."""
PAGE = Page(b"<!doctype html><title>flowstart</title>", "default-src 'none'")


def settings(**given: Any) -> PageSettings:
    """What `flowstart explore` makes of these options."""
    return explore.settings(given, (), 2)


@dataclass(frozen=True)
class Reply:
    """An answer of the server."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def document(self) -> Any:
        """Its JSON."""
        return json.loads(self.content)

    @property
    def error(self) -> str:
        """The sentence of a refusal; fails where it is none."""
        (said,) = self.document.items()
        assert said[0] == "error"
        assert isinstance(said[1], str)
        return said[1]

    @property
    def frame(self) -> tuple[Any, bytes]:
        """The JSON of a frame, and its tail."""
        length = int.from_bytes(self.content[:4], "little")
        begin = (4 + length + 3) // 4 * 4
        return json.loads(self.content[4 : 4 + length]), self.content[begin:]


@dataclass(frozen=True)
class Explorer:
    """A server that is running."""

    port: int
    headers: dict[str, str] = field(default_factory=lambda: {"X-Flowstart-Token": TOKEN})

    def ask(
        self,
        path: str,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        method: str | None = None,
    ) -> Reply:
        """One request on a connection of its own; `headers` in the place of the page's."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(client):
            sent = self.headers if headers is None else dict(headers)
            client.request(method or ("GET" if content is None else "POST"), path, content, sent)
            answer = client.getresponse()
            return Reply(answer.status, dict(answer.getheaders()), answer.read())

    def post(self, path: str, document: object) -> Reply:
        """Asks for something in JSON."""
        return self.ask(path, json.dumps(document).encode())


@contextlib.contextmanager
def explorer(of: PageSettings, page: Page = PAGE) -> Iterator[Explorer]:
    """A server in a thread, on any free port."""
    with listening(None) as listener:
        port = listener.getsockname()[1]
        server = uvicorn.Server(configured(app(of, page, port, TOKEN)))
        thread = threading.Thread(target=run, args=(server, listener))
        thread.start()
        try:
            while not server.started:
                time.sleep(0.001)
            yield Explorer(port)
        finally:
            server.should_exit = True
            thread.join()
