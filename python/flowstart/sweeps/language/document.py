"""A sweep's file, and what it asks for: the one way from text to a checked sweep."""

import os
import pathlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flowstart.errors import Location, RequestError
from flowstart.model import custom, input_files
from flowstart.model.custom import CustomStartups
from flowstart.model.document import Document, plain, resolve
from flowstart.model.quantities import LARGEST
from flowstart.model.variants import Variant, VariantLike
from flowstart.model.variants import settled as compared
from flowstart.sweeps.cell import COMPETING, measured_flow
from flowstart.sweeps.language import families, sampling
from flowstart.sweeps.language.expressions import check_keys, in_sweep
from flowstart.sweeps.language.families import Family
from flowstart.sweeps.language.laws import Law
from flowstart.sweeps.language.parameters import Endpoints, SweepParameter, Walk, endpoints
from flowstart.sweeps.language.sampling import APART, Seeds, Split


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


LOW, MIDDLE, HIGH = 1e-4, 0.5, 1 - 1e-4
"""The coordinates at which laws are tried."""
SOURCES = 50
"""Of so many named paths, and paths of a capture, a family is tried on."""
ALTERNATIVES = 100
"""Of a parameter's values, so many from the first on, and to the last."""


def check(request: Request) -> None:
    """Raises RequestError where a sweep could not run."""
    if not {"size", "writes", "source"} & set(request.families[0].flow):
        raise RequestError("missing; one is needed, such as `1MB`, or several", ("flow", "size"))
    for family in request.families:
        for source in family.sources[:SOURCES]:
            for scenario in _scenarios(family.parameters(source), request.stacks[0]):
                _try(scenario)
    family = request.families[0]
    parameters = family.parameters(family.sources[0])
    for stack in request.stacks[1:]:
        for scenario in _scenarios(parameters, stack):
            _try(scenario)
    first = next(_scenarios(parameters, request.stacks[0]))
    for cc in filter(None, request.avoidances):
        _try(_with(first, {"cc": cc}))
    _try_variants(request, first)


def _scenarios(parameters: Sequence[SweepParameter], stack: Endpoints) -> Iterator[Document]:
    """Scenarios of one kind of path."""
    middle = [(p.alternatives[0], MIDDLE) for p in parameters]
    yield _scenario(parameters, middle, stack)
    for index, law, u in _extremes(parameters):
        tried = list(middle)
        tried[index] = law, u
        yield _scenario(parameters, tried, stack)
    for index, u in ((0, LOW), (-1, HIGH)):
        yield _scenario(parameters, [(p.alternatives[index], u) for p in parameters], stack)


def _extremes(parameters: Sequence[SweepParameter]) -> Iterator[tuple[int, Law, float]]:
    """Each parameter's index, its laws, and coordinates at which to try them."""
    for index, parameter in enumerate(parameters):
        laws = parameter.alternatives
        if len(laws) > 2 * ALTERNATIVES:
            laws = (*laws[:ALTERNATIVES], *laws[-ALTERNATIVES:])
        for law in laws:
            for point in law.points():
                for u in (LOW, HIGH) if point.draws or law.draws else (MIDDLE,):
                    yield index, law, u


def _scenario(
    parameters: Sequence[SweepParameter], tried: Sequence[tuple[Law, float]], stack: Endpoints
) -> Document:
    """The scenario with each parameter as its law has it at a coordinate."""
    pairs = zip(parameters, tried, strict=True)
    walk = Walk([replace(parameter, alternatives=(law,)) for parameter, (law, _) in pairs])
    (leaf,) = walk.leaves([u for _, u in tried], stack.scope(), Counter())
    flow, measured = measured_flow(leaf.flow)
    return {"path": leaf.path, "stack": stack.document, "flows": [flow], **measured}


def _with(scenario: Document, fields: dict[str, Any]) -> Document:
    """A scenario whose flow has other fields."""
    return scenario | {"flows": [flow | fields for flow in scenario["flows"]]}


def _try(scenario: Document) -> None:
    """Has the simulator say what is wrong with a scenario."""
    try:
        resolve(scenario)
    except RequestError as error:
        raise in_sweep(error) from None


def _try_variants(request: Request, scenario: Document) -> None:
    for variant in request.variants:
        try:
            resolve(_with(scenario, variant.flow()), request.custom)
        except RequestError as error:
            if error.location[:2] == ("flows", 0):
                error = error.at(error.location[2:])
            prefix = "" if variant.name == variant.startup else f"variant `{variant.name}`: "
            raise RequestError(f"{prefix}{error}") from None


