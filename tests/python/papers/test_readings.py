"""The grid of a paper's open inputs."""

from collections.abc import Callable, Mapping, Sequence

import pytest

from flowstart_papers import readings
from flowstart_papers.experiment import Experiment, Findings
from flowstart_papers.lab import Lab
from flowstart_papers.readings import OpenInput, Reading, Tried, alone, crossed, grid, literal
from flowstart_papers.target import Measured, Target, TargetClass

INPUTS = (
    OpenInput(name="recovery", says="SACK", readings={"sack": "named", "reno": "ns-2's default"}),
    OpenInput(name="window", says="nothing", readings={"3": "RFC 3390", "2": "RFC 2581"}),
)


def target(name: str, expected: float = 1.0, kind: str = "printed") -> Target:
    return Target(id=name, paper="p", experiment="P-1", figure="1", what="w", unit="",
                  expected=expected, kind="value", target_class=TargetClass(kind))  # fmt: skip


def measure(_: Lab, cells: Sequence[Reading]) -> list[Mapping[str, Measured]]:
    """`p.reno` holds under Reno, `p.two` with two packets under SACK, `p.no` never."""
    return [
        {
            "p.reno": Measured(float(cell["recovery"] == "reno")),
            "p.two": Measured(float(cell == {"recovery": "sack", "window": "2"})),
            "p.yes": Measured(1.0),
            "p.no": Measured(0.0),
        }
        for cell in cells
    ]


def test_the_first_reading_of_each_input_is_the_literal_one() -> None:
    assert literal(INPUTS) == {"recovery": "sack", "window": "3"}


def test_a_reading_changes_the_fields_that_its_input_names() -> None:
    inputs = readings.open_inputs("flowstart_papers.hystart")
    literal_one = readings.literal(inputs)
    assert readings.changes(inputs, literal_one) == {}
    moved = {**literal_one, "clock": "exact", "cc of Fig. 1": "Reno"}
    assert readings.changes(inputs, moved) == {"tick": "0s", "fig1_cc": "reno"}


def test_a_grid_has_each_reading_once_and_the_literal_one_first() -> None:
    cells = grid(alone(INPUTS), crossed(INPUTS, ["recovery", "window"]))
    assert [tuple(cell.values()) for cell in cells] == [
        ("sack", "3"),
        ("reno", "3"),
        ("sack", "2"),
        ("reno", "2"),
    ]


def test_only_inputs_that_are_open_are_crossed() -> None:
    with pytest.raises(ValueError, match="no open input is called rate"):
        crossed(INPUTS, ["rate"])


def experiment(
    cells: Sequence[Reading],
    kind: str = "printed",
    show: Callable[[Tried], Findings] = Tried.findings,
) -> Experiment:
    names = ("p.reno", "p.two", "p.yes", "p.no")
    return readings.experiment(
        name="P-READINGS", question="?", inputs=INPUTS, cells=cells,
        targets=[target(name, kind=kind) for name in names], measure=measure, show=show,
    )  # fmt: skip


def test_it_says_what_holds_literally_and_what_elsewhere() -> None:
    found = experiment(crossed(INPUTS, ["recovery", "window"])).run(Lab(None))
    assert list(found.answers) == [
        "Under the literal reading 1 of 4 statements hold; over 4 readings 1 to 2.",
        "Under every reading holds p.yes.",
        "Under none holds p.no.",
        "p.reno holds in 2 of 4 readings, among them all with recovery: reno.",
        "p.two holds in 1 of 4 readings, for example with window: 2.",
    ]
    rows = {table.name: table.rows for table in found.tables}
    assert [row["hold"] for row in rows["readings"]] == [1, 2, 2, 2]
    assert rows["readings"][0] == {
        "reading": "literal", "hold": 1, "of": 4, "do not hold": "p.reno, p.two, p.no"
    }  # fmt: skip
    assert len(rows["measured"]) == 16
    assert found.held is not None
    assert found.held.verdicts["p.yes"] == "met"


def test_it_draws_what_it_found() -> None:
    found = experiment(crossed(INPUTS, ["recovery", "window"])).run(Lab(None))
    (axis,) = found.pictures[0].draw().axes
    assert [label.get_text() for label in axis.get_yticklabels()][:2] == [
        "literal",
        "window: 2",
    ]


def test_the_grid_begins_with_the_literal_reading() -> None:
    with pytest.raises(ValueError, match="P-READINGS: the first cell is not the literal reading"):
        experiment(alone(INPUTS)[1:])


def test_what_the_paper_does_not_state_does_not_count() -> None:
    with pytest.raises(ValueError, match=r"p[.]reno: the paper does not state it"):
        experiment(alone(INPUTS), kind="prediction").run(Lab(None))


def test_many_statements_are_counted_and_drawn_by_group() -> None:
    groups = {"holds, somewhere": ["p.reno", "p.two"], "always": ["p.yes"]}

    def show(tried: Tried) -> Findings:
        assert [[str(one) for one in by.values()] for by in tried.by_group(groups)] == [
            ["0 of 2", "1 of 1"],
            ["1 of 2", "1 of 1"],
            ["1 of 2", "1 of 1"],
        ]
        return Findings(pictures=[tried.picture_by_group(groups, ["literal", "other"], "")])

    found = experiment(alone(INPUTS), show=show).run(Lab(None))
    (axis,) = found.pictures[0].draw().axes
    assert [text.get_text() for text in axis.texts] == ["0 of 2", "1 of 1", "1 of 2", "1 of 1"]
