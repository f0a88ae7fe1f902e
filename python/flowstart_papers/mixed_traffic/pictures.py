"""The figures of two camps over the share that switched: durations of both, and harm."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from flowstart_papers.experiment import Picture
from flowstart_papers.mixed_traffic.camps import Camp, Mixture
from flowstart_papers.mixed_traffic.tables import label

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Value: TypeAlias = Callable[[Mixture], float | None]
Name: TypeAlias = Callable[[Mixture], str]


def setting(each: Mixture) -> str:
    """A panel for each setting."""
    return label(each.setting)


def startup(each: Mixture) -> str:
    """A curve for each startup."""
    return each.startup


def of_camps(
    name: str,
    mixtures: Sequence[Mixture],
    *,
    panel: Name = setting,
    curve: Name = startup,
) -> list[Picture]:
    """Three figures: how long those who switched take, how long slow start's, and the harm."""
    draw = partial(_draw, mixtures, panel, curve)
    return [
        Picture(
            f"{name}-switched",
            "Median duration of the connections that switched. On the left, where none has, "
            "it is slow start's.",
            lambda: draw(_switched, "median of the switched (s)"),
        ),
        Picture(
            f"{name}-slow-start",
            "Median duration of the connections that stayed with slow start.",
            lambda: draw(_stayed, "median of slow start (s)"),
        ),
        Picture(
            f"{name}-harm",
            "Harm to slow start's camp beyond that which slow start does to the same connections. "
            "Harm is the part of their median duration that is due to the others.",
            lambda: draw(_harm, "harm beyond slow start's own"),
        ),
    ]


def _draw(
    mixtures: Sequence[Mixture], panel: Name, curve: Name, value: Value, what: str
) -> "Figure":
    from flowstart_papers.drawing import Axis, Panel, panels

    x = Axis("share that switched (%)", limits=(0, 100))
    drawn: list[Panel] = []
    for title in dict.fromkeys(panel(each) for each in mixtures):
        mine = [each for each in mixtures if panel(each) == title]
        unmixed = {setting(each): each for each in mine if each.share == 0}
        curves: dict[str, list[Mixture]] = {}
        for each in mine:
            if each.share > 0:
                curves.setdefault(curve(each), [unmixed[setting(each)]]).append(each)
        points = {
            name: ([each.share for each in found], [value(each) for each in found])
            for name, found in curves.items()
        }
        is_harm = value is _harm
        limits = _limits(mixtures if is_harm else mine, value, least=0.05 if is_harm else 0)
        level = {"slow start": 0.0} if is_harm else None
        drawn.append(Panel(x, Axis(what, limits=limits), points, title=title, level=level))
    return panels(*drawn)


def _limits(mixtures: Sequence[Mixture], value: Value, least: float) -> tuple[float, float]:
    """From below to above all values and zero; at least so far to both sides."""
    found = [number for each in mixtures if (number := value(each)) is not None]
    return 1.08 * min(*found, -least), 1.08 * max(*found, least)


def _switched(each: Mixture) -> float | None:
    return _median(each.switched or each.stayed)


def _stayed(each: Mixture) -> float | None:
    return _median(each.stayed)


def _median(camp: Camp | None) -> float | None:
    return camp.median_s if camp else None


def _harm(each: Mixture) -> float | None:
    if each.harm is None or each.harm_by_slow_start is None:
        return None
    return each.harm - each.harm_by_slow_start
