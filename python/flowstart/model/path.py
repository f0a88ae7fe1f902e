"""A path through the network, written down or known by name."""

import importlib.resources
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from flowstart.errors import RequestError
from flowstart.model import fields
from flowstart.model.catalog import suggest
from flowstart.model.document import plain, resolve


@dataclass(frozen=True, kw_only=True)
class NetworkPath(fields.NetworkPath):
    """A path through the network; what is left out takes the simulator's default."""

    @classmethod
    def named(cls, name: str) -> Self:
        """A path known by name, from the list in `paths.toml`."""
        return cls(**named_fields(name))

    def __post_init__(self) -> None:
        """Raises RequestError where a field is missing or wrong, or contradicts another."""
        super().__post_init__()
        resolve({"path": plain(self), "flows": [{"size": "1kB"}]})

    def replace(self, **changes: Any) -> Self:
        """The path with other fields; one way to give the rate takes the place of another."""
        return type(self)(**replaced(plain(self), changes))


def replaced(fields: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a path with some replaced; one way to give the rate replaces another."""
    given = dict(changes)
    ways = dict.fromkeys(("rate", "rate_trace", "rate_steps"))
    if ways.keys() & given.keys():
        given = ways | given
        if given["rate"] is None:
            given = {"rate_variation": None} | given
    if "reverse_rate_trace" in given:
        given = {"reverse_rate": None} | given
    return {name: value for name, value in {**fields, **given}.items() if value is not None}


def named_fields(name: str) -> dict[str, Any]:
    """The fields of a path known by name."""
    return {field: value for field, value in named_path(name).items() if field != "about"}


def named_path(name: str) -> dict[str, Any]:
    """The fields of a path known by name, and `about`."""
    known = named_paths()
    if name not in known:
        raise RequestError(f"no path is called `{name}`{suggest(name, list(known))}")
    return known[name]


def named_paths() -> dict[str, dict[str, Any]]:
    """The paths known by name: their fields, and `about`."""
    text = importlib.resources.files("flowstart.model").joinpath("paths.toml").read_text("utf-8")
    return tomllib.loads(text)


IMPAIRING = (
    *("queue", "reverse_queue", "reverse_loss", "loss_burst", "reverse_loss_burst"),
    *("rate_variation", "policer_rate", "policer_burst", "aggregation", "jitter"),
    *("reverse_jitter", "jitter_every", "reordering", "ripple", "ripple_period"),
    *("ack_batch", "ack_thinning"),
)
"""The fields that every path of a capture may have besides."""

INTERFACE = "1Gbps"
"""The rate of a host's interface in comparisons, where the path gives none."""


def told_interface(path: Mapping[str, Any]) -> dict[str, str]:
    """What flows under comparison are told of their interface.

    A path without lines before the bottleneck would tell them the bottleneck's rate, which no
    sender knows.
    """
    own = ("nic_rate", "access_rate")
    return {} if any(name in path for name in own) else {"interface_rate": INTERFACE}
