"""``make soak MINUTES=10``: two explorers and repeated commands on one home. Exit code 1 if anything is lost or damaged."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.soak.soaking import soak


def main() -> int:
    """Run and print the figures."""
    parser = argparse.ArgumentParser(prog="make soak")
    parser.add_argument("--minutes", type=float, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="callboard-soak-", ignore_cleanup_errors=True) as folder:
        account = soak(Path(folder), options.minutes * 60)
    sys.stdout.write(f"{options.minutes:g} minutes: {account}\n")
    return int(bool(account.wrong or account.lost or set(account.integrity.values()) != {"ok"}))


if __name__ == "__main__":
    sys.exit(main())
