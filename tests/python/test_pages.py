"""What the pages show is run: every command, every block of Python, every number of a run."""

import functools
import pathlib
import re
import shlex
import subprocess
from typing import Any

import polars
import pytest

import commands
import demo
import flowstart as fs
import pages
from flowstart import _native
from flowstart.inference import Status
from flowstart.inference.gates import GateQuantity

pytestmark = pytest.mark.docs

ROOT = commands.ROOT
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

LONG = {
    "make demo": "makes the package anew where it is stale",
    "make papers-quick": "its targets are compared by papers/test_published.py",
    "flowstart compare examples/web.toml --startup slow-start,jump-start --repeat 30 -o out/web": (
        "30 seeds"
    ),
    "flowstart papers run jump-start": "all runs of a paper",
    "flowstart papers run --all -o out/papers": "all runs of all papers",
    "flowstart papers cross": "all runs of the cross-table",
    "flowstart papers cross -o out/cross": "the same",
}
"""What `make test-python-long` runs, and why `make test-docs` does not."""

NOT_RUN = {
    "flowstart explore": "serves a page until Ctrl-C",
    "flowstart explore --path leo --startup slow-start,hystart,search --size 5MB": "the same",
    "flowstart explore --startup slow-start,./mine.py:Mine": "the same",
    "flowstart explore --map out/map --capture mine.pcap": "the same",
    "flowstart explore --map out/sweep": "the same",
    "cargo add flowstart-quinn --path ../flowstart/crates/quinn": "is for another folder",
    "cargo run --release -p flowstart-benches --bin workloads": "measures a machine",
    "flowstart sweep sweep.toml -o out/sweep --dask tcp://10.0.0.1:8786": "needs a cluster",
    "flowstart sweep sweep.toml -o out/sweep --yes --dask '$address'": "the same",
    "flowstart replay rows": "needs rows of `flowstart collect`",
    "flowstart replay before --startup hystart,jump-start --baseline hystart -o predicted": (
        "test_loop_linux.py runs it"
    ),
    "flowstart verify rollout/cubic rollout/fs_jump_start --before before --predicted predicted "
    "--setting jump-start": "the same",
    "tcpdump -i eth0 -s 128 -w mine.pcap tcp": "needs a network and the right to listen",
    "flowstart sweep default-grid -o out/default-grid": "takes minutes; `make grid` runs it",
    "flowstart map out/default-grid --startup unaided": "needs that sweep",
    "flowstart map out/landing": "needs that sweep",
    "flowstart check out/sweep": "needs a sweep",
    "flowstart map out/sweep": "the same",
    "flowstart map out/sweep -o out/map": "the same",
    "flowstart map out/sweep --startup all,-qs-app --competing alone --size 1MB": "the same",
    "flowstart map out/sweep --x rate --y buffer-bdp --row competing --margin 2%": "the same",
}
"""What no test runs, and why."""
LIVE = "flowstart live "
KERNEL = "flowstart live --stack linux "
COLLECT = "flowstart collect "
LOADED = "flowstart kernel "

NAMES: dict[str, dict[str, Any]] = {
    "docs/guides/web-sessions.md": {"fs": fs, "pl": polars},
}
"""What a page's blocks of Python find defined before the first of them."""


@functools.cache
def shown() -> list[tuple[pathlib.Path, str]]:
    """Every command of every page, but those whose output test_docs.py compares.

    What several pages show is run once, unless it reads a file that each of them has of its own.
    """
    found: dict[tuple[str, str], tuple[pathlib.Path, str]] = {}
    filled = set(pages.by_hand())
    for page in PAGES:
        text = page.read_text()
        for command in commands.commands(text):
            if command.shows_output and page in filled:
                continue
            own = text if ".toml" in command.line else ""
            found.setdefault((command.line, own), (page, command.line))
    return list(found.values())


def is_run(line: str) -> bool:
    """Make's targets build, measure or test for minutes; those that do not are in LONG."""
    # The kernel's are run by test_live_linux.py, test_collect_linux.py and test_kernel.py, where it
    # is permitted.
    live = KERNEL if "noq" in _native.BUILT_LIVE_STACKS else LIVE
    elsewhere = ("make ", COLLECT, LOADED, live)
    return line not in LONG | NOT_RUN and not line.startswith(elsewhere)


