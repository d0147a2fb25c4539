"""How to install an extra's libraries.

The command names the libraries and the running Python, so it works in a checkout, with pipx, with uv and for a wheel, and does
not look for a package that happens to be called callboard in an index.
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
    """The extra's requirements; the extra itself if this program's metadata is missing."""
    try:
        required = metadata.requires("callboard") or []
    except metadata.PackageNotFoundError:
        required = []
    of_it = re.compile(rf"""(.*?)\s*;\s*extra\s*==\s*["']{re.escape(extra)}["']""")
    return [found[1] for one in required if (found := of_it.fullmatch(one))] or [f".[{extra}]"]
