"""Published distributions of sizes, round trips and rates, known by name."""

import functools
import importlib.resources
import tomllib
from typing import Any

from flowstart.errors import RequestError
from flowstart.model.catalog import suggest
from flowstart.model.units import Kind

KINDS = {"size": Kind.SIZE, "time": Kind.TIME, "rate": Kind.RATE}


@functools.cache
def published() -> dict[str, dict[str, Any]]:
    """The laws by name, each with `about` and `kind`, as `distributions.toml` has them."""
    file = importlib.resources.files("flowstart.sweeps.language").joinpath("distributions.toml")
    return tomllib.loads(file.read_text("utf-8"))


def named(name: object, place: str, kind: Kind) -> dict[str, Any]:
    """The law called `name`, for a field that takes a `kind`."""
    known = published()
    if not isinstance(name, str) or name not in known:
        right = suggest(str(name), list(known))
        raise RequestError(f"{place}.law: no published distribution is called `{name}`{right}")
    law = dict(known[name])
    has = KINDS[law.pop("kind")]
    if has != kind:
        raise RequestError(f"{place}.law: `{name}` is of {has.value}; {kind.value} is needed")
    law.pop("about")
    return law
