"""The verdict in its machine-readable form; `docs/verdict.md` says what each field holds."""

from typing import Any

from flowstart.inference import Judgement, Verdict
from flowstart.inference.data import finite
from flowstart.inference.gates import Gate
from flowstart.replays.settings import Settings

VERSION = 1
"""Of this form; a field that changes its meaning or goes away makes it a new one."""


def of(verdict: Verdict, settings: Settings) -> dict[str, Any]:
    """The verdict as JSON types."""
    return {
        "version": VERSION,
        "baseline": verdict.baseline,
        "recommended": verdict.recommended,
        "ties": list(verdict.ties),
        "headline": verdict.headline,
        "settings": [_judgement(one, settings) for one in verdict.judgements],
    }


def _judgement(one: Judgement, settings: Settings) -> dict[str, Any]:
    variant = settings.compared[settings.names.index(one.setting)]
    gain = one.gain
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
            for found in settings.hosts.commands(variant, settings.reference)
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
