"""A path through the network, written down or known by name."""

import dataclasses
import importlib.resources
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from flowstart.errors import RequestError
from flowstart.model import fields
from flowstart.model.catalog import suggest


@dataclass(frozen=True, kw_only=True)
class Path(fields.Path):
    """A path through the network; what is left out takes the simulator's default."""

    @classmethod
    def named(cls, name: str) -> Self:
        """A path known by name, from the list in `paths.toml`."""
        return cls(**{k: v for k, v in named_path(name).items() if k != "about"})

    def but(self, **given: Any) -> Self:
        """The path with other fields; one way to give the rate takes the place of another."""
        ways = dict.fromkeys(("rate", "rate_trace", "rate_steps"))
        if ways.keys() & given.keys():
            given = ways | given
            if given["rate"] is None:
                given = {"rate_variation": None} | given
        if "reverse_rate_trace" in given:
            given = {"reverse_rate": None} | given
        return dataclasses.replace(self, **given)


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
