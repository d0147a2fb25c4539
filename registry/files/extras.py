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
    """The extra and the command, to follow on "install": ``the extra callboard[mcp]: …/python -m pip install 'mcp>=2.3'``."""
    python = shlex.quote(sys.executable)
    pip = f"{python} -m pip install" if find_spec("pip") is not None else f"uv pip install --python {python}"
    of_it = re.compile(rf"""(.*?)\s*;\s*extra\s*==\s*["']{extra}["']""")
    libraries = [found[1] for one in metadata.requires("callboard") or [] if (found := of_it.fullmatch(one))]
    return f"the extra callboard[{extra}]: {pip} {shlex.join(libraries)}"
