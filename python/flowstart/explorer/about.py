"""What there is to choose from: startups, paths, stacks, options, and what is shown first."""

import json
from collections.abc import Mapping
from typing import Any

from flowstart import _native
from flowstart.explorer.settings import PageOption, PageSettings
from flowstart.model.catalog import Algorithm, list_algorithms
from flowstart.model.path import named_paths
from flowstart.model.stack import PRESETS


def about(settings: PageSettings) -> dict[str, Any]:
    """The answer of `/api/about`."""
    return {
        "version": _native.version(),
        "startups": [_algorithm(a) for a in list_algorithms("startup")],
        "avoidances": [_algorithm(a) for a in list_algorithms("cc")],
        "queues": [_algorithm(a) for a in list_algorithms("queue")],
        "custom": list(settings.custom),
        "paths": [_path(name, fields) for name, fields in named_paths().items()],
        "stacks": [{"name": name, "about": text} for name, text in PRESETS.items()],
        "fields": [_field(option) for option in settings.options.values()],
        "first": settings.first,
        "maps": [str(folder) for folder in settings.maps],
    }


def _algorithm(algorithm: Algorithm) -> dict[str, Any]:
    return {
        "name": algorithm.name,
        "title": algorithm.title,
        "summary": algorithm.summary,
        "needs": algorithm.needs_in_words,
        "certainty": algorithm.certainty_in_words,
        "params": [
            {"name": p.name, "unit": p.unit, "default": p.default, "meaning": p.meaning}
            for p in algorithm.params
        ],
    }


def _path(name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    options = {
        key.replace("_", "-"): _native.option_text(key, json.dumps(value))
        for key, value in fields.items()
        if key != "about"
    }
    return {"name": name, "about": fields["about"], "given": options}


def _field(option: PageOption) -> dict[str, Any]:
    return {
        "flag": option.flag,
        "value": option.value,
        "help": option.help,
        "usual": option.usual,
    }
