"""Writes what the pages take from elsewhere: algorithms, code, tables, output, pictures.

`make docs` runs it; with `--check` it writes nothing and names what is stale.
"""

import dataclasses
import pathlib
import re
import sys
from dataclasses import dataclass
from typing import Any

import cached_state
import columns
import commands
import demo
import exits
import fidelity
import flowstart as fs
import paper_pages
import path_pages
import published
import qualification
import reference
import resume
import stubs
import tables
import worst
from figure import Exit, Figure
from flowstart import text
from flowstart.model import catalog
from flowstart.model.path import INTERFACE
from flowstart.simulation.series import Series, of_flow
from reference import cell

ROOT = pathlib.Path(__file__).parents[2]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
PAGES = REFERENCE / "algorithms"
PATHS = REFERENCE / "paths"
PAPERS = REFERENCE / "papers"
IMAGES = DOCS / "images"


@dataclass(frozen=True)
class Stage:
    """The path and the traffic on which algorithms of one kind are drawn."""

    path: fs.NetworkPath
    size: str | None
    seconds: float
    """How much of it is drawn."""
    most: float
    """The largest window that is drawn, in bandwidth-delay products."""
    pale: str
    """The algorithm that stands pale behind every other."""
    words: str


STAGES: dict[catalog.Kind, Stage] = {
    "startup": Stage(
        fs.NetworkPath(rate="20Mbps", rtt="100ms", buffer="1bdp"),
        size="3MB",
        seconds=2.5,
        most=4,
        pale="slow-start",
        words="3 MB over 20 Mbit/s × 100 ms with a buffer of one bandwidth-delay product "
        "(166 packets), stack `rfc`, cc `reno`",
    ),
    "cc": Stage(
        fs.NetworkPath(rate="20Mbps", rtt="50ms", buffer="1bdp"),
        size=None,
        seconds=40,
        most=2.5,
        pale="reno",
        words="an endless flow over 20 Mbit/s × 50 ms with a buffer of one bandwidth-delay "
        "product (83 packets), stack `rfc`, startup `hystart`",
    ),
    "queue": Stage(
        fs.NetworkPath(rate="20Mbps", rtt="50ms", buffer="2bdp"),
        size=None,
        seconds=20,
        most=4.5,
        pale="drop-tail",
        words="an endless flow over 20 Mbit/s × 50 ms with a buffer of two bandwidth-delay "
        "products (166 packets), stack `rfc`, startup `slow-start`, cc `reno`",
    ),
}

FINDINGS = {
    "search": Stage(
        fs.NetworkPath(rate="20Mbps", rtt="100ms", buffer="6bdp"),
        size=None,
        seconds=2.5,
        most=7,
        pale="search:variant=initial-rtt",
        words="an endless flow over 20 Mbit/s × 100 ms with a buffer of six bandwidth-delay "
        "products (1000 packets), stack `rfc`, cc `reno`",
    )
}
"""What a source's opening tells that its authors do not, and where it is drawn."""

KINDS = {
    "startup": "startup",
    "cc": "congestion control",
    "queue": "queue discipline",
}

HELP: dict[str, tuple[dict[str, Any], str]] = {
    "cache": (
        {"cached_cwnd": "1bdp"},
        "The cached window is one bandwidth-delay product.",
    ),
    "interface": (
        {"interface_rate": INTERFACE},
        f"The sender's interface runs at {text.rate(1e9)}.",
    ),
    "peer": ({}, "The peer supports the startup."),
    "routers": ({}, "The routers support it; they admit by RFC 4782 appendix D."),
}
L4S_STACK, L4S_QUEUE = "rfc:ecn=l4s", "dualpi2"
"""What a scalable congestion control is shown with."""
ROUTERS = "The routers support it: their queues are `{}`."
"""What an algorithm is given that needs more than its sender has, and what a page says of it."""


def main(arguments: list[str]) -> int:
    """Writes the pages, or says which are stale; returns the exit status."""
    wrong = stale()
    if arguments == ["--check"]:
        for path in wrong:
            print(f"{path.relative_to(ROOT)} is stale; `make docs` writes it anew")
        return 1 if wrong else 0
    for path, content in wrong.items():
        if content is None:
            path.unlink()
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(content, "utf-8")
        print(path.relative_to(ROOT), "removed" if content is None else "written")
    return 0


