"""Without an extra: what still works, and the one sentence that says what to install."""

import json
import pathlib
import subprocess
import sys
import tomllib
from collections.abc import Callable
from typing import NamedTuple

import pytest

import flowstart as fs
from flowstart import _native, extras
from flowstart.render import figure_files

ROOT = pathlib.Path(__file__).parents[2]
CAPTURE = str(ROOT / "tests/data/captures/web-mix.pcap.gz")
SCENARIO = str(ROOT / "examples/scenario.toml")
ROLLOUT = [str(ROOT / f"tests/data/rollouts/{name}.parquet") for name in ("control", "iw30")]
WITHOUT = sorted({name for names in extras.MODULES.values() for name in names} - {"markdown_it"})
"""What no core has; `markdown_it` is there, for `rich` needs it."""
LEFT_OUT = (
    "flowstart: figures are left out: they need matplotlib, which `pip install matplotlib` brings"
)
# A name that is None cannot be imported, nor found.
BLOCKED = """
import contextlib, io, json, sys
without, commands = json.loads(sys.argv[1])
sys.modules.update(dict.fromkeys(without))
from flowstart.cli import main
answers = []
for words in commands:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(words)
    answers.append((status, out.getvalue(), err.getvalue()))
print(json.dumps(answers))
"""
WRITING = {
    "compare": ["compare", "--rate", "50Mbps", "--rtt", "80ms", "--size", "100kB"],
    "run": ["run", SCENARIO, "--trace"],
    "capture": ["capture", CAPTURE],
    "verify": ["verify", *ROLLOUT, "--columns", "duration=duration_ms:ms:acked"],
    "gate": ["gate", "check", "base.json"],
}
"""Commands that put figures into a folder."""
if "noq" in _native.BUILT_LIVE_STACKS:
    path = ("--rate", "20Mbps", "--rtt", "60ms", "--size", "9kB")
    WRITING["live"] = ["live", "--stack", "noq", *path, "--startup", "hystart"]
REFUSED = {
    "papers run -o": (["papers", "run", "QS-F2", "-o", "unused"], "matplotlib"),
    "papers cross -o": (["papers", "cross", "-o", "unused"], "matplotlib"),
    "explore": (["explore", "--no-open"], "starlette and uvicorn"),
    "a Dask scheduler": (
        ["sweep", "default-grid", "--dask", "tcp://127.0.0.1:9", "-o"],
        "distributed",
    ),
}
"""Commands that are nothing without an extra, and what is missing."""


class Answer(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return tmp_path_factory.mktemp("core")


def run_without_extras(commands: dict[str, list[str]], folder: pathlib.Path) -> dict[str, Answer]:
    """What commands print in a process that has no extra."""
    given = json.dumps([WITHOUT, list(commands.values())])
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED, given], capture_output=True, text=True, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    answers = [Answer(*answer) for answer in json.loads(done.stdout)]
    return dict(zip(commands, answers, strict=True))


@pytest.fixture(scope="module")
def answers(folder: pathlib.Path) -> dict[str, Answer]:
    case = {"path": {"rate": "5Mbps", "rtt": "50ms"}, "flow": {"size": "9kB"}}
    fs.gate_record(folder / "base.json", sweep=case | {"startups": ["slow-start"]}, repeat=2)
    commands = {name: [*words, "-o", str(folder / name)] for name, words in WRITING.items()}
    return run_without_extras(commands, folder)


@pytest.fixture(scope="module")
def refusals(folder: pathlib.Path) -> dict[str, Answer]:
    commands = {name: list(words) for name, (words, _) in REFUSED.items()}
    commands["a Dask scheduler"] += [str(folder / "sweep")]
    return run_without_extras(commands, folder)


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITING)
def test_a_folder_is_written_without_figures_and_one_line_says_so(
    name: str, answers: dict[str, Answer], folder: pathlib.Path
) -> None:
    answer = answers[name]
    assert answer.status == 0
    assert answer.err.splitlines().count(LEFT_OUT) == 1
    written = {file.name for file in (folder / name).iterdir()}
    assert {"report.html", "manifest.json"} < written
    assert any(file.endswith(".parquet") for file in written)
    assert not [file for file in written if file.endswith((".svg", ".png"))]
    page = (folder / name / "report.html").read_text()
    assert "Figures are left out: they need matplotlib" in page
    assert "pip install matplotlib" in page


@pytest.mark.parametrize("name", REFUSED)
def test_a_command_that_is_nothing_without_an_extra_names_it(
    name: str, refusals: dict[str, Answer]
) -> None:
    _, absent = REFUSED[name]
    answer = refusals[name]
    assert (answer.status, answer.out) == (2, "")
    packages = absent.replace(" and ", " ")
    sentence = f"{name} needs {absent}: install it with `pip install {packages}`"
    assert answer.err == f"flowstart: {sentence}\n"


@pytest.mark.slow
def test_with_matplotlib_nothing_is_said(
    cli: Callable[..., Answer], tmp_path: pathlib.Path
) -> None:
    answer = cli(*WRITING["compare"], "-o", tmp_path / "out")
    assert "figures are left out" not in answer.err
    assert (tmp_path / "out" / "completion.svg").exists()


@pytest.fixture
def without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.mark.usefixtures("without_matplotlib")
def test_plot_names_the_extra(path: fs.NetworkPath) -> None:
    result = fs.compare(path, startups=["slow-start"], sizes=["10kB"])
    run = fs.run(fs.Scenario(path=path, flows=[fs.Flow(size="10kB")]))
    for plot in (result.plot, run.plot, fs.read_capture(CAPTURE).plot):
        with pytest.raises(fs.RequestError, match=r"needs matplotlib: .*pip install matplotlib"):
            plot()


@pytest.mark.usefixtures("without_matplotlib")
def test_a_notebook_shows_the_table_and_what_the_figure_needs(path: fs.NetworkPath) -> None:
    shown = fs.compare(path, startups=["slow-start"], sizes=["10kB"])._repr_html_()
    assert "<table" in shown
    assert "pip install matplotlib" in shown
    assert "<svg" not in shown


def test_a_missing_distribution_has_the_name_that_pip_knows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "markdown_it", None)
    with pytest.raises(fs.RequestError, match=r"^it needs markdown-it-py: "):
        extras.require("papers", "it")


def test_where_all_is_there_nothing_is_refused() -> None:
    extras.require("plot", "it")
    assert figure_files.wanting() is None


def test_extras_are_those_of_pyproject() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = project["optional-dependencies"]
    names = {name: sorted(_name(line) for line in lines) for name, lines in asked.items()}
    used = {
        name: sorted(extras._DISTRIBUTIONS.get(module, module) for module in modules)
        for name, modules in extras.MODULES.items()
    }
    assert used == {name: names[name] for name in used}
    assert set(asked["all"]) == {line for name in used for line in asked[name]}
    assert set(names) - set(used) == {"all", "dev", "docs"}


def test_the_core_asks_for_nothing_of_an_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    core = {_name(line) for line in project["dependencies"]}
    assert core == {"cloudpickle", "cyclopts", "loky", "numpy", "polars", "rich"}


def _name(requirement: str) -> str:
    return requirement.split(">=")[0]