KEYS = (
    *("name", "about", "startups", "variants", "seeds", "stack", "cc"),
    *("path", "paths", "flow", "competing", "sample", "split"),
)
"""What a sweep's file may say at its top."""
MOST_PATHS = 10**9
MOST_SEEDS = 10_000


def read(file: str | os.PathLike[str], *, allow_python: bool = False) -> Request:
    """What a TOML file asks for, checked.

    Files that it names are looked for beside it. Startups in files of Python are refused
    unless `allow_python`, for they would be run.
    """
    path = pathlib.Path(file)
    document = input_files.read(path, "a sweep")
    return settled(document, path.parent, is_file=True, allow_python=allow_python)


def settled(
    table: Mapping[str, Any],
    folder: pathlib.Path = pathlib.Path(),
    *,
    is_file: bool = False,
    allow_python: bool = False,
) -> Request:
    """What a document asks for, checked."""
    if not isinstance(table, Mapping):
        raise RequestError(f"{table!r}: a sweep is a table with `path` and `flow`")
    document: dict[str, Any] = plain(table)
    check_keys((), document, KEYS)
    known = CustomStartups()
    variants = _variants(document, known, folder, is_file=is_file, allow_python=allow_python)
    sample = _sample(document.get("sample"))
    stacks = _stacks(document.get("stack"))
    avoidances = _texts(("cc",), document.get("cc")) or (None,)
    competing = _competing(document.get("competing"))
    seeds = _seeds(document.get("seeds", 1))
    split = _split(document.get("split"), sample.seed if sample else 1, seeds)
    paths = families.read(document, folder)
    request = Request(
        document=_asked(document, variants, stacks, avoidances, competing, sample, split, paths),
        variants=variants,
        custom=known,
        families=paths,
        stacks=stacks,
        avoidances=avoidances,
        competing=competing,
        seeds=seeds,
        sample=sample,
        split=split,
    )
    check(request)
    return request


def with_stack(request: Request, fields: Mapping[str, Any]) -> Request:
    """The same with these fields in every stack. Raises RequestError where one has them already."""
    for name in fields:
        for stack in request.stacks:
            if name in stack.document:
                raise RequestError(f"the sweep's stack has {name} {stack.document[name]}", (name,))
    stacks = _stacks([{**stack.document, **fields} for stack in request.stacks])
    document = {**request.document, "stack": [stack.document for stack in stacks]}
    changed = replace(request, document=document, stacks=stacks)
    check(changed)
    return changed


def _asked(
    document: Mapping[str, Any],
    variants: Sequence[Variant],
    stacks: Sequence[Endpoints],
    avoidances: Sequence[str | None],
    competing: Sequence[str],
    sample: Sample | None,
    split: Split | None,
    paths: Sequence[families.Family],
) -> dict[str, Any]:
    """What was asked, with what is usual filled in; of captures, the paths that they tell."""
    captured = [
        [[source.origin, dict(source.fields), source.weight] for source in family.sources]
        for family in paths
        if family.is_captured
    ]
    return {
        **{key: document[key] for key in ("name", "about") if key in document},
        "variants": [variant.written for variant in variants],
        "seeds": document.get("seeds", 1),
        "stack": [stack.document for stack in stacks],
        "cc": list(avoidances),
        **{key: document[key] for key in ("path", "paths") if key in document},
        **({"captured": captured} if captured else {}),
        "flow": document.get("flow", {}),
        "competing": {"kinds": list(competing)},
        **({"sample": vars(sample)} if sample else {}),
        **({"split": {"train": split.train}} if split else {}),
    }


def _variants(
    document: Mapping[str, Any],
    known: CustomStartups,
    folder: pathlib.Path,
    *,
    is_file: bool,
    allow_python: bool,
) -> tuple[Variant, ...]:
    """What is compared; startups in files are looked for beside the sweep's."""

    def beside(startup: Any, location: Location) -> Any:
        if not is_file or not custom.is_in_a_file(startup):
            return startup
        if not allow_python:
            raise RequestError(
                f"`{startup}` is Python code, which the file of a sweep runs with "
                "--allow-python only (from Python, allow_python=True)",
                location,
            )
        return custom.beside(startup, folder)

    startups = document.get("startups")
    if isinstance(startups, str):
        startups = [startups]
    if isinstance(startups, list):
        startups = [beside(startup, ("startups", i)) for i, startup in enumerate(startups)]
    items = document.get("variants", [])
    if not isinstance(items, list):
        raise RequestError(f"`{items}` is not a list of text, such as `iw30: iw=30`", ("variants",))
    variants: list[VariantLike] = []
    for i, item in enumerate(items):
        variant = item if isinstance(item, Variant) else _variant(item, ("variants", i))
        startup = beside(variant.startup, ("variants", i))
        variants.append(replace(variant, startup=startup))
    return compared(variants, startups, known)