def stale() -> dict[pathlib.Path, str | bytes | None]:
    """The files that are not as they should be, and how they should be; None for not at all."""
    written = {PAGES: pages(), PATHS: path_pages.pages(), PAPERS: paper_pages.pages()}
    wanted: dict[pathlib.Path, str] = {
        folder / name: text for folder, texts in written.items() for name, text in texts.items()
    }
    for name, content in fidelity.files().items():
        wanted[(REFERENCE if name.endswith(".md") else IMAGES) / name] = content
    wanted[IMAGES / demo.NUMBERS] = demo.numbers()
    wanted[REFERENCE / "exits.md"] = exits.page()
    wanted[qualification.PAGE] = qualification.page()
    wanted[DOCS / "concepts" / "cached-state.md"] = cached_state.page()
    wanted[DOCS / "concepts" / "resume.md"] = resume.page()
    wanted[IMAGES / "exits.svg"] = exits.picture()
    wanted[REFERENCE / "sources.md"] = sources(fs.list_algorithms("startup"))
    wanted[REFERENCE / "fields.md"] = reference.page()
    wanted[REFERENCE / "columns.md"] = columns.page()
    model = ROOT / "python" / "flowstart" / "model"
    wanted[model / "signals.pyi"] = stubs.signals()
    wanted[model / "fields.pyi"] = stubs.fields()
    for page in by_hand():
        wanted.setdefault(page, filled(page.read_text("utf-8")))
    found: dict[pathlib.Path, str | bytes | None] = {
        path: content
        for path, content in wanted.items()
        if not path.exists() or path.read_text("utf-8") != content
    }
    if demo.shows(IMAGES / demo.PICTURE) != demo.digest(demo.numbers()):
        found[IMAGES / demo.PICTURE] = demo.picture()
    return found | {
        path: None for folder in written for path in folder.glob("*") if path not in wanted
    }


def by_hand() -> list[pathlib.Path]:
    """The pages that a person writes, in which code, tables and output are filled in."""
    return [*DOCS.glob("*.md"), *DOCS.glob("*/*.md"), ROOT / "README.md"]


def filled(page: str) -> str:
    """A page with the code, the tables and the output in it as they are now."""
    return commands.with_output(tables.with_tables(with_code(counted(page))))


MENTIONED = 7
"""Startups that the README names."""


def counted(page: str) -> str:
    """The README with the number of startups that it does not name."""
    others = sum(a.kind == "startup" for a in fs.list_algorithms()) - MENTIONED
    return re.sub(r"(BBR\s+and )\d+( others are)", rf"\g<1>{others}\2", page)


# Code within pages.

_INCLUDED = re.compile(r"(<!-- (?P<file>\S+) -->\n```\w+\n)(?:.*\n)*?(?P<end>```\n)", re.MULTILINE)


def with_code(page: str) -> str:
    """A page with the files in it that its marks `<!-- FILE -->` name, as they are now."""

    def include(found: re.Match[str]) -> str:
        code = (ROOT / found["file"]).read_text("utf-8").rstrip()
        return f"{found[1]}{code}\n{found['end']}"

    return _INCLUDED.sub(include, page)


# A page per algorithm.


def pages() -> dict[str, str]:
    """Every generated file by its name: pages, figures, and the list of all."""
    found = {"README.md": index(fs.list_algorithms())}
    for kind, stage in STAGES.items():
        listed = {a.name: a for a in fs.list_algorithms() if a.kind == kind}
        pale = traced(listed[stage.pale], stage)
        for algorithm in listed.values():
            shown = pale if algorithm.name == stage.pale else traced(algorithm, stage)
            found[f"{stem(algorithm)}.svg"] = figure(stage, algorithm, shown, pale).svg()
            told: list[str] = []
            if algorithm.name in FINDINGS and kind == "startup":
                told, found[f"{stem(algorithm)}-finding.svg"] = finding(algorithm)
            found[f"{stem(algorithm)}.md"] = page(algorithm, stage, shown, told)
    return found


def stem(algorithm: fs.Algorithm) -> str:
    """What its page is called: a second algorithm of a name adds its kind."""
    first = fs.get_algorithm(algorithm.name)
    return algorithm.name if algorithm == first else f"{algorithm.name}-{algorithm.kind}"


def has_routers(algorithm: fs.Algorithm) -> bool:
    """Whether it is a startup and a queue at once, of which one is nothing without the other."""
    return len(catalog.named(algorithm.name)) > 1


