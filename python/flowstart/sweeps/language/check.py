"""What is wrong with a sweep, found before anything runs.

What a value may be the simulator alone knows, so it is asked about some cells: for each kind
of path, each parameter at its extremes while the others are in their middle, all of them at
their first and at their last; and every stack, cc and variant on one of those.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from flowstart.errors import RequestError
from flowstart.model.document import Document, resolve
from flowstart.sweeps.language.endpoints import Endpoints
from flowstart.sweeps.language.laws import Law
from flowstart.sweeps.language.parameters import Parameter
from flowstart.sweeps.language.request import Request
from flowstart.sweeps.language.slots import in_words_of_sweeps
from flowstart.sweeps.language.walk import Walk

LOW, MIDDLE, HIGH = 1e-4, 0.5, 1 - 1e-4
"""The coordinates at which laws are tried."""
SOURCES = 50
"""Of so many named paths, and paths of a capture, a family is tried on."""
ALTERNATIVES = 100
"""Of a parameter's values, so many from the first on, and to the last."""


def check(request: Request) -> None:
    """Raises RequestError where a sweep could not run."""
    if not {"size", "writes"} & set(request.families[0].flow):
        raise RequestError("flow.size: missing; one is needed, such as `1MB`, or several")
    for family in request.families:
        for source in family.sources[:SOURCES]:
            for scenario in _scenarios(family.parameters(source), request.stacks[0]):
                _try(scenario)
    family = request.families[0]
    found = family.parameters(family.sources[0])
    for stack in request.stacks[1:]:
        for scenario in _scenarios(found, stack):
            _try(scenario)
    first = next(_scenarios(found, request.stacks[0]))
    for cc in filter(None, request.avoidances):
        _try(_with(first, {"cc": cc}))
    _try_variants(request, first)


def _scenarios(parameters: Sequence[Parameter], stack: Endpoints) -> Iterator[Document]:
    """Scenarios of one kind of path."""
    middle = [(p.alternatives[0], MIDDLE) for p in parameters]
    yield _scenario(parameters, middle, stack)
    for place, law, u in _extremes(parameters):
        tried = list(middle)
        tried[place] = law, u
        yield _scenario(parameters, tried, stack)
    for place, u in ((0, LOW), (-1, HIGH)):
        yield _scenario(parameters, [(p.alternatives[place], u) for p in parameters], stack)


def _extremes(parameters: Sequence[Parameter]) -> Iterator[tuple[int, Law, float]]:
    """Each parameter's place, its laws, and coordinates at which to try them."""
    for place, parameter in enumerate(parameters):
        laws = parameter.alternatives
        if len(laws) > 2 * ALTERNATIVES:
            laws = (*laws[:ALTERNATIVES], *laws[-ALTERNATIVES:])
        for law in laws:
            for point in law.points():
                for u in (LOW, HIGH) if point.draws or law.draws else (MIDDLE,):
                    yield place, law, u


def _scenario(
    parameters: Sequence[Parameter], tried: Sequence[tuple[Law, float]], stack: Endpoints
) -> Document:
    """The scenario with each parameter as its law has it at a coordinate."""
    pairs = zip(parameters, tried, strict=True)
    walk = Walk([replace(parameter, alternatives=(law,)) for parameter, (law, _) in pairs])
    (leaf,) = walk.leaves([u for _, u in tried], stack.scope(), Counter())
    return {"path": leaf.path, "stack": stack.document, "flows": [leaf.flow]}


def _with(scenario: Document, fields: dict[str, Any]) -> Document:
    """A scenario whose flow has other fields."""
    return scenario | {"flows": [flow | fields for flow in scenario["flows"]]}


def _try(scenario: Document) -> None:
    """Has the simulator say what is wrong with a scenario."""
    try:
        resolve(scenario)
    except RequestError as error:
        raise RequestError(in_words_of_sweeps(str(error))) from None


def _try_variants(request: Request, scenario: Document) -> None:
    for variant in request.variants:
        try:
            resolve(_with(scenario, variant.flow()), request.custom)
        except RequestError as error:
            problem = in_words_of_sweeps(str(error)).removeprefix("flow.")
            prefix = "" if variant.name == variant.startup else f"variant `{variant.name}`: "
            raise RequestError(f"{prefix}{problem}") from None
