"""A run whose result is known to the last bit: a wrong build gives another one."""

import hashlib
import json
import time
from typing import Any

from flowstart import _native
from flowstart.simulation import frames

SCENARIO = {
    "path": {"rate": "10Mbps", "rtt": "40ms", "buffer": "50pkt", "loss": 0.01},
    "flows": [
        {"startup": "slow-start", "size": "300kB"},
        {"startup": "hystart-plus-plus", "size": "300kB", "start": "10ms"},
        {"startup": "jump-start", "size": "100kB", "start": "1s"},
    ],
}
"""Losses, a shared queue and three startups."""
TABLES = ("flows", "links")
KNOWN = "8dea988c5536d0b43b9f392bda0fcaa90d7aec7e2914004a75e49b9c8d260176"
"""The SHA-256 of its tables; another one after a change of results, which
tests/python/test_doctor.py then prints."""


def checked() -> dict[str, Any]:
    """Whether the run comes to what is known, why not, and how long it took."""
    began = time.perf_counter()
    problem = _problem()
    return {"error": problem, "seconds": time.perf_counter() - began}


def _problem() -> str | None:
    try:
        found = digest()
    except Exception as error:  # noqa: BLE001 # whatever is wrong here is what is asked
        return f"{type(error).__name__}: {error}"
    if found == KNOWN:
        return None
    return (
        f"a run came to {found[:12]} and not to {KNOWN[:12]}: this build gives wrong results; "
        "install another, and report it with the lines above"
    )


def digest() -> str:
    """The SHA-256 of the tables of the run."""
    outcome = _native.run(json.dumps(SCENARIO))
    tables = {name: frames.rows(outcome[name]) for name in TABLES}  # type: ignore[literal-required]
    return hashlib.sha256(json.dumps(tables, sort_keys=True).encode()).hexdigest()
