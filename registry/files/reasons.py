"""Why a file, a database or an extra's library could not be used, in words: the system's message, never Python's."""

import os
import re
import shlex
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

_LONGEST = 160
_DAMAGED = ("NOTADB", "CORRUPT")
"""SQLite's names for errors of a file that only its user can repair."""

_PYTHONS = re.compile(
    r"\[Errno -?\d+\] |\s?\(_ssl\.c:\d+\)|Error -?\d+ while decompressing data: |:? (?:bytearray\()?b['\"].*", re.DOTALL
)
"""What Python adds around the system's own error messages."""


def reason(error: Exception, file: Path | None = None) -> str:
    """Why something failed: ``/home/ada/x.json: Permission denied``; `file` is for errors that do not name it.

    For types other than `OSError`, for instance a database's, the error's own message is used.
    """
    words, named = str(error), file
    if isinstance(error, OSError):
        words = error.strerror or (os.strerror(error.errno) if error.errno else "it cannot be read or written")
        if words.startswith("No usable temporary directory"):  # Python's message, which lists all folders that it tried
            words = "no folder for temporary files can be written; set TMPDIR"
        if isinstance(error.filename, str | bytes):
            named = Path(os.fsdecode(error.filename))
    if getattr(error, "sqlite_errorname", "").partition("_")[2].startswith(_DAMAGED):
        words += "; move it away, and a new one is made"
    name = str(named)
    name = name if len(name) <= _LONGEST else f"{name[: _LONGEST // 2]}…{name[-_LONGEST // 2 :]}"
    return words if named is None else f"{name}: {words}"


def network_words(error: BaseException) -> str:
    """The message of an error of the network, without what Python adds to the system's: ``Name or service not known``."""
    return _PYTHONS.sub("", str(error))


def is_local(error: BaseException) -> bool:
    """Whether an error's cause is an existing file or folder that cannot be used."""
    return isinstance(error.__cause__, OSError) and not isinstance(error.__cause__, FileNotFoundError)


def how_to_install(extra: str) -> str:
    """The extra and the command, to follow on "install": ``the extra callboard[mcp]: …/python -m pip install 'mcp>=2.3'``.

    It names the libraries and the running Python, so it works in a checkout, with uv and for a wheel, and takes no package that
    happens to be called callboard in an index. pipx keeps what it injected when it upgrades Callboard.
    """
    python = shlex.quote(sys.executable)
    if Path(sys.prefix, "pipx_metadata.json").exists():
        installer = "pipx inject callboard"
    elif find_spec("pip") is not None:
        installer = f"{python} -m pip install"
    else:
        installer = f"uv pip install --python {python}"
    of_it = re.compile(rf"""(.*?)\s*;\s*extra\s*==\s*["']{extra}["']""")
    libraries = [found[1] for one in metadata.requires("callboard") or [] if (found := of_it.fullmatch(one))]
    return f"the extra callboard[{extra}]: {installer} {shlex.join(libraries)}"
