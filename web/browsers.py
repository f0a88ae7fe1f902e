"""Installs Debian's Chromium and Firefox, or says why tests in them are skipped."""

import os
import shutil
import subprocess

PACKAGES = {"chromium": "chromium", "firefox-esr": "firefox-esr"}
"""Commands, and the packages that hold them."""


def main() -> None:
    """Installs what is missing where that is permitted."""
    missing = [package for name, package in PACKAGES.items() if shutil.which(name) is None]
    if not missing:
        return
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        why = "only root may install it" if shutil.which("apt-get") else "this is no Debian"
        print(f"{' and '.join(missing)}: not installed, and {why}; tests that need it are skipped")
        return
    for command in (["update", "-qq"], ["install", "-y", "-qq", *missing]):
        if subprocess.run(["apt-get", *command], stdout=subprocess.DEVNULL, check=False).returncode:
            print(
                f"{' and '.join(missing)}: could not be installed; tests that need it are skipped"
            )
            return


if __name__ == "__main__":
    main()
