"""How to install what an extra needs.

The command names the libraries and the Python that runs: so it is right in a checkout, with pipx, with uv and for a wheel
alike, and asks no index for a package that happens to be called callboard.
"""

from __future__ import annotations

import re
import shlex
import sys
from importlib import metadata
from importlib.util import find_spec


def how_to_install(extra: str) -> str:
    """The extra and the command, to follow on "install": ``the extra callboard[sql]: …/python -m pip install 'duckdb>=2'``."""
    python = shlex.quote(sys.executable or "python3")
    pip = f"{python} -m pip install" if find_spec("pip") is not None else f"uv pip install --python {python}"
    return f"the extra callboard[{extra}]: {pip} {shlex.join(_libraries(extra))}"


def _libraries(extra: str) -> list[str]:
    """What the extra requires; the extra itself where this program's own metadata is not there."""
    try:
        required = metadata.requires("callboard") or []
    except metadata.PackageNotFoundError:
        required = []
    of_it = re.compile(rf"""(.*?)\s*;\s*extra\s*==\s*["']{re.escape(extra)}["']""")
    return [found[1] for one in required if (found := of_it.fullmatch(one))] or [f".[{extra}]"]
