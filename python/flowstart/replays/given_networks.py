"""What is given of single networks' paths: `10.9.3.0/24:rate=20Mbps,buffer=60pkt`."""

import fnmatch
import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from flowstart.errors import RequestError
from flowstart.model.catalog import suggest

FIELDS = ("rate", "reverse_rate", "buffer", "reverse_buffer")
FORM = re.compile(r"(?P<pattern>.+):(?P<fields>[a-z_-]+=.+)")


@dataclass(frozen=True)
class GivenNetwork:
    """Fields of the paths to some networks."""

    pattern: str
    """A prefix that holds them, a name, or a pattern of names such as `*`."""
    fields: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises RequestError where the text is not of this form."""
        if not (found := FORM.fullmatch(text)):
            raise RequestError(
                f"network: `{text}` should be written PREFIX:rate=RATE, such as "
                "10.9.3.0/24:rate=20Mbps,buffer=60pkt"
            )
        fields: dict[str, str] = {}
        for piece in found["fields"].split(","):
            name, _, value = piece.partition("=")
            name = name.strip().replace("-", "_")
            if name not in FIELDS or not value:
                right = suggest(name, list(FIELDS)) if name not in FIELDS else "; a value is needed"
                raise RequestError(f"network: `{piece}` is no field with a value{right}")
            fields[name] = value.strip()
        if "reverse_rate" in fields and "rate" not in fields:
            raise RequestError(f"network: `{text}` has a reverse_rate without a rate")
        return cls(found["pattern"], fields)

    @property
    def written(self) -> str:
        """The text that `parse` reads."""
        return f"{self.pattern}:{','.join(f'{k}={v}' for k, v in self.fields.items())}"

    def holds(self, network: str) -> bool:
        """Whether a network is meant."""
        try:
            mine, other = (ipaddress.ip_network(one) for one in (self.pattern, network))
        except ValueError:
            return fnmatch.fnmatchcase(network, self.pattern)
        return mine.version == other.version and mine.supernet_of(other)  # type: ignore[arg-type]


def of(network: str, given: Sequence[GivenNetwork]) -> dict[str, str]:
    """What is given of a network; of several the last."""
    found: dict[str, str] = {}
    for one in given:
        found |= one.fields if one.holds(network) else {}
    return found


def refuse_useless(given: Sequence[GivenNetwork], networks: Sequence[str]) -> None:
    """What is given of no network in the capture was meant otherwise."""
    for one in given:
        if not any(map(one.holds, networks)):
            some = ", ".join(networks[:3]) + (", ..." if len(networks) > 3 else "")
            raise RequestError(f"network: `{one.pattern}` holds none of the capture's: {some}")


def refuse_one_rate(rate: str | None, networks: Sequence[str]) -> None:
    """A rate for several networks would put them all behind one bottleneck."""
    if rate is not None and len(networks) > 1:
        raise RequestError(
            f"rate: `{rate}` for {len(networks)} networks would put all on one link; give each its "
            f"own with --network PREFIX:rate=RATE, or all with --network '*:rate={rate}'"
        )
