"""The command that repeats a replay, and those that settle what it leaves open."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flowstart.captures.contents import Capture
from flowstart.captures.next_command import RECORDING
from flowstart.deployment import stacks as hosts
from flowstart.model import stack
from flowstart.replays.answer import SWITCH, WHEN, Questions
from flowstart.replays.settings import Settings

PATH = ("rate", "reverse_rate", "buffer", "reverse_buffer", "rtt", "loss")
"""The options that a recording of packets makes unnecessary."""


@dataclass(frozen=True)
class Invocation:
    """A replay as the command line has it."""

    capture: Capture
    settings: Settings
    questions: Questions

    @property
    def again(self) -> str:
        """The command that gives the same result."""
        return self.with_options()

    def with_options(self, *more: str) -> str:
        """The same command with further options."""
        return self._of([*self.capture.sources, *self.capture.options], *more)

    @property
    def with_units(self) -> tuple[str, ...]:
        """The same command with the units that warnings suggest; empty where they suggest none."""
        units, options = self.capture.other_units, self.capture.options
        others = options[2:] if options[:1] == ("--columns",) else options
        files = [*self.capture.sources, "--columns", units, *others]
        return (self._of(files),) if units else ()

    def of_file(self, file: str) -> str:
        """The same replay of another file."""
        return self._of([file])

    def _of(self, files: Sequence[str], *more: str) -> str:
        networks = [w for network in self.settings.networks for w in ("--network", network.written)]
        path = {name: getattr(self.settings, name) for name in PATH}
        return shlex.join([*_words(files), *self._options(path), *networks, *more])

    @property
    def of_recording(self) -> str:
        """The same replay of packets that were recorded, which show the path."""
        return shlex.join([*_words([RECORDING]), *self._options({})])

    def _options(self, path: dict[str, str | None]) -> list[str]:
        s = self.settings
        options: dict[str, Any] = {**path, "stack": stack.written(s.stack), "cc": s.cc}
        options |= {"cached_cwnd": s.cached_cwnd}
        usual = hosts.default_of(self.capture.about.get("format", ""))
        own = s.hosts.name in hosts.names() and s.stack is None and s.hosts.name != usual
        options |= {"recorded": s.hosts.name if own else None}
        options |= {"direction": s.direction if s.direction != "server" else None}
        options |= {"ignore": ",".join(sorted(s.ignore))}
        startups, baseline = (None, None) if s.by_default else (",".join(s.startups), s.baseline)
        options |= {"startup": startups, "seed": str(s.seed)}
        options |= {"baseline": baseline, "competing": ",".join(s.competing)}
        options |= {"cross_traffic": f"{100 * s.cross_traffic:g}%" if s.cross_traffic else None}
        options |= self.questions.options
        options |= {name: str(value) for name, value in s.impairments.items()}
        words = []
        for name in self.questions.when:
            words += ["--when", f"{WHEN}{name}"]
        for variant in () if s.by_default else s.variants:
            words += ["--variant", variant.written]
        for name, value in options.items():
            if value:
                words += [f"--{name.replace('_', '-')}", *([value] if value != SWITCH else [])]
        return words


def _words(files: Sequence[str]) -> list[str]:
    return ["flowstart", "replay", *files]