@dataclass(frozen=True)
class Shown:
    """An algorithm on its stage."""

    row: dict[str, object]
    series: Series
    buffer: float


def traced(algorithm: fs.Algorithm, stage: Stage, startup: str = "") -> Shown:
    """What an algorithm does on its stage; `startup` has its parameters where any are given."""
    name, kind = startup or algorithm.name, algorithm.kind
    help_: dict[str, Any] = {}
    for need in algorithm.needs:
        help_ |= HELP.get(need, ({}, ""))[0]
    usual = "hystart" if kind == "cc" else "slow-start"
    if kind == "queue" and has_routers(algorithm):
        usual = name
    flow = fs.Flow(
        size=stage.size,
        startup=name if kind == "startup" else usual,
        cc=name if kind == "cc" else "reno",
        **help_ if kind == "startup" else {},
    )
    queue = name if kind == "queue" else L4S_QUEUE if "l4s" in algorithm.needs else None
    path = dataclasses.replace(stage.path, queue=queue) if queue else stage.path
    duration = None if stage.size else f"{stage.seconds:g}s"
    stack = L4S_STACK if "l4s" in algorithm.needs else "rfc"
    described = fs.Scenario(path=path, flows=[flow], stack=stack, duration=duration)
    run = fs.run(described, trace=True)
    row = run.records[0]
    buffer = re.match(r"\d+", str(run.about["buffer"]))
    assert buffer, run.about
    return Shown(row, of_flow(run.outcome, 0, name), float(buffer[0]))


def figure(stage: Stage, algorithm: fs.Algorithm, shown: Shown, pale: Shown) -> Figure:
    """An algorithm's window beside that of the one it is compared with."""
    row = shown.row
    left = None
    if algorithm.kind == "startup" and row["startup_exit_reason"]:
        left = Exit(
            float(str(row["startup_exit_s"])),
            float(str(row["startup_exit_cwnd_segments"])),
            str(row["startup_exit_reason"]),
        )
    return Figure(
        title=f"The window of {algorithm.name} over time",
        shown=shown.series,
        pale=None if algorithm.name == stage.pale else pale.series,
        seconds=stage.seconds,
        bdp=shown.series.bdp_pkts,
        buffer=shown.buffer,
        most=stage.most * shown.series.bdp_pkts,
        exit=left,
    )


def finding(algorithm: fs.Algorithm) -> tuple[list[str], str]:
    """The figure of what was found about a startup, and the lines that show it on its page."""
    stage = FINDINGS[algorithm.name]
    shown, pale = traced(algorithm, stage), traced(algorithm, stage, stage.pale)
    exits = []
    for startup, one in ((algorithm.name, shown), (stage.pale, pale)):
        window = float(str(one.row["startup_exit_cwnd_segments"]))
        exits.append(
            f"`{startup}` exits by {one.row['startup_exit_reason']} at {text.count(window)} "
            f"packets, {text.ratio(window / one.series.bdp_pkts)} products"
        )
    words = (
        f"*{stage.words[0].upper()}{stage.words[1:]}. Pale: `{stage.pale}`. Dashed: the "
        "BDP, and BDP plus buffer. Below: queue length at the bottleneck.*"
    )
    image = f"![Its window, and that of {stage.pale}]({stem(algorithm)}-finding.svg)"
    drawn = figure(stage, algorithm, shown, pale).svg()
    return [image, words, f"{'; '.join(exits)}."], drawn


def page(algorithm: fs.Algorithm, stage: Stage, shown: Shown, told: list[str]) -> str:
    """An algorithm's page; what was `told` of it beside its opening comes after that."""
    source = source_of(algorithm)
    kind = f"`{algorithm.name}`, a {KINDS[algorithm.kind]} of {algorithm.year}."
    parts = [
        f"# {algorithm.title}",
        f"{kind} [All algorithms](README.md)",
        algorithm.summary,
        f"![Its window over time]({stem(algorithm)}.svg)",
        caption(algorithm, stage, shown),
        "## What it does",
        *(opening(source) if source else [algorithm.summary]),
        *told,
        "## Sources",
        f"{algorithm.dated_source}.",
        f"Read: {algorithm.opened}. Rules compared: {algorithm.compared}.",
        f"Certainty: {algorithm.certainty_in_words}.",
    ]
    if source:
        link = source.relative_to(ROOT).as_posix()
        parts.append(f"Rules with their sections: [`{source.name}`](../../../{link}).")
    if algorithm.kind == "startup":
        parts += worst.section(algorithm.name)
        parts += ["## Published and measured", *beside(algorithm)]
    parts += ["## Requirements", sentence(algorithm.needs_in_words)]
    parts += ["## Parameters", *parameters(algorithm), "## Try it", attempt(algorithm, stage)]
    return GENERATED + "\n\n".join(parts) + "\n"


