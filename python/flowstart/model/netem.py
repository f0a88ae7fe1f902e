"""A path as `tc` configures it, with netem and tbf.

    netem delay 40ms 5ms loss 1%; tbf rate 20mbit burst 10kb latency 50ms

Units are those of iproute2. The delay of one interface is the path's RTT.
"""

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from flowstart.errors import RequestError
from flowstart.model import quantities

QDISCS = ("netem", "tbf")
PACKET_BYTES = 1500
USUAL_LIMIT = 1000
"""Packets that netem holds unless `limit` is given, those in its delay among them."""
SPREAD = 3
"""A normal delay reaches so many standard deviations below its mean."""

_BITS = {"bit": 1.0, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9}
_RATES = _BITS | {"bps": 8.0, "kbps": 8e3, "mbps": 8e6, "gbps": 8e9}
"""Bits per second; tc's bps are bytes."""
_SIZES = {"": 1, "b": 1, "k": 1024, "kb": 1024, "kbit": 128, "m": 1 << 20, "mb": 1 << 20}
_TIMES = {"": 1e-6, "us": 1e-6, "usec": 1e-6, "ms": 1e-3, "msec": 1e-3, "s": 1.0, "sec": 1.0}

Words: TypeAlias = list[str]
Fields: TypeAlias = dict[str, Any]


def is_one(text: str) -> bool:
    """Whether a text names one of the disciplines."""
    return any(word in QDISCS for word in text.split())


def fields(text: str) -> Fields:
    """The fields of the path.

    Raises RequestError where a word is unknown, or means what the simulator does not have.
    """
    given: dict[str, Any] = {}
    for name, words in _qdiscs(text):
        for key, value in _netem(words) if name == "netem" else _tbf(words):
            if key in given:
                raise _wrong(f"`{key.removeprefix('tbf ')}` is given twice")
            given[key] = value
    return _path(given)


def _qdiscs(text: str) -> Iterator[tuple[str, Words]]:
    """Each discipline with the words that follow it."""
    words = text.replace(";", " ").replace("\\", " ").split()
    starts = [place for place, word in enumerate(words) if word in QDISCS]
    for start, end in zip(starts, [*starts[1:], len(words)], strict=True):
        mine = words[start + 1 : end]
        if "tc" in mine:  # the next command begins
            mine = mine[: mine.index("tc")]
        yield words[start], mine


def _netem(words: Words) -> Iterator[tuple[str, Any]]:
    while words:
        match words.pop(0):
            case "delay" | "latency":
                yield from _delay(words)
            case "distribution":
                yield "distribution", _next(words, "`normal` or `uniform`")
            case "loss":
                yield "loss", _loss(words)
            case "rate":
                yield "rate", _measure(words, _RATES, "a rate, such as `20mbit`")
            case "limit":
                yield "limit", _measure(words, {"": 1}, "a number of packets")
            case word:
                raise _wrong(f"netem `{word}`: delay, distribution, loss, rate and limit are known")


def _delay(words: Words) -> Iterator[tuple[str, Any]]:
    yield "delay", _measure(words, _TIMES, "a time, such as `40ms`")
    if words and re.fullmatch(r"[\d.]+[a-z]*", words[0]):
        yield "jitter", _measure(words, _TIMES, "a time, such as `5ms`")
    if words and words[0].endswith("%"):
        raise _wrong(f"`{words[0]}`: correlated delays are not simulated")


def _loss(words: Words) -> str:
    if words[:1] == ["random"]:
        words.pop(0)
    share = _next(words, "a share, such as `1%`")
    if not re.fullmatch(r"[\d.]+%", share):
        raise _wrong(f"loss `{share}`: a share is needed, such as `1%`")
    if words and words[0].endswith("%"):
        raise _wrong(f"`{words[0]}`: correlated loss is not simulated here; see --loss-burst")
    return share


def _tbf(words: Words) -> Iterator[tuple[str, Any]]:
    if not {"latency", "limit"} & set(words):
        raise _wrong("tbf: `latency` or `limit` is missing; needed, such as `latency 50ms`")
    while words:
        match words.pop(0):
            case "rate":
                yield "rate", _measure(words, _RATES, "a rate, such as `20mbit`")
            case "burst" | "buffer" | "maxburst":
                yield "tbf burst", _measure(words, _SIZES, "a size, such as `10kb`")
            case "latency":
                yield "tbf latency", _measure(words, _TIMES, "a time, such as `50ms`")
            case "limit":
                yield "tbf limit", _measure(words, _SIZES, "a size, such as `100kb`")
            case word:
                raise _wrong(f"tbf `{word}`: rate, burst, latency and limit are known")


def _path(given: dict[str, Any]) -> Fields:
    """The path that the values describe."""
    delay, jitter, rate = given.get("delay", 0.0), given.get("jitter", 0.0), given.get("rate")
    found: Fields = {"rtt": quantities.seconds(delay)}
    if rate is not None:
        found["rate"] = quantities.bps(rate)
    if "loss" in given:
        found["loss"] = given["loss"]
    if jitter:
        found |= _jitter(delay, jitter, given.get("distribution", "uniform"))
    if rate is not None and "tbf latency" not in given and "tbf limit" not in given:
        found["buffer"] = f"{_beyond_the_delay(given, rate, delay)}pkt"
    elif rate is not None:
        bytes_ = given.get("tbf limit", given.get("tbf burst", 0))
        bytes_ += rate * given.get("tbf latency", 0.0) / 8
        found["buffer"] = f"{max(round(bytes_), PACKET_BYTES)}B"
    return found


def _beyond_the_delay(given: dict[str, Any], rate: float, delay: float) -> int:
    """Packets of netem's limit that are left for a queue.

    The limit counts packets in the delay. A limit below these drops before there is a queue.
    """
    limit = given.get("limit", USUAL_LIMIT)
    delayed = round(rate * delay / 8 / PACKET_BYTES)
    if limit <= delayed:
        raise _wrong(
            f"netem's limit of {limit:,.0f} packets includes the {delayed:,} in its delay, so it "
            f"drops before the rate is used; above `limit {delayed}` is needed"
        )
    return int(limit - delayed)


def _jitter(delay: float, jitter: float, law: str) -> Fields:
    """Delays that vary around `delay`; the RTT is the smallest one."""
    seconds = quantities.seconds
    if jitter > delay:
        raise _wrong(f"a delay of `{seconds(delay)}` with more jitter: at most that is possible")
    if law == "uniform":
        least, drawn = delay - jitter, f"uniform:most={seconds(2 * jitter)}"
    elif law == "normal":
        least = max(delay - SPREAD * jitter, 0.0)
        drawn = f"normal:mean={seconds(delay - least)},sd={seconds(jitter)}"
    else:
        raise _wrong(f"distribution `{law}`: `normal` and `uniform` are known")
    return {"rtt": seconds(least), "jitter": drawn}


def _measure(words: Words, units: dict[str, Any], right: str) -> float:
    """The next word as a number times its unit."""
    word = _next(words, right)
    found = re.fullmatch(r"(\d+\.?\d*)([a-z]*)", word.lower())
    if not found or found[2] not in units:
        raise _wrong(f"`{word}`: {right} is needed")
    return float(found[1]) * float(units[found[2]])


def _next(words: Words, right: str) -> str:
    if not words:
        raise _wrong(f"{right} is missing at the end")
    return words.pop(0)


def _wrong(problem: str) -> RequestError:
    return RequestError(problem, ("path",))
