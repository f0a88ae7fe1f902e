"""Comparisons that were answered lately, so that a part of one is looked at without running it."""

import json
import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from flowstart.comparison.result import Comparison

MOST = 16


class Remembered:
    """The latest comparisons by what was given; for several threads."""

    def __init__(self) -> None:
        self._found: OrderedDict[str, Comparison] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, given: Mapping[str, Any]) -> Comparison | None:
        """The comparison of this state; None where it is not remembered."""
        key = _key(given)
        with self._lock:
            found = self._found.get(key)
            if found:
                self._found.move_to_end(key)
            return found

    def put(self, given: Mapping[str, Any], found: Comparison) -> None:
        """Remembers a comparison in the place of the one that was not looked at for longest."""
        key = _key(given)
        with self._lock:
            self._found[key] = found
            self._found.move_to_end(key)
            while len(self._found) > MOST:
                self._found.popitem(last=False)


def _key(given: Mapping[str, Any]) -> str:
    return json.dumps(given, sort_keys=True)
