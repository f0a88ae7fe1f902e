"""Where well-known startups do worst: searched for by `make worst-paths`, told on their pages.

    python tools/docs/worst.py          searches anew, and writes worst.json

The pages that `tools/docs/pages.py` writes show what is in `worst.json`; a test repeats every
finding.
"""

import functools
import json
import pathlib
import sys
from typing import Any

import flowstart as fs

KEPT = pathlib.Path(__file__).parent / "worst.json"
STARTUPS = (
    *("slow-start", "limited-slow-start", "jump-start", "swift-start", "hystart"),
    *("hystart-plus-plus", "search", "rapid-start", "suss", "bbr-startup", "halfback"),
    "paced-chirping",
)
"""Well-known startups: the worst of each is searched for, compared with the others."""
SEARCHED = (*STARTUPS, "gauge")
"""Ours is compared with all of them, and is none of those that others are compared with."""
RUNS = 400
DISTINCT = 4
TOLD = ("score", "where", "why", "best", "command")
TIMES = ("row", "best_row")


def search() -> None:
    """Searches for the worst of each startup, and keeps it."""
    found = {}
    for startup in SEARCHED:
        against = _others(startup)
        worst = fs.find_worst_paths(
            startup, against=against, runs=RUNS, distinct=DISTINCT
        ).to_dict()
        print(startup, [round(one["score"], 2) for one in worst["findings"]], file=sys.stderr)
        found[startup] = [_kept(one) for one in worst["findings"]]
    KEPT.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _others(startup: str) -> list[str]:
    return [name for name in STARTUPS if name != startup]


def _kept(one: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a finding."""
    fct = {one[row]["startup"]: one[row]["fct_s"] for row in TIMES}
    return {name: one[name] for name in TOLD} | {"fct_s": fct}


@functools.cache
def findings() -> dict[str, list[dict[str, Any]]]:
    """The findings that are kept, by startup."""
    found: dict[str, list[dict[str, Any]]] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def section(startup: str) -> list[str]:
    """What a startup's page says of its worst; nothing of those that were not looked at."""
    found = findings().get(startup)
    if not found:
        return []
    others = len(_others(startup))
    told = [
        f"- {one['score']:.1f} times the time of `{one['best']}`: {one['where']}. {one['why']}.\n"
        f"  `{one['command']}`"
        for one in found
    ]
    tried = (
        f"`flowstart worst {startup}` tried {RUNS} paths under `linux` and compared {others} other "
        "startups. These are the worst paths that differ in their impairments; times "
        "are medians of three seeds:"
    )
    return [
        "## Where it does worst",
        tried,
        "\n".join(told),
    ]


if __name__ == "__main__":
    search()