def beside(algorithm: fs.Algorithm) -> list[str]:
    """What was published of a startup beside what is measured, or that there is nothing."""
    found = published.of(algorithm.name)
    if isinstance(found, str):
        return [f"No published figure to compare with. {found}"]
    again = [f"    {one}" for one in dict.fromkeys(c.again for c in found)]
    return [published.table(found), "Reproduce:", "\n".join(again)]


GENERATED = "<!-- Written by `make docs` from the catalog; changes here are lost. -->\n\n"


def caption(algorithm: fs.Algorithm, stage: Stage, shown: Shown) -> str:
    """What the figure shows, in words and numbers."""
    words = f"*{stage.words[0].upper()}{stage.words[1:]}."
    if algorithm.name != stage.pale:
        words += f" Pale: `{stage.pale}`."
    if "l4s" in algorithm.needs:
        words += f" Its stack is `{L4S_STACK}`, its queue `{L4S_QUEUE}`."
    if algorithm.kind == "startup":
        told = [HELP[need][1] for need in algorithm.needs if need in HELP]
        if has_routers(algorithm):
            told[-1] = ROUTERS.format(algorithm.name)
        words += "".join(f" {sentence}" for sentence in told)
    elif has_routers(algorithm):
        words = words.replace("startup `slow-start`", f"startup `{algorithm.name}`")
    words += (
        " Dashed: the BDP, and BDP plus buffer. Below: queue length at the bottleneck, and a mark "
        "for every loss.*"
    )
    row = shown.row
    if stage.size and row["fct_s"] is not None:
        done = text.seconds(float(str(row["fct_s"])))
        lost = text.count(float(str(row["packets_dropped"])))
        words += f"\n\nCompletion time: {done}; {lost} packets lost."
    return words


def opening(source: pathlib.Path) -> list[str]:
    """What the opening of an algorithm's source tells, without parameters and state."""
    lines = re.match(r"(?://!.*\n)+", source.read_text("utf-8"))
    whole = re.sub(r"^//! ?", "", lines[0] if lines else "", flags=re.MULTILINE)
    sections = re.split(r"^# ", whole, flags=re.MULTILINE)
    told = [sections[0]]
    told += [f"### {s}" for s in sections[1:] if not s.startswith(("Parameters", "State"))]
    found = []
    for paragraph in "\n".join(told).strip().split("\n\n"):
        found.append(linked(paragraph.strip()))
    first, _, rest = found[0].partition("\n\n")
    _title, colon, what = first.partition(": ")
    if colon:  # `Slow start: double the window …`: the page has its title already
        found[0] = what[:1].upper() + what[1:] + (f"\n\n{rest}" if rest else "")
    return found


def linked(words: str) -> str:
    """Rust's links between modules as links between pages; others as plain code."""
    listed = {a.name for a in fs.list_algorithms()}

    def link(found: re.Match[str]) -> str:
        name = found[1].rsplit("::", 1)[-1]
        page = name.replace("_", "-")
        return f"[{page}]({page}.md)" if page in listed else f"`{name}`"

    return re.sub(r"\[`([\w:]+)`\](?:\([^)]*\))?", link, words)


def source_of(algorithm: fs.Algorithm) -> pathlib.Path | None:
    """The file that holds the algorithm's entry."""
    entry = re.compile(rf'const ENTRY: [^{{]+\{{\s*name: "{algorithm.name}",')
    room = "network" if algorithm.kind == "queue" else "control"
    files = sorted((ROOT / "crates" / room / "src").glob("**/*.rs"))
    return next((file for file in files if entry.search(file.read_text("utf-8"))), None)


def parameters(algorithm: fs.Algorithm) -> list[str]:
    """The table of parameters."""
    if not algorithm.params:
        return ["None."]
    rows = [
        f"| `{p.name}` | {cell(p.unit)} | {cell(p.default)} | {cell(p.meaning)} |"
        for p in algorithm.params
    ]
    head = "| name | unit | default | meaning |\n| --- | --- | --- | --- |\n"
    given = f"Given as `{algorithm.name}:name=value,...`."
    return [head + "\n".join(rows), given]


