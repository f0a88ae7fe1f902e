"""Endings of commands: SIGTERM and SIGHUP, startups that exit, and empty names of files."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

import flowstart as fs

COMPARED = ("compare", "--rate", "10Mbps", "--rtt", "50ms", "--size", "100kB", "--no-uncertainty")
AT_THE_TOP = "import sys\nimport flowstart as fs\nsys.exit(0)\n"
IN_A_HOOK = """import sys
import flowstart as fs
class Mine(fs.Startup):
    def on_ack(self, w, a):
        {}
"""
WAITS = """import pathlib
import time
import flowstart as fs
class Mine(fs.Startup):
    def on_ack(self, w, a):
        if not pathlib.Path("begun").exists():
            pathlib.Path("begun").touch()
            time.sleep(0.2)
"""
STAGED = """import pathlib
import time
from flowstart import cli, interrupts
from flowstart.render.folder import About, Results

def run(_):
    with Results(pathlib.Path("out"), "out", About()):
        pathlib.Path("begun").touch()
        time.sleep(60)

cli._run = run
raise SystemExit(cli.main())
"""


def started(words: tuple[str, ...], folder: pathlib.Path, hup: object) -> subprocess.Popen[str]:
    """A process that has made the file `begun`; SIGHUP is ignored or not when it begins."""
    process = subprocess.Popen(
        [sys.executable, *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, hup),  # type: ignore[arg-type]
    )
    until = time.monotonic() + 60
    while not (folder / "begun").exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    return process


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP], ids=lambda one: one.name)
def test_a_signal_leaves_nothing_next_to_the_folder_of_results(
    ending: signal.Signals, tmp_path: pathlib.Path
) -> None:
    process = started(("-c", STAGED), tmp_path, signal.SIG_DFL)
    assert [path.name[:15] for path in tmp_path.glob(".out*")] == [".out.flowstart-"]
    process.send_signal(ending)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (128 + ending, f"flowstart: stopped by {ending.name}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["begun"]


def test_a_hangup_that_is_ignored_stays_so_as_under_nohup(tmp_path: pathlib.Path) -> None:
    (tmp_path / "mine.py").write_text(WAITS)
    words = ("-m", "flowstart", *COMPARED, "--startup", "./mine.py:Mine", "-o", "out")
    process = started((*words[:-2], "--workers", "1"), tmp_path, signal.SIG_IGN)
    process.send_signal(signal.SIGHUP)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")


def test_a_startup_file_that_exits_is_refused_with_its_line(
    cli: Callable[..., tuple[int, str, str]], tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(AT_THE_TOP)
    for more in ((), ("--json",), ("-o", tmp_path / "out")):
        status, out, err = cli(*COMPARED, "--startup", f"{file}:Mine", *more)
        assert (status, out) == (2, "")
        assert err == f"flowstart: startup `{file}:Mine`: {file}, line 3: SystemExit: 0\n"


@pytest.mark.parametrize("raised", ["SystemExit(0)", "GeneratorExit()", "BaseException('x')"])
def test_an_exit_in_a_hook_is_an_error_with_its_line(
    raised: str, cli: Callable[..., tuple[int, str, str]], tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(IN_A_HOOK.format(f"raise {raised}"))
    status, out, err = cli(*COMPARED, "--startup", f"{file}:Mine", "-o", tmp_path / "out")
    assert (status, out) == (1, "")
    assert f'File "{file}", line 5, in on_ack' in err
    assert err.splitlines()[-1].startswith(
        f"flowstart: RuntimeError: raised {raised} (in on_ack of `{file}:Mine` at "
    )
    assert not (tmp_path / "out").exists()


EMPTY = {
    "FILE": ("capture", ""),
    "SCENARIO.toml": ("run", ""),
    "SWEEP.toml": ("sweep", ""),
    "DIR": ("check", ""),
    "--output": ("compare", "--rate", "1Mbps", "--rtt", "50ms", "-o", ""),
    "--cache": ("papers", "run", "QS-T1", "--cache", ""),
}


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_name_of_a_file_is_refused(
    name: str, cli: Callable[..., tuple[int, str, str]]
) -> None:
    why = f"flowstart: {name}: it is empty; the name of a file or folder is needed\n"
    assert cli(*EMPTY[name]) == (2, "", why)


def test_an_empty_name_is_refused_in_python_too() -> None:
    with pytest.raises(fs.RequestError, match="the name of a file is empty"):
        fs.read_capture("")
    result = fs.run({"path": {"rate": "5Mbps", "rtt": "64ms"}, "flows": [{"size": "1kB"}]})
    with pytest.raises(fs.RequestError, match="folder: it is empty"):
        result.report("")


ORDINARY = [
    "setpriv",
    "--inh-caps=-dac_override,-dac_read_search",
    "--bounding-set=-dac_override,-dac_read_search",
]
"""Has root keep to the rights of files, as other users do."""
DENIED = {
    "capture": (("capture", "closed"), "closed"),
    "map": (("map", "closed"), "closed/sweep.json"),
    "startup": ((*COMPARED, "--startup", "closed/mine.py:Mine"), "startup `closed/mine.py:Mine`"),
    "folder": ((*COMPARED, "-o", "closed/out"), "closed/out"),
    "read-only": ((*COMPARED, "-o", "read-only/out"), "-o read-only/out"),
}


@pytest.mark.skipif(
    sys.platform != "linux" or (os.geteuid() == 0 and not shutil.which("setpriv")),
    reason="root is denied nothing",
)
@pytest.mark.parametrize("name", DENIED)
def test_a_folder_without_permission_is_refused_in_one_line(
    name: str, tmp_path: pathlib.Path
) -> None:
    words, what = DENIED[name]
    for folder, mode in (("closed", 0o000), ("read-only", 0o555)):
        (tmp_path / folder).mkdir(mode)
    command = [*(ORDINARY if os.geteuid() == 0 else []), sys.executable, "-m", "flowstart", *words]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"flowstart: {what}: ") or f"/{what}: " in ended.stderr
    assert ended.stderr.endswith("Permission denied\n")
    assert ended.stderr.count("\n") == 1
    assert not list((tmp_path / "read-only").iterdir())
