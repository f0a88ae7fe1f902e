"""What a question's field declares, and the public function that takes the fields as keywords."""

import dataclasses
import functools
import inspect
import os
import re
import shlex
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from numbers import Integral
from types import NoneType, UnionType
from typing import (
    Any,
    ParamSpec,
    Protocol,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    overload,
)

from flowstart import _native
from flowstart.errors import RequestError
from flowstart.model.definitions import parts
from flowstart.model.quantities import LARGEST, Kind, rate_text, share, size_text, time_text

P = ParamSpec("P")
L = ParamSpec("L")
Q = TypeVar("Q")
R = TypeVar("R", covariant=True)
S = TypeVar("S", covariant=True)
Names: TypeAlias = Callable[[], Iterable[str]]
"""The names that complete a value."""
Given: TypeAlias = Mapping[str, Any]
"""The options that a command line sets, by the field's name, in their order."""


@dataclass(frozen=True)
class Option:
    """What a field is, and how a command line writes it."""

    help: str
    """A noun phrase, with the default in brackets."""
    metavar: str | None = None
    """The form of the value: `RATE`, or `A,B,...` for a list; None for a number or a switch."""
    flag: str | None = None
    """The name on the command line without dashes, where it is not the field's; empty for none."""
    panel: str | None = None
    """The heading in the complete help; None for common options, which come first."""
    least: int | None = None
    """The smallest number."""
    names: Names | None = None
    """What completes the value."""
    reads: Callable[[str, Any], Any] | None = None
    """Makes the field's value of a number or text; its first argument is the field's name."""
    is_repeatable: bool = False
    """Whether each value of a list has an option of its own; others are joined with commas."""
    short: str = ""
    """A second name on the command line: `-o`."""
    meaning: str = ""
    """What the keyword of the public function is, where that is more than on a command line."""


@dataclass(frozen=True)
class Argument(Option):
    """A field that a command line gives by its place."""


@dataclass(frozen=True)
class CommandParameter:
    """A field of a question, or a parameter of a command."""

    name: str
    option: Option
    kind: Any
    """Its type."""
    default: Any = None

    @property
    def is_argument(self) -> bool:
        """Whether its place gives it."""
        return isinstance(self.option, Argument)

    @property
    def flag(self) -> str:
        """How a command line writes it: `--reverse-rate`; an argument as its help does."""
        if self.is_argument:
            return (self.option.metavar or "").removesuffix("...").split("|")[0]
        prefix = "no_" if self.default is True else ""
        return "--" + (self.option.flag or (prefix + self.name).strip("_").replace("_", "-"))

    @property
    def words(self) -> list[str]:
        """How a command line names it: `-o`, `--report`; none where its place gives it."""
        return [] if self.is_argument else [*filter(None, [self.option.short]), self.flag]

    @property
    def is_switch(self) -> bool:
        """Whether it has no value."""
        return self._is(bool)

    @property
    def is_number(self) -> bool:
        """Whether its value is a whole number."""
        return self._is(int)

    @property
    def is_list(self) -> bool:
        """Whether its values are joined with commas."""
        return self._has_several and not self.is_repeatable

    @property
    def is_repeatable(self) -> bool:
        """Whether a command line may give it several times."""
        return self._has_several and (self.option.is_repeatable or self.is_argument)

    @property
    def _has_several(self) -> bool:
        origins = [get_origin(kind) for kind in (self.kind, *get_args(self.kind))]
        return any(origin in (list, Sequence) for origin in origins)

    @property
    def value(self) -> str:
        """The form of its value in help; empty for a switch."""
        return "" if self.is_switch else self.option.metavar or "NUMBER"

    def _is(self, kind: type) -> bool:
        return kind in (self.kind, *get_args(self.kind))


def option_of(annotation: Any) -> Option | None:
    """What an annotation declares, also of a field without an option on a command line."""
    metadata = getattr(annotation, "__metadata__", ())
    return next((data for data in metadata if isinstance(data, Option)), None)


def parameter(name: str, annotation: Any, default: Any = None) -> CommandParameter | None:
    """The parameter of a command line that an annotation declares; None where it has none."""
    option = option_of(annotation)
    if option is None or option.flag == "":
        return None
    kind = get_args(annotation)[0]
    return CommandParameter(name, option, kind, None if default is dataclasses.MISSING else default)


def of(question: Any, *, without: Sequence[str] = ()) -> tuple[CommandParameter, ...]:
    """The fields of a question that a command line may give."""
    fields = [field for name, field in _fields(question).items() if name not in without]
    parameters = [parameter(field.name, field.type, field.default) for field in fields]
    return tuple(each for each in parameters if each)