def named(case: object) -> str:
    return str(case.relative_to(ROOT)) if isinstance(case, pathlib.Path) else str(case)


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> object:
    """The papers' runs are kept for this module only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLOWSTART_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def check(page: pathlib.Path, line: str) -> None:
    if not line.startswith("flowstart "):
        done = subprocess.run(shlex.split(line), cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return
    with commands.folder(page.read_text()):
        answer = commands.run(line)
    assert answer.status == 0, answer.err
    assert answer.out


@pytest.mark.parametrize(("page", "line"), [one for one in shown() if is_run(one[1])], ids=named)
def test_a_command_of_a_page_runs(page: pathlib.Path, line: str) -> None:
    check(page, line)


@pytest.mark.long
@pytest.mark.parametrize(("page", "line"), [one for one in shown() if one[1] in LONG], ids=named)
def test_a_long_command_of_a_page_runs(page: pathlib.Path, line: str) -> None:
    check(page, line)


def test_every_exception_is_a_command_of_a_page() -> None:
    assert set(LONG | NOT_RUN) <= {line for _, line in shown()}


def test_every_make_in_a_page_has_a_target() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        for name in re.findall(r"(?:^    |`)make ([a-z0-9-]+)", page.read_text(), re.MULTILINE):
            assert name in targets, f"{page.name}: make {name}"


def test_no_page_installs_flowstart_from_an_index() -> None:
    for page in PAGES:
        for line in page.read_text().splitlines():
            found = re.search(r"pip install (.*\bflowstart\b.*)", line)
            assert not found or "dist" in found[1], f"{page.name}: {line}"


def test_every_source_named_in_a_page_exists() -> None:
    names = ("crates", "python", "docs", "tools", "tests", "examples", "benches")
    tops = [ROOT / name for name in names]
    places = [f"/{place.relative_to(ROOT)}" for top in tops for place in (top, *top.rglob("*"))]
    source = rf"`([\w./-]+\.(?:rs|py)|(?:{'|'.join(top.name for top in tops)})/[\w./-]*)`"
    for page in PAGES:
        for name in re.findall(source, page.read_text()):
            found = any(place.endswith("/" + name.rstrip("/")) for place in places)
            assert found, f"{page.name}: {name}"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_python_of_a_page_runs(page: pathlib.Path) -> None:
    names = {"__name__": "page", **NAMES.get(named(page), {})}
    text = page.read_text()
    with commands.folder(text):
        for block in commands.blocks(text, "python"):
            exec(block.content, names)


# Numbers in sentences. What is not compared: how long things take and how much memory
# (docs/reference/performance.md, and what docs/maintainers/decisions.md says of costs), for it
# depends on the machine; what recordings hold, for it does not change;
# docs/reference/algorithms, docs/reference/fidelity.md and the tables between marks, for
# `make docs` writes them and test_docs.py reports when they are stale.


def readme(pattern: str) -> tuple[str, ...]:
    """What a pattern finds in the README, whose lines may break anywhere."""
    found = re.search(pattern, " ".join((ROOT / "README.md").read_text().split()))
    assert found, f"the README does not say: {pattern}"
    return found.groups()


def test_the_readme_counts_the_startups() -> None:
    (others,) = readme(r"Slow start, HyStart.* BBR and (\d+) others are included")
    listed = [a for a in fs.list_algorithms() if a.kind == "startup"]
    mentioned = 7
    assert int(others) == len(listed) - mentioned, (
        f"the README's list of features is to say {len(listed) - mentioned} others"
    )


def test_the_readme_says_what_the_demo_shows() -> None:
    numbers = readme(
        r"replays (\d+) of (\d+) transfers of a server over (\d+) of their (\d+) networks"
    )
    replayed = demo.replayed()
    judged, networks = replayed.facts.height, replayed.facts["network"].n_unique()
    whole = judged + sum(replayed.left_out.values())
    assert (judged, whole, networks, len(replayed.paths)) == tuple(map(int, numbers))
    readme("under eight settings")
    assert len(replayed.settings.compared) == 8
    research = [one for one in replayed.verdict.judgements if one.status == Status.RESEARCH]
    readme("and two research algorithms")
    assert len(research) == 2


def test_the_readme_has_the_verdict_of_the_demo() -> None:
    (gain,) = readme(
        r"keep the current setting. IW 30 is (\d+) % faster, but it may harm too many transfers of "
        "some networks"
    )
    verdict = demo.replayed().verdict
    assert verdict.recommended is None
    found = verdict.of("IW30")
    assert found and found.gain.estimate
    assert round(-100 * found.gain.estimate) == int(gain)
    assert found.vetoes[0].kind == "networks"
    assert found.vetoes[0].quantity == GateQuantity.HARMED


def test_the_readme_says_where_gauge_loses() -> None:
    path, ours, other = readme(
        r"On `--path (\w+)` it is slower: 10 MB takes ([\d.]+) s, "
        r"against ([\d.]+) s with HyStart\+\+"
    )
    startups = ["gauge", "hystart-plus-plus"]
    found = fs.compare(fs.NetworkPath.named(path), startups=startups, stack="linux", sizes=["10MB"])
    gauge, hystart = found.summaries
    assert (f"{gauge.fct_s:.2f}", f"{hystart.fct_s:.2f}") == (ours, other)


def agreement(page: str, reference: str) -> list[tuple[str, int, int]]:
    """The rows of a page's table of agreement for a reference: phenomenon, compared, agree."""
    rows = re.findall(rf"^\| {reference} \| (.*) \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
    return [(name, int(compared), int(agree)) for name, compared, agree in rows]


def test_the_readme_counts_what_agrees() -> None:
    page = (ROOT / "docs" / "reference" / "fidelity.md").read_text()
    transfers, *others = agreement(page, "Linux 6.18")
    rows = {
        r"Linux 6\.18, single transfers": [transfers],
        r"Linux 6\.18, with [^|]*": others,
        r"ns-2\.35, [^|]*": agreement(page, r"ns-2\.35"),
        r"packetdrill [^|]*": agreement(page, "packetdrill"),
        r"google/packetdrill, [^|]*": agreement(page, "google/packetdrill"),
    }
    for name, counted in rows.items():
        compared, agree = map(int, readme(rf"\| {name} \| (\d+) \| (\d+) \|"))
        assert compared == sum(row[1] for row in counted), name
        assert agree == sum(row[2] for row in counted), name


def test_the_readme_counts_the_transfers_in_which_quic_stacks_agree() -> None:
    page = (ROOT / "docs" / "reference" / "native.md").read_text()
    rows = re.findall(r"^\| all \| (\d+) of (\d+) \|", page, re.MULTILINE)
    compared, agree = readme(r"\| stock quinn, [^|]*\| (\d+) \| (\d+) \|")
    assert int(compared) == sum(int(all_) for _, all_ in rows)
    assert int(agree) == sum(int(near) for near, _ in rows)


def test_the_page_on_fidelity_names_every_transfer_that_is_not_a_little_longer_than_ours() -> None:
    page = (ROOT / "docs" / "reference" / "fidelity.md").read_text()
    rows = [re.split(r" *\| *", line)[1:5] for line in page.splitlines()
            if re.match(r"\| \d+M \|", line)]  # fmt: skip
    longer = {}
    for path, sender, size, times in rows:
        theirs, ours = map(float, times.split(", "))
        longer[path, sender, size] = round(theirs - ours, 1)
    others = {row: ms for row, ms in longer.items() if not 0.8 <= ms <= 3.8}
    assert others == {("100M", "bbr", "50000000"): -0.8}
    said = (
        f"Of the {len(rows)} recorded transfers {len(rows) - len(others)} take 0.8 to 3.8 ms longer"
    )
    assert said in " ".join(page.split())


BULK = {"rate": "1Gbps", "rtt": "180ms"}


@pytest.mark.parametrize(
    ("sentence", "path", "stack"),
    [
        (r"`bulk` \|[^|]*\| (?P<packets>\d+) \| (?P<lost>\d+) \|",
         BULK | {"buffer": "1bdp"}, {"preset": "rfc"}),
        (r"`bulk-lossless` \|[^|]*\| (?P<packets>\d+) \|",
         BULK | {"buffer": "1000000pkt"}, {"preset": "rfc"}),
        (r"`bulk-linux` \|[^|]*\| (?P<packets>\d+) \| (?P<lost>\d+) \|",
         BULK | {"buffer": "1bdp"}, {"preset": "linux", "window": "1000000pkt"}),
    ],
)  # fmt: skip
def test_the_page_on_performance_counts_packets_and_losses(
    sentence: str, path: dict[str, str], stack: dict[str, str]
) -> None:
    found = re.search(sentence, (ROOT / "docs" / "reference" / "performance.md").read_text())
    assert found
    flow = {"size": "1GB", "startup": "slow-start"}
    row = fs.run({"path": path, "stack": stack, "flows": [flow]}).records[0]
    packets = row["packets_sent"] - row["packets_dropped"]
    expected = {"packets": packets, "lost": row["packets_dropped"]}
    said = {name: int(number) for name, number in found.groupdict().items()}
    assert said == {name: expected[name] for name in said}


def test_the_demos_picture_says_which_numbers_it_shows(tmp_path: pathlib.Path) -> None:
    images = ROOT / "docs" / "images"
    kept = (images / demo.NUMBERS).read_text()
    assert kept == demo.numbers()
    assert demo.shows(images / demo.PICTURE) == demo.digest(kept)
    assert demo.shows(tmp_path / "none.png") is None
    (tmp_path / "fresh.png").write_bytes(demo.picture())
    assert demo.shows(tmp_path / "fresh.png") == demo.digest(kept)


GALLERY = (ROOT / "docs/start/gallery.md").read_text("utf-8").split("\n## ")[1:]
"""The decisions of the gallery."""


def test_the_gallery_has_ten_decisions() -> None:
    assert len(GALLERY) == 10


@pytest.mark.parametrize("decision", GALLERY, ids=lambda text: text.partition("?")[0])
def test_an_answer_of_the_gallery_has_two_sentences_with_the_numbers_of_its_output(
    decision: str,
) -> None:
    *_, output, answer = re.split(r"^(?=\S)", decision, maxsplit=2, flags=re.MULTILINE)
    assert len(re.findall(r"\.(?=\s)", answer)) == 2
    facts = re.findall(r"\d[\d.]*\d|\d", answer)
    numbers = re.findall(r"\d[\d.]*\d|\d", output)
    assert [one for one in facts if one not in numbers] == []


# What notices all this.


def test_output_that_is_not_what_a_command_prints_is_replaced() -> None:
    old = "# T\n\n    $ flowstart algorithms nothing-such\n    old\n\n    older\n\nAfter.\n"
    with pytest.raises(ValueError, match="exits with 2"):
        commands.with_output(old)
    page = old.replace("nothing-such", "reno")
    fresh = commands.with_output(page)
    assert "old" not in fresh.replace("threshold", "")
    assert fresh.startswith("# T\n\n    $ flowstart algorithms reno\n    ")
    assert fresh.endswith("\n\nAfter.\n")
    assert commands.with_output(fresh) == fresh


def test_the_output_of_a_command_of_several_lines_is_below_all_of_them() -> None:
    page = "    $ flowstart algorithms \\\n        reno\n    old\n"
    fresh = commands.with_output(page)
    assert fresh.startswith("    $ flowstart algorithms \\\n        reno\n    reno")
    assert commands.with_output(fresh) == fresh


def test_commands_are_found_with_what_continues_them_and_without_comments() -> None:
    page = "    flowstart run a.toml \\\n        --json   # all of it\n    # no command\n\ntext\n\n"
    page += "1. In a list:\n\n        flowstart check a\n\ntext\n\n"
    page += "```sh\nmake docs\n$ flowstart schema scenario\n{}\n```\n\n"
    page += "See `flowstart papers --json` and `flowstart run`.\n"
    found = commands.commands(page)
    assert [c.line for c in found] == [
        "flowstart run a.toml --json",
        "flowstart check a",
        "make docs",
        "flowstart schema scenario",
        "flowstart papers --json",
    ]
    assert [c.shows_output for c in found] == [False, False, False, True, False]


def test_a_pages_own_scenario_stands_for_the_file_that_it_names() -> None:
    page = "```toml\nname = 'mine'\n```\n\n    flowstart run web.toml\n"
    with commands.folder(page) as place:
        assert (place / "web.toml").read_text() == "name = 'mine'\n"
        assert (place / "mine.pcap").stat().st_size > 10_000
    assert not place.exists()
