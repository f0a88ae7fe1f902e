"""What `flowstart --version` says: the version, and how it was built."""

from typing import Any


def facts() -> dict[str, Any]:
    """The version and the facts of the build, as JSON types."""
    import platform

    from flowstart import _native

    built = _native.build_facts()
    return {
        "version": _native.version(),
        "commit": built["commit"],
        "rust": built["rust"],
        "profile": built["profile"],
        "target": built["target"],
        "stable_abi": built["stable_abi"],
        "live_stacks": list(_native.BUILT_LIVE_STACKS),
        "python": platform.python_version(),
    }


def lines() -> list[str]:
    """The same for a person: the version by itself, then the build."""
    found = facts()
    commit = f"commit {found['commit']}" if found["commit"] else "no commit known"
    abi = "abi3" if found["stable_abi"] else "this Python's ABI"
    return [
        f"flowstart {found['version']}",
        f"{commit}, rustc {found['rust']}, {found['profile']}, {found['target']}, {abi}",
        f"live stacks {', '.join(found['live_stacks'])}; Python {found['python']}",
    ]
