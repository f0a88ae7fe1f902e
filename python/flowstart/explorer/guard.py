"""Who may ask: only the page that this server has sent, from this machine.

Any page that a browser shows may send requests to the loopback, and a name of its own may lead
there. So `Host` and `Origin` must be the server's own, and every request must have the token that
only its address has.
"""

import secrets
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN = "x-flowstart-token"
SAFE = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every response."""


class Guard:
    """Passes on what the page asks, and refuses everything else."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self._app = app
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""

        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SAFE)
            await send(message)

        refused = self._refusal(scope) if scope["type"] == "http" else None
        await (refused or self._app)(scope, receive, safely)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            named = ", ".join(hosts)[:100]
            return refusal(403, f"Host: `{named}`: only {' and '.join(self._hosts)} are answered")
        if origins not in ([], [f"http://{hosts[0]}"]):
            named = ", ".join(origins)[:100]
            return refusal(403, f"Origin: `{named}`: only the page of http://{hosts[0]} may ask")
        if not self._has_token(scope, headers):
            return refusal(
                403,
                "token: missing or wrong; open the address that `flowstart explore` has printed",
            )
        return None

    def _has_token(self, scope: Scope, headers: Headers) -> bool:
        """Once: the page's address has it in its query, a request of the page in a header."""
        if scope["path"] == "/":
            query = parse_qs(scope["query_string"].decode("latin-1"))
            tokens = query.get("token", [])
        else:
            tokens = headers.getlist(TOKEN)
        return len(tokens) == 1 and secrets.compare_digest(tokens[0].encode(), self._token.encode())


def refusal(status: int, sentence: str) -> Response:
    """A refusal: one sentence, as JSON."""
    return JSONResponse({"error": " ".join(sentence.split())}, status)