def attempt(algorithm: fs.Algorithm, stage: Stage) -> str:
    """Commands that show the algorithm at work."""
    path = f"--rate {stage.path.rate} --rtt {stage.path.rtt} --buffer {stage.path.buffer}"
    if algorithm.kind == "startup":
        pair = dict.fromkeys([stage.pale, algorithm.name])
        what = f"--size 100kB,3MB --startup {','.join(pair)} --stack rfc"
    elif algorithm.kind == "cc":
        what = f"--size 100MB --startup hystart --cc {algorithm.name}"
        l4s = "l4s" in algorithm.needs
        what += f" --queue {L4S_QUEUE} --stack {L4S_STACK}" if l4s else " --stack rfc"
    else:
        what = f"--size 100kB,10MB --queue {algorithm.name} --stack rfc"
        if has_routers(algorithm):
            what += f" --startup slow-start,{algorithm.name}"
    return f"    flowstart compare {path} {what}\n    flowstart algorithms {algorithm.name}"


def index(listed: list[fs.Algorithm]) -> str:
    """The list of all pages."""
    about = (
        "Each algorithm has a page with its source, its parameters and a figure of its window on "
        "a common path. †: "
        f"{catalog.CERTAINTIES['reconstructed']}."
    )
    parts = ["# Algorithms", about]
    for kind, name in KINDS.items():
        title = f"{name[0].upper()}{name[1:]}s"
        rows = [
            f"| [{a.name}]({stem(a)}.md){' †' if a.reconstructed else ''} | {a.year} "
            f"| {', '.join(a.needs) or '–'} | {cell(a.summary)} |"
            for a in listed
            if a.kind == kind
        ]
        head = "| name | year | needs | summary |\n| --- | --- | --- | --- |\n"
        parts += [f"## {title}", head + "\n".join(rows)]
    needed = dict.fromkeys(need for a in listed for need in a.needs)
    meant = [f"- *{need}*: {catalog.NEEDS.get(need, need)}." for need in needed]
    parts += ["Requirements beyond an ordinary sender:", "\n".join(meant)]
    parts.append(
        "All startups on one path: `flowstart compare --rate 50Mbps --rtt 80ms --startup all`. "
        "Custom startups: [write an algorithm](../../guides/adding-an-algorithm.md)."
    )
    return GENERATED + "\n\n".join(parts) + "\n"


# The page of all sources.


def sources(startups: list[fs.Algorithm]) -> str:
    """Whose rules every startup has, and how far."""
    head = (
        "For every startup: the sources that were read, the rules that were compared with them, "
        "deviations and open points, and agreement with published figures. [The "
        "papers](papers.md) has the figures of five papers, [exits](exits.md) the exit of each "
        "startup on every path."
    )
    rows = [
        "| startup | source | read | rules compared | deviations and choices | figures |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for a in startups:
        link = f"algorithms/{stem(a)}.md"
        name = f"[{a.name}]({link}){' †' if a.reconstructed else ''}"
        cells = (a.dated_source, a.opened, a.compared, departures(a, link))
        shown = " | ".join(cell(words) for words in cells)
        rows.append(f"| {name} | {shown} | {published.in_short(a.name)} |")
    legend = f"†: {catalog.CERTAINTIES['reconstructed']}."
    title = "# Sources of the startups"
    return GENERATED + "\n\n".join([title, head, "\n".join(rows), legend]) + "\n"


def departures(algorithm: fs.Algorithm, link: str) -> str:
    """How many things a startup's page names in which it departs from its source or chose."""
    source = source_of(algorithm)
    assert source is not None
    found = []
    for section in "\n\n".join(opening(source)).split("\n### ")[1:]:
        title, _, told = section.partition("\n")
        if title in ("Deviations", "Contested"):
            count = len(re.findall(r"^- ", told, flags=re.MULTILINE))
            found.append(f"[{title.lower()}: {count}]({link}#{title.lower()})")
    assert found, f"{algorithm.name} says nothing of deviations"
    return ", ".join(found)


def sentence(words: str) -> str:
    """Words as a sentence."""
    return f"{words[:1].upper()}{words[1:]}."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
