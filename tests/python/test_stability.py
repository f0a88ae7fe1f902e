"""Nothing that users rely on goes away unnoticed: docs/reference/stability.md."""

import json
from typing import Any

import pytest

import release_check
import stability
from flowstart.render import columns

REMEDY = (
    "users rely on these: restore them; or raise the version, name old and new in CHANGELOG.md "
    "and run `make stability-record` (docs/reference/stability.md)"
)


@pytest.fixture(scope="module")
def facts() -> dict[str, list[str]]:
    return stability.facts()


def test_what_users_rely_on_is_as_recorded_or_more(facts: dict[str, list[str]]) -> None:
    recorded = json.loads(stability.FILE.read_text("utf-8"))
    assert release_check.gone(recorded, facts) == [], REMEDY


def test_a_column_without_its_unit_is_gone(
    facts: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    flows = columns.Table("flows", "", (columns.Column("fct_s", "number", "", None, "none"),))
    monkeypatch.setattr(columns, "tables", lambda: {"flows": flows})
    now = facts | {"columns": [*stability.table_columns()]}
    assert "columns: flows.fct_s: number, seconds" in release_check.gone(facts, now)


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        ({"properties": {"b": {"type": "number"}}}, ["/a", "/a is optional", '/a/type: "null"']),
        ({"properties": {"a": {"type": "number"}}}, ['/a/type: "null"']),
        ({"required": ["a"]}, ["/a is optional"]),
        ({"properties": {"a": {"type": ["null", "number", "string"]}}}, []),
    ],
)
def test_a_schema_that_takes_less_loses_facts(change: dict[str, Any], lost: list[str]) -> None:
    before = {"properties": {"a": {"type": ["null", "number"]}}}
    facts = [{"x": [*stability.schema(one)]} for one in (before, before | change)]
    gone = release_check.gone(*facts)
    assert {f"x: {fact}" for fact in lost} <= {*gone}
    assert bool(gone) == bool(lost)
