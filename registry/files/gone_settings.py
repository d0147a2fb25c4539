"""Settings of ``config.toml`` that earlier versions read: each is named in one line at the start, once."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from platformdirs import user_state_path

from registry.files.atomic_file import replace_text
from registry.files.folders import config_file, private_folder
from registry.files.toml_text import section_in

_AUDIT = 'copies of the audit log on a server are gone; [audit] file = "…" writes each entry to a file'
_APPROVE = "approval by a second person is gone; the account now asks for the id before it deletes (typed-id)"

GONE_COMMANDS = ("group",)
"""Commands of earlier versions that users may have set keys for."""


def gone_settings(environment: Mapping[str, str], folder: Path | None = None) -> list[str]:
    """A sentence for each setting that is not read any more; nothing for those that were told before.

    Args:
        environment: the environment variables.
        folder: where is remembered what was told; by default the user's state folder.
    """
    file = config_file(environment)
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