def defined(part: str, panel: str | None, usual: Sequence[str] = ()) -> dict[str, CommandParameter]:
    """The fields of a part of a scenario that its definition gives an option, by name.

    The complete help has them in `panel`, but for the `usual` ones.
    """
    fields = [field for field in parts()[part].fields if field.flag is not None]
    names = {field.name for field in fields}
    kinds = {"bool": bool, "u32": int, "u64": int}

    def word(match: re.Match[str]) -> str:
        return f"--{match[1].replace('_', '-')}" if match[1] in names else match[1]

    return {
        field.name: CommandParameter(
            field.name,
            Option(
                re.sub("`(.*?)`", word, field.short) + (f" [{field.usual}]" if field.usual else ""),
                field.flag or None,
                panel=None if field.name in usual else panel,
                reads=_READERS.get(field.measures) if field.measures else None,
            ),
            kinds.get(field.value, str),
        )
        for field in fields
    }


_READERS = {Kind.TIME: time_text, Kind.RATE: rate_text, Kind.SIZE: size_text}


@dataclass(frozen=True, kw_only=True)
class Question:
    """The fields of a question, with values as the simulator reads them."""

    def __post_init__(self) -> None:
        """Raises RequestError where a value is not of its field's kind."""
        for field in dataclasses.fields(self):
            option, value = option_of(field.type), getattr(self, field.name)
            if option is None or value is None:
                continue
            value = _checked(field.name, get_args(field.type)[0], value)
            if option.reads:
                value = option.reads(field.name, value)
            object.__setattr__(self, field.name, value)


def command_of(question: Question, words: Sequence[str]) -> str | None:
    """The command line that asks a question after these words.

    Values that are usual are left out. None where a value is not one that a command line has.
    """
    written = list(words)
    for each in of(type(question)):
        value = getattr(question, each.name)
        if value is None or value == each.default or (each.is_list and not value):
            continue
        several = value if each.is_repeatable and not isinstance(value, str) else [value]
        for single in several:
            if (text := _written(single, each)) is None:
                return None
            written += [text] if each.is_argument else [each.flag, *([text] if text else [])]
    return shlex.join(written)


def _written(value: Any, parameter: CommandParameter) -> str | None:
    """A value as a command line has it; empty for a switch."""
    if parameter.is_switch:
        return ""
    if parameter.is_list and not isinstance(value, str):
        texts = [_written(each, dataclasses.replace(parameter, kind=str)) for each in value]
        return None if None in texts else ",".join(map(str, texts))
    if isinstance(value, float) and parameter.option.reads is share:
        return f"{100 * value:g}%"
    return str(value) if isinstance(value, str | os.PathLike | int | float) else None


_RIGHT: dict[frozenset[Any], tuple[Any, str]] = {
    frozenset({int}): (Integral, "a whole number"),
    frozenset({bool}): (bool, "True or False"),
    frozenset({str}): (str, "text"),
    frozenset({Callable}): (Callable, "a function"),
    frozenset({str, os.PathLike}): ((str, os.PathLike), "a name"),
}
"""What values of a type are in Python, and in words."""


def _checked(name: str, kind: Any, value: Any) -> Any:
    """A value in the type of its field. Raises RequestError where it is of none."""
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    plain = frozenset(get_origin(each) or each for each in kinds) - {NoneType}
    scalars = tuple(each for each in plain if each is not Sequence)
    scalars += (int,) * (float in scalars)
    if Sequence in plain and not isinstance(value, scalars):
        if isinstance(value, str | Mapping | Set) or not isinstance(value, Iterable):
            raise RequestError(f"a list is needed, such as [{value!r}]", (name,), repr(value))
        return value if isinstance(value, Sequence) else list(value)
    if Sequence in plain:
        return value
    accepted, right = _RIGHT.get(plain, (object, ""))
    is_flag = isinstance(value, bool)
    if not isinstance(value, accepted) or (accepted is Integral and is_flag):
        raise RequestError(f"{right} is needed", (name,), repr(value))
    if accepted is Integral and abs(value) > LARGEST:
        raise RequestError(f"at most {LARGEST} is possible", (name,), value)
    return int(value) if accepted is Integral else value


def asking(question: Callable[P, Q]) -> Callable[[Callable[[Q], R]], Callable[P, R]]:
    """Makes a function of a question the public function of its fields, which it documents."""

    def decorate(answer: Callable[[Q], R]) -> Callable[P, R]:
        @functools.wraps(answer)
        def function(*args: P.args, **keywords: P.kwargs) -> R:
            _check_call(function, [question], args, keywords)
            return answer(question(*args, **keywords))

        _ASKED[function] = question, answer
        function.__annotations__ = {"return": answer.__annotations__["return"]}
        _document(function, str(answer.__doc__), [question])
        return function

    return decorate