def _variant(value: Any, location: Location) -> Variant:
    """A variant of its text, or of what `plain` makes of one."""
    if isinstance(value, Mapping) and set(value) <= {"name", "startup", "cc", "landing", "stack"}:
        return Variant(**value)
    if not isinstance(value, str):
        raise RequestError(f"`{value}` is not a text, such as `iw30: iw=30`", location)
    return Variant.parse(value)


def _texts(location: Location, value: Any) -> tuple[str, ...]:
    """A text, or a list of different ones; nothing where none is given."""
    if value is None:
        return ()
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
        raise RequestError(f"`{value}` is not right; a text or a list of text is needed", location)
    _refuse_empty_and_twice(location, listed)
    return tuple(listed)


def _refuse_empty_and_twice(location: Location, listed: Sequence[Any]) -> None:
    if not listed:
        raise RequestError("an empty list; leave it out, or give a value", location)
    twice = next((item for i, item in enumerate(listed) if item in listed[:i]), None)
    if twice is not None:
        raise RequestError(f"`{twice}` is given twice", location)


def _stacks(value: Any) -> tuple[Endpoints, ...]:
    """The stacks; a list is a dimension."""
    listed = value if isinstance(value, list) else [value]
    _refuse_empty_and_twice(("stack",), listed)
    return tuple(endpoints(stack) for stack in listed)


def _competing(value: Any) -> tuple[str, ...]:
    """Who is beside the flow; nobody unless it is said."""
    if value is None:
        return ("alone",)
    table = _table(("competing",), value, ("kinds",))
    kinds = _texts(("competing", "kinds"), table.get("kinds"))
    check_keys(("competing", "kinds"), dict.fromkeys(kinds), COMPETING)
    return kinds or ("alone",)


def _seeds(value: Any) -> Seeds:
    """How many seeds, or which."""
    listed = value if isinstance(value, list) else None
    if listed is not None:
        _refuse_empty_and_twice(("seeds",), listed)
    count = value if listed is None else len(listed)
    if not _is_whole(count, 1, MOST_SEEDS):
        right = f"their number, 1 to {MOST_SEEDS}, or a list of them is needed"
        raise RequestError(f"`{value}` is not right; {right}", ("seeds",))
    wrong = next((s for s in listed or () if not _is_whole(s, 0, LARGEST // 4)), None)
    if wrong is not None:
        raise RequestError(f"`{wrong}` is not a seed, a whole number from 0", ("seeds",))
    return Seeds(count, tuple(listed) if listed is not None else None)


def _sample(value: Any) -> Sample | None:
    """How paths are drawn; None where they are not."""
    if value is None:
        return None
    table = _table(("sample",), value, ("paths", "seed", "method"))
    if "paths" not in table:
        raise RequestError("missing; the number of paths is needed", ("sample", "paths"))
    for key, least, most in (("paths", 1, MOST_PATHS), ("seed", 0, LARGEST)):
        if key in table and not _is_whole(table[key], least, most):
            right = f"a whole number of {least} to {most} is needed"
            raise RequestError(f"`{table[key]}` is not right; {right}", ("sample", key))
    sample = Sample(**table)
    sampling.coordinates(str(sample.method), sample.seed, sample.paths, ())  # checks the method
    return sample


def _split(value: Any, seed: int, seeds: Seeds) -> Split | None:
    """The training and the test set; None where there is no split."""
    if value is None:
        return None
    share = _table(("split",), value, ("train",)).get("train")
    if not isinstance(share, int | float) or not 0 < share < 1:
        right = "a share between 0 and 1, such as `0.7`, is needed"
        raise RequestError(f"`{share}` is not right; {right}", ("split", "train"))
    listed = seeds.listed or ()
    shared = next((s for s in listed if s + APART in listed), None)
    if shared is not None:
        right = f"paths of the test set have seeds that are {APART} larger"
        raise RequestError(f"`{shared + APART}` with `{shared}`: {right}", ("seeds",))
    return Split(float(share), seed)


def _table(location: Location, value: Any, known: Sequence[str]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise RequestError(f"`{value}` is not a table", location)
    check_keys(location, value, known)
    return value


def _is_whole(value: Any, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most
