"""Settings of ``config.toml`` that earlier versions read: each is named in one line at the start, once."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from platformdirs import user_state_path

from registry.files.atomic_file import replace_text
from registry.files.folders import config_file, private_folder
from registry.files.toml_text import section_in

_TEAM_AUDIT = 'copies of the audit log on a server are gone; [audit] file = "…" writes each entry to a file'
_GONE = {
    ("team", "audit"): _TEAM_AUDIT,
    ("team", "person"): _TEAM_AUDIT,
    ("team", "machine"): _TEAM_AUDIT,
    ("team", "password"): _TEAM_AUDIT,
}
_APPROVE = "approval by a second person is gone; the account now asks for the id before it deletes (typed-id)"


def gone_settings(environment: Mapping[str, str], folder: Path | None = None) -> list[str]:
    """A sentence for each setting that is not read any more; nothing for those that were told before.

    Args:
        environment: the environment variables.
        folder: where is remembered what was told; by default the user's state folder.
    """
    file = config_file(environment)
    found = [f"{file}: {words}." for words in dict.fromkeys(_named(file))]
    if not found:
        return []
    kept = (folder or user_state_path("callboard")) / "gone-settings"
    with suppress(OSError):
        if kept.exists() and kept.read_text("utf-8") == "\n".join(found):
            return []
        private_folder(kept.parent)
        replace_text(kept, "\n".join(found))
    return found


def _named(file: Path) -> list[str]:
    words = [
        f"[{section}] {name}: {sentence}" for (section, name), sentence in _GONE.items() if name in section_in(file, section)
    ]
    for name, account in section_in(file, "accounts").items():
        if isinstance(account, dict) and account.get("rule") == "approve":
            words.append(f'[accounts."{name}"] rule: {_APPROVE}')
    return words
