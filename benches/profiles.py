"""Builds that are guided by a profile of the workloads: `make release`, `make wheels`.

    profiles.py COMMAND...

The workloads run once in a build that counts, and COMMAND in an environment in which cargo
compiles with those counts. The package computes the same bytes with them and without. Where
rustup has no llvm-tools, COMMAND runs without counts.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import program
from failures import BuildError, RequestError

ROOT = pathlib.Path(__file__).parent.parent
BUILD = (
    *("cargo", "build", "--quiet", "--release"),
    # Names of functions follow from the features of their dependencies: here those of the package.
    *("-p", "flowstart-python", "-p", "flowstart-benches", "--bin", "workloads"),
)
COUNTED = (
    *(
        ("--counted", stack, "1MB", startup)
        for stack in ("rfc", "ns2", "quic", "linux")
        for startup in ("slow-start", "hystart", "gauge")
    ),
    *(("--only", name) for name in ("sweep-linux", "sweep-quic", "bulk-bbr", "bulk-traced")),
    *(("--only", name) for name in ("contention", "flows-100", "web", "web-default", "short-runs")),
)
"""Arguments of `workloads`: short transfers and shared links weigh as much as long flows."""


def main() -> None:
    """Runs a command; its exit status other than 0 is a failed build."""
    command = sys.argv[1:]
    if not command:
        raise RequestError("profiles.py needs a command, such as: maturin build --release")
    settings = guided(ROOT, ROOT / "target", os.environ.copy())
    if subprocess.run(command, env=settings).returncode != 0:
        raise BuildError(f"{command[0]} failed")


def guided(tree: pathlib.Path, target: pathlib.Path, settings: dict[str, str]) -> dict[str, str]:
    """`settings` of builds of `tree`, with the counts of its workloads where there can be any."""
    merge = llvm_profdata(tree)
    if merge is None:
        print(
            "the build is not guided by a profile: rustup component add llvm-tools",
            file=sys.stderr,
        )
        return settings
    counts = profile(tree, target / "guided", merge, settings)
    return with_flag(settings, f"-Cprofile-use={counts}")


def llvm_profdata(tree: pathlib.Path) -> pathlib.Path | None:
    """LLVM's program that merges counts, of the version that this toolchain's rustc reads."""
    libraries = ("rustc", "--print", "target-libdir")
    done = subprocess.run(libraries, cwd=tree, capture_output=True, text=True, check=True)
    file = pathlib.Path(done.stdout.strip()).parent / "bin/llvm-profdata"
    if not file.exists() and shutil.which("rustup"):
        add = ("rustup", "component", "add", "llvm-tools")
        subprocess.run(add, cwd=tree, capture_output=True)
    return file if file.exists() else None


def profile(
    tree: pathlib.Path, target: pathlib.Path, merge: pathlib.Path, settings: dict[str, str]
) -> pathlib.Path:
    """Runs the workloads; their counts, in a file that is named after its content.

    Cargo compiles anew for another name, and not for another content.
    """
    print("counting the workloads, for a guided build", file=sys.stderr)
    counting = with_flag(settings, "-Cprofile-generate")
    folders = {"CARGO_TARGET_DIR": str(target), "CARGO_INCREMENTAL": "0"}
    # Build scripts count too.
    run(BUILD, tree, counting | folders | {"LLVM_PROFILE_FILE": os.devnull})
    with tempfile.TemporaryDirectory(dir=target) as folder:
        for number, arguments in enumerate(COUNTED):
            raw = {"LLVM_PROFILE_FILE": f"{folder}/{number}.profraw"}
            run((str(target / "release/workloads"), *arguments), tree, settings | raw)
        merged = pathlib.Path(folder) / "merged"
        run((str(merge), "merge", "-o", str(merged), folder), tree, settings)
        digest = hashlib.sha256(merged.read_bytes()).hexdigest()[:16]
        return merged.rename(target / f"{digest}.profdata")


def run(command: tuple[str, ...], tree: pathlib.Path, settings: dict[str, str]) -> None:
    """Runs a step of a profile; its output is shown only where it fails."""
    done = subprocess.run(command, cwd=tree, env=settings, capture_output=True, text=True)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)} failed:\n{done.stderr.strip()}")


def with_flag(settings: dict[str, str], flag: str) -> dict[str, str]:
    """`settings` with one more flag of rustc."""
    flags = f"{settings.get('RUSTFLAGS', '')} {flag}".strip()
    return settings | {"RUSTFLAGS": flags}


if __name__ == "__main__":
    program.run(main)
