"""Reads TOML: every problem of a text becomes one error.

Python's reader also raises other errors, for a number with thousands of digits or for deeply nested lists; if not caught, they
would end the program.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from platformdirs import user_state_path

from registry.files.folders import config_file, open_plain, private_folder, replace_text

_MOST_BYTES = 100_000


class NotToml(ValueError):
    """A text that is not TOML, or cannot be read. `line` counts from 1; None if not known."""

    def __init__(self, words: str, line: int | None = None) -> None:
        super().__init__(words)
        self.line = line


def parsed(text: str) -> dict[str, Any]:
    """The content of a TOML text.

    Raises:
        NotToml: it is not valid TOML.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))  # some editors write this mark at the start of files
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        raise NotToml(str(error), int(found[1]) if found else text.count("\n") + 1) from None
    except RecursionError:
        raise NotToml("nested too deeply") from None
    except ValueError:
        raise NotToml("a number has too many digits") from None


def line_of(text: str, section: str, name: str = "") -> int | None:
    """The line, from 1, of a setting of a section, or of the section's header; None if it has no line of its own."""
    inside = ""
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[([^\[\]]+)\]", line):
            inside = header[1].replace('"', "").replace("'", "").strip()
        key = line.partition("=")[0].strip().strip("\"'") if "=" in line and not header else ""
        if inside == section and key == name and (name or header):
            return number
    return None


def section_in(file: Path, name: str) -> dict[str, Any]:
    """A section of the settings' file; empty without one. Its errors are reported by the code that reads the whole file."""
    with suppress(OSError, UnicodeDecodeError, NotToml), open_plain(file) as opened:
        content = opened.read(_MOST_BYTES + 1)
        section = parsed(content.decode("utf-8")).get(name) if len(content) <= _MOST_BYTES else None
        return section if isinstance(section, dict) else {}
    return {}


_AUDIT = 'copies of the audit log on a server are gone; [audit] file = "…" writes each entry to a file'
_APPROVE = "approval by a second person is gone; the account now asks for the id before it deletes (typed-id)"

GONE_COMMANDS = (
    *("group", "wrap", "siblings", "depth_1", "depth_2", "depth_3", "next_beside", "last_beside"),
    *("column_left", "column_right", "read_cell", "copy_row", "only", "only_changes", "swap", "hide_column"),
)
"""Commands of earlier versions that users may have set keys for."""


def gone_settings(environment: Mapping[str, str], folder: Path | None = None) -> list[str]:
    """A sentence for each setting that is not read any more; nothing for those that were told before, as a folder remembers."""
    file = config_file(environment)
    if not os.path.exists(file):
        return []
    team = section_in(file, "team")
    found = [f"{file}: [team] {name}: {_AUDIT}." for name in ("audit", "person", "machine", "password") if name in team]
    for name, account in section_in(file, "accounts").items():
        if isinstance(account, dict) and account.get("rule") == "approve":
            found.append(f'{file}: [accounts."{name}"] rule: {_APPROVE}.')
    found += [f"{file}: [keys] {id_}: this command is gone." for id_ in section_in(file, "keys") if id_ in GONE_COMMANDS]
    if not found:
        return []
    told, text = (folder or user_state_path("callboard")) / "gone-settings", "\n".join(found)
    with suppress(OSError):
        if told.exists() and told.read_text("utf-8") == text:
            return []
        private_folder(told.parent)
        replace_text(told, text)
    return found
