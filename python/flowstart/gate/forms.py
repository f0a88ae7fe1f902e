"""A gate's answer in the forms that CI systems read: JUnit and Markdown."""

from collections.abc import Sequence
from xml.etree import ElementTree

from flowstart.gate.judgement import Judged, Outcome
from flowstart.render.grid import Grid


def junit(judged: Sequence[Judged], base: str) -> bytes:
    """Each case as a test, which fails where the case is worse."""
    failures = sum(each.outcome == Outcome.WORSE for each in judged)
    suite = ElementTree.Element(
        "testsuite", name="flowstart gate", tests=str(len(judged)), failures=str(failures)
    )
    for each in judged:
        names = {"classname": f"gate.{each.variant}", "name": each.case}
        test = ElementTree.SubElement(suite, "testcase", names)
        if each.outcome == Outcome.WORSE:
            change = f"{100 * each.time.estimate:+.1f} % against {base}" if each.time else base
            causes = "; ".join(each.causes)
            ElementTree.SubElement(test, "failure", message=f"{causes} ({change})")
    ElementTree.indent(suite)
    written: bytes = ElementTree.tostring(suite, "utf-8", xml_declaration=True)
    return written


def markdown(answer: Sequence[str], grid: Grid) -> bytes:
    """The answer, and a table of the cases that changed."""
    titles = [column.title for column in grid.columns]
    rules = ["---:" if column.number else "---" for column in grid.columns]
    lines = [titles, rules, *grid.rows]
    table = ["| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines]
    return "\n".join([*(f"{line}\n" for line in answer), *table, ""]).encode()
