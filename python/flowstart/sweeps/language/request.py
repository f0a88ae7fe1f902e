"""What a sweep asks for, read and checked."""

from dataclasses import dataclass

from flowstart.model.custom import CustomStartups
from flowstart.model.document import Document
from flowstart.model.variants import Variant
from flowstart.sweeps.language.endpoints import Endpoints
from flowstart.sweeps.language.families import Family
from flowstart.sweeps.language.seeds import Seeds, Split


@dataclass(frozen=True)
class Sample:
    """How many paths are drawn, and how."""

    paths: int
    seed: int = 1
    method: str = "random"


@dataclass(frozen=True, kw_only=True)
class Request:
    """Which startups are asked for, on what."""

    document: Document
    """What was asked, in JSON types, with what is usual filled in."""
    variants: tuple[Variant, ...]
    custom: CustomStartups
    """The startups that are not in the catalog."""
    families: tuple[Family, ...]
    """What paths are made from, each with the flow on them."""
    stacks: tuple[Endpoints, ...]
    avoidances: tuple[str | None, ...]
    competing: tuple[str, ...]
    seeds: Seeds
    sample: Sample | None = None
    """None for the whole grid."""
    split: Split | None = None
