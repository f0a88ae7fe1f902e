"""A path through the network, written down or known by name."""

import importlib.resources
import json
import tomllib
from collections.abc import Mapping
from typing import Any, Self

from flowstart import _native
from flowstart.errors import RequestError
from flowstart.model import fields
from flowstart.model.catalog import suggest
from flowstart.model.document import plain, resolve


class NetworkPath(fields.NetworkPath):
    """A path through the network, checked when it is made.

    Fields that are left out have the simulator's defaults. A rate is text or a number of bits per
    second, a time text, seconds or a `datetime.timedelta`. A buffer needs text: `60pkt`, `1bdp`.

    Raises:
        RequestError: A field is missing or wrong, or contradicts another.

    Example:
        >>> import flowstart as fs
        >>> path = fs.NetworkPath(rate=5e6, rtt=0.064, buffer="60pkt")
        >>> path.replace(rate="10Mbps").rate
        '10Mbps'
    """

    @classmethod
    def named(cls, name: str) -> Self:
        """Makes a path that is known by name.

        Args:
            name: The name, as `flowstart paths` lists it, or lines of `tc`, such as
                `netem delay 40ms loss 1% rate 20mbit`.

        Returns:
            The path.

        Raises:
            RequestError: No path has this name.

        Example:
            >>> import flowstart as fs
            >>> fs.NetworkPath.named("satellite").rtt is not None
            True
        """
        return cls(**named_fields(name))

    def __post_init__(self) -> None:
        """Raises RequestError where a field is missing or wrong, or contradicts another."""
        super().__post_init__()
        resolve({"path": plain(self), "flows": [{"size": "1kB"}]})

    def replace(self, **changes: Any) -> Self:
        """Makes the same path with other fields; a new source of the rate replaces the old one.

        Args:
            **changes: Fields with their values; None removes one.

        Returns:
            The new path.

        Raises:
            RequestError: A field is wrong or contradicts another.

        Example:
            >>> import flowstart as fs
            >>> fs.NetworkPath(rate="5Mbps", rtt="64ms").replace(loss=0.01).loss
            0.01
        """
        return type(self)(**replaced(plain(self), changes))


NetworkPath.__doc__ = "\n\n".join(
    [str(NetworkPath.__doc__), str(fields.NetworkPath.__doc__).partition("\n\n")[2]]
)


def replaced(fields: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a path with some replaced; one way to give the rate replaces another."""
    superseded = dict.fromkeys(_native.superseded([*changes]))
    merged = {**fields, **superseded, **changes}
    return {name: value for name, value in merged.items() if value is not None}


def named_fields(name: str) -> dict[str, Any]:
    """The fields of a path known by name, or written as for `tc`."""
    if (text := _native.netem(name)) is not None:
        return dict(json.loads(text))
    return fields_of(name)


def fields_of(name: str) -> dict[str, Any]:
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
    *("rate_variation", "policer_rate", "policer_burst", "shaper_rate", "shaper_burst"),
    *("delay_at", "delay_limit", "delay_limit_with_queue"),
    *("delay_skip", "delay_skip_gap", "delay_skip_correlation", "aggregation", "jitter"),
    *("reverse_jitter", "jitter_every", "reordering", "ripple", "ripple_period"),
    *("ack_batch", "ack_thinning"),
)
"""The fields that every path of a capture may have besides."""

INTERFACE = _native.INTERFACE
"""The rate of a host's interface in comparisons, where the path gives none."""


def interface_fields(path: Mapping[str, Any]) -> dict[str, str]:
    """What flows under comparison are told of their interface.

    A path without lines before the bottleneck would tell them the bottleneck's rate, which no
    sender knows.
    """
    own = ("nic_rate", "access_rate")
    return {} if any(name in path for name in own) else {"interface_rate": INTERFACE}