class Either(Protocol[P, R, L, S]):
    """A public function of the fields of one question or the other."""

    @overload
    def __call__(self, *args: P.args, **keywords: P.kwargs) -> R: ...
    @overload
    def __call__(self, *args: L.args, **keywords: L.kwargs) -> S: ...


def either(
    name: str, first: Callable[P, R], other: Callable[L, S], *, keyword: str
) -> Either[P, R, L, S]:
    """The public function that is `other` where its `keyword` is given, and else `first`."""
    pairs = [_ASKED[first], _ASKED[other]]
    questions = [question for question, _ in pairs]

    @functools.wraps(first)
    def function(*args: Any, **keywords: Any) -> Any:
        _check_call(function, questions, args, keywords)
        is_other = keywords.get(keyword) is not None
        own, others = map(_fields, questions[::-1] if is_other else questions)
        for field in [field for field in keywords if field not in own]:
            if keywords.pop(field) not in (None, others[field].default):
                where = "with" if is_other else "without"
                raise RequestError(f"`{field}` has no meaning {where} `{keyword}`")
        question, answer = pairs[is_other]
        return answer(question(*args, **keywords))

    function.__name__ = function.__qualname__ = name
    returned = [each.__annotations__["return"] for each in (first, other)]
    function.__annotations__ = {"return": returned[0] | returned[1]}
    _document(function, str(inspect.unwrap(first).__doc__), questions)
    return cast(Either[P, R, L, S], function)


_ASKED: dict[Any, tuple[Any, Callable[[Any], Any]]] = {}
"""The question of each public function, and what answers it."""


def _fields(question: Any) -> dict[str, dataclasses.Field[Any]]:
    """The fields by name, those of base classes last."""
    own = question.__annotations__
    fields = sorted(dataclasses.fields(question), key=lambda field: field.name not in own)
    return {field.name: field for field in fields}


def _check_call(
    function: Any, questions: Sequence[Any], args: tuple[Any, ...], keywords: Mapping[str, Any]
) -> None:
    """Raises TypeError where a keyword is none of the questions' fields, or one is missing."""
    name = function.__name__
    known = [field for question in questions for field in _fields(question)]
    for keyword in keywords:
        if keyword not in known:
            near = _native.near(keyword, known)
            hint = f"; did you mean {' or '.join(near)}?" if near else f"; help({name}) lists all"
            raise TypeError(f"{name}() has no argument `{keyword}`{hint}")
    try:
        inspect.signature(function).bind(*args, **keywords)
    except TypeError as error:
        raise TypeError(f"{name}(): {error}; help({name}) lists all") from None


def _document(function: Any, about: str, questions: Sequence[Any]) -> None:
    """Gives a function the signature and the docstring of the fields of its questions."""
    fields: dict[str, dataclasses.Field[Any]] = {}
    for question in questions:
        fields |= {name: each for name, each in _fields(question).items() if name not in fields}
    parameters, lines = [], []
    for field in sorted(fields.values(), key=lambda field: bool(field.kw_only)):
        kind, option = get_args(field.type)
        kinds = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
        default = field.default
        if default is dataclasses.MISSING and field.kw_only:  # it chooses one of two questions
            kind, default = kind | None, None
        parameters.append(
            inspect.Parameter(
                field.name,
                kinds[not field.kw_only],
                default=inspect.Parameter.empty if default is dataclasses.MISSING else default,
                annotation=_Short(kind),
            )
        )
        function.__annotations__[field.name] = kind
        lines += textwrap.wrap(
            f"{field.name}: {_meaning(option, field.default)}",
            96,
            initial_indent="    ",
            subsequent_indent=" " * 8,
        )
    returned = _Short(function.__annotations__["return"])
    function.__signature__ = inspect.Signature(parameters, return_annotation=returned)
    summary, returns, rest = inspect.cleandoc(about).partition("\nReturns:")
    function.__doc__ = "\n".join([summary, "Args:", *lines, returns + rest])


def _meaning(option: Option, default: Any) -> str:
    """What a keyword is. A command line switches off what is on by default."""
    words = (option.meaning or option.help).replace(" Repeatable.", "")
    return f"False for {words[0].lower()}{words[1:]}" if default is True else words


class _Short:
    """A type as `help` shows it, without the modules of its parts."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        shown = re.sub(r"\b(?:\w+\.)+(?=\w)", "", inspect.formatannotation(self.kind))
        return re.sub(r"ForwardRef\('(.*?)'\)", r"\1", shown)
