"""A copy of the audit log in a file of the user's, which any log shipper collects: one line of JSON for each entry.

``[audit] file = "…"`` in ``config.toml`` names it, or ``CALLBOARD_AUDIT_FILE``, or ``--audit-file``. Lines are only appended.
An entry whose outcome is found out later has a second line with the same ``id``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from registry.files.folders import config_file
from registry.files.reasons import reason
from registry.files.toml_text import section_in

VARIABLE = "CALLBOARD_AUDIT_FILE"


def copied_to(environment: Mapping[str, str], tell: Callable[[str], None]) -> Callable[[str], None] | None:
    """A function that appends a line to the file that the user named; None if there is none.

    Args:
        environment: the environment variables.
        tell: called, once, with why nothing can be appended.
    """
    named = environment.get(VARIABLE, "") or section_in(config_file(environment), "audit").get("file")
    if not named:
        return None
    file = Path(str(named)).expanduser()
    told: list[str] = []

    def append(line: str) -> None:
        try:
            handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(handle, "ab", buffering=0) as opened:
                opened.write(line.encode("utf-8", "backslashreplace") + b"\n")  # in one piece: other processes append as well
        except OSError as error:
            if not told:
                told.append(f"The audit file cannot be written: {reason(error, file)}")
                tell(told[0])

    return append
