"""The verdict in its machine-readable form; `docs/verdict.md` says what each field holds."""

from collections.abc import Mapping, Sequence
from typing import Any

from flowstart.deployment.stacks import Commands
from flowstart.inference import Judgement, Verdict
from flowstart.inference.data import finite
from flowstart.inference.gates import Gate
from flowstart.replays.settings import Settings
from flowstart.replays.when import Partial

VERSION = 1
"""Of this form; a field that changes its meaning or goes away makes it a new one."""


def partial(found: Partial, settings: Settings) -> dict[str, Any]:
    """The verdict on one network, with the commands that are limited to it."""
    return of(found.verdict, settings, found.commands)


def of(
    verdict: Verdict,
    settings: Settings,
    limited: Mapping[str, Sequence[Commands]] | None = None,
) -> dict[str, Any]:
    """The verdict as JSON types; `limited` has commands in the place of those for whole hosts."""
    return {
        "version": VERSION,
        "baseline": verdict.baseline,
        "recommended": verdict.recommended,
        "ties": list(verdict.ties),
        "headline": verdict.headline,
        "settings": [_judgement(one, settings, limited) for one in verdict.judgements],
    }


def _judgement(
    one: Judgement, settings: Settings, limited: Mapping[str, Sequence[Commands]] | None
) -> dict[str, Any]:
    variant, gain = settings.variant(one.setting), one.gain
    commands: Sequence[Commands] = settings.hosts.commands(variant, settings.reference)
    if limited is not None:
        commands = limited[one.setting]
    return {
        "setting": one.setting,
        "status": str(one.status),
        "reason": one.reason,
        "gain": {
            "geomean_change": finite(gain.estimate),
            "low": finite(gain.low),
            "high": finite(gain.high),
            "transfers": gain.transfers,
            "significant": gain.gains,
        },
        "vetoes": [
            {"kind": gate.kind, "part": gate.part, "quantity": str(gate.quantity)}
            for gate in one.vetoes
        ],
        "gates": [_gate(gate) for gate in one.gates],
        "commands": [
            {
                "stack": found.stack,
                "set": list(found.set),
                "revert": list(found.revert),
                "sources": list(found.sources),
            }
            for found in commands
        ],
    }


def _gate(gate: Gate) -> dict[str, Any]:
    return {
        "kind": gate.kind,
        "part": gate.part,
        "quantity": str(gate.quantity),
        "baseline": gate.baseline,
        "estimate": finite(gate.estimate),
        "low": finite(gate.low),
        "high": finite(gate.high),
        "limit": finite(gate.limit),
        "transfers": gate.transfers,
        "outcome": str(gate.outcome),
    }
