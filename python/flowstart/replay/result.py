"""What the replay of a capture came to."""

import dataclasses
import functools
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flowstart import _native
from flowstart.captures.contents import Capture
from flowstart.model import buffers, custom, randomness, stack
from flowstart.model.document import Document, queues, resolve
from flowstart.model.path import told_interface
from flowstart.render import footnotes, html
from flowstart.replay import tables
from flowstart.replay.conversations import conversations
from flowstart.replay.jobs import job
from flowstart.replay.paths import ReplayPath, resolved
from flowstart.replay.scenario import apart
from flowstart.replay.settings import PARTS, Settings
from flowstart.replay.summary import EVERYTHING, ClassSummary, baseline, summarise
from flowstart.simulation import frames

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

MORE_LOST = (2, 0.01)
"""It is said where a replay loses so many times the capture's share, and so much more."""


@dataclass(frozen=True, repr=False)
class Replay:
    """What the replay of a capture came to."""

    capture: Capture
    settings: Settings
    paths: list[ReplayPath]
    left_out: dict[str, int]
    """Transfers that cannot be replayed, by reason."""
    rows: list[dict[str, Any]]
    """One dictionary per transfer, start-up and mode."""
    interrupted: bool = False
    failures: list[str] = field(default_factory=list)

    @functools.cached_property
    def frame(self) -> "pl.DataFrame":
        """One row per transfer, start-up and mode."""
        columns = {name: [row[name] for row in self.rows] for row in self.rows[:1] for name in row}
        return frames.frame(columns)

    @functools.cached_property
    def summaries(self) -> list[ClassSummary]:
        """One summary per size class and start-up, all sizes last."""
        return summarise(self.rows, self.settings.startups)

    @property
    def command(self) -> str:
        """The command that gives the same result."""
        s = self.settings
        options = {
            name: getattr(s, name)
            for name in ("rate", "reverse_rate", "buffer", "reverse_buffer", "rtt", "loss")
        }
        options |= {"stack": stack.written(s.stack), "avoidance": s.avoidance}
        options |= {"remembered": s.remembered}
        options |= {"direction": s.direction if s.direction != "server" else None}
        options |= {"without": ",".join(sorted(s.without))}
        options |= {"startup": ",".join(s.startups), "seed": str(s.seed)}
        words = ["flowstart", "compare"]
        for file in self.capture.files:
            words += ["--capture", file]
        for name, value in options.items():
            if value:
                words += [f"--{name.replace('_', '-')}", value]
        return shlex.join(words)

    @functools.cached_property
    def resolved(self) -> dict[str, Document]:
        """The whole configuration of one transfer under each start-up, on the first path."""
        replayed, s = self.paths[0], self.settings
        talks = conversations(next(replayed.traffic.chunks()))
        found = {}
        for variant in s.compared:
            one = next(apart(talks))
            scenario = job(replayed, variant, "alone", one, s).scenario
            found[variant.name] = resolve(scenario, s.custom)
        return found

    @functools.cached_property
    def drawn(self) -> list[str]:
        """What is drawn at random, in words; another seed draws something else."""
        return randomness.drawn(self.resolved[self.settings.startups[0]])

    @functools.cached_property
    def notes(self) -> list[str]:
        """What a reader of the table has to know of its start-ups, queues and seed."""
        s = self.settings
        notes = footnotes.footnotes(
            footnotes.Setting(
                startups=s.startups,
                remembered=[s.remembered] if s.remembered else [],
                memory_option="--remembered 1bdp gives each path its own",
                interfaces=[
                    told_interface(replayed.path).get("interface_rate") for replayed in self.paths
                ],
                queues={name: queues(document) for name, document in self.resolved.items()},
                drawn=self.drawn,
                seeds=1,
                seed_option=f"--seed {s.seed + 1}",
            )
        )
        return notes + self._recalled() + self._left_out() + self._beyond_the_capture()

    def _recalled(self) -> list[str]:
        """Says what start-ups that use a memory have had."""
        s = self.settings
        if s.remembered or not any(footnotes.uses_memory(str(v.begins)) for v in s.compared):
            return []
        who = "what earlier connections with the same network have left in the replay itself"
        return [f"remembered: {who}, for {s.memory_lifetime}; nothing where one runs alone."]

    def _left_out(self) -> list[str]:
        """Says which parts of the capture were not replayed."""
        return [f"not replayed: {name} ({PARTS[name]})." for name in sorted(self.settings.without)]

    def _beyond_the_capture(self) -> list[str]:
        """Says where the replay loses far more than the capture: a buffer may be too small."""
        startup, before = baseline(self.settings.startups), self.capture.retransmitted_share
        rows = [s for s in self.summaries if (s.size_class, s.startup) == (EVERYTHING, startup)]
        lost = rows[0].loss if rows else None
        if lost is None or before is None or self.settings.loss:
            return []
        times, more = MORE_LOST
        if lost <= times * before + more:
            return []
        under = f"{lost:.2%} of the packets under {custom.short(startup)}"
        was = f"{before:.2%} were retransmitted in the capture"
        said = f"the replay loses more than the capture did: {under}; {was}."
        return [f"{said} --buffer sets another buffer."]

    @functools.cached_property
    def warnings(self) -> list[str]:
        """What was asked for and was perhaps not meant."""
        s = self.settings
        asked = {"buffer": s.buffer, "reverse_buffer": s.reverse_buffer}
        given = {name: said for name, said in asked.items() if said}
        found = []
        for replayed in self.paths:
            filled = resolved(replayed.path, s)
            window = buffers.initial_window(filled["stack"])
            few = buffers.handfuls(given, filled["path"], window)
            found += [(n, field, said, window, replayed.name) for field, (said, n) in few.items()]
        if not found:
            return []
        packets, field, said, window, name = min(found)
        paths = len({name for *_, name in found})
        more = f" and a handful on {paths - 1} more" if paths > 1 else ""
        return [buffers.warning(field, said, packets, f" on {name}{more}", window=window)]

    @property
    def all_failed(self) -> bool:
        """Whether no transfer was completed."""
        return bool(self.rows) and not any(row["complete"] for row in self.rows)

    def result(self) -> dict[str, Any]:
        """Everything as one JSON document."""
        return {
            "flowstart": _native.version(),
            "command": self.command,
            "capture": {
                "file": self.capture.file,
                "summary": self.capture.summary,
                "warnings": self.capture.warnings,
                "notes": self.capture.notes,
            },
            "paths": [
                {
                    "name": replayed.name,
                    **replayed.path,
                    "rate_method": replayed.rate_method,
                    "buffer_method": replayed.buffer_method,
                    "assumed": list(replayed.assumed),
                    "transfers": replayed.transfers,
                }
                for replayed in self.paths
            ],
            "left_out": self.left_out,
            "drawn": self.drawn,
            "notes": self.notes,
            "warnings": self.warnings,
            "interrupted": self.interrupted,
            "failures": self.failures,
            "classes": [dataclasses.asdict(s) for s in self.summaries],
            "rows": self.rows,
        }

    def plot(self) -> "Figure":
        """Completion times by size class, and how many transfers are hurt."""
        from flowstart.replay.figures import by_class  # loads matplotlib

        s = self.settings
        ends = [stack.written(s.stack) or "rfc", *filter(None, [s.avoidance])]
        *_, file = self.capture.file.split("/")
        about = f"{file}, stack {', '.join(ends)}, seed {s.seed}"
        return by_class(self.summaries, about)

    def _repr_html_(self) -> str:
        from flowstart.render import charts  # loads matplotlib

        figure = html.picture(charts.svg(self.plot()), "Completion by size class")
        return html.table(tables.classes(self.summaries)) + figure
