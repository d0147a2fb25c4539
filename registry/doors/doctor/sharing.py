"""A team's settings: shared folders with their content, if any are set."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from registry.catalog.model import Tool


class Sharing(NamedTuple):
    """Sections of the report, and the problems as sentences."""

    sections: dict[str, Any]
    problems: list[str]


def sharing(environment: Mapping[str, str], tools: Mapping[str, Tool]) -> Sharing:
    """The section ``shared``. Reads files; does not use the network."""
    from registry.finding.shared_calls import shared_call_problems
    from registry.pages.shared import SharedPages
    from registry.sharing.folder import KINDS
    from registry.sharing.folders import age_in_words, shared_files, shared_folders
    from registry.sharing.setting import shared

    sections: dict[str, Any] = {}
    problems = list(shared(environment).problems)
    folders = shared_folders(environment)
    if folders:
        sections["shared"] = [
            {
                "name": one.name,
                "address": one.source.address,
                "branch": one.source.branch,
                "updated": f"{age_in_words(time.time() - one.updated)} ago" if one.updated is not None else None,
                "files": {kind: len(shared_files(kind, [one]).files) for kind in KINDS},
            }
            for one in folders
        ]
        pages = SharedPages(lambda: folders)
        pages.read()
        found = [words for one in folders for words in one.notices]
        found += [words for kind in ("presets", "playbooks") for words in shared_files(kind, folders).notices]
        problems += dict.fromkeys([*found, *shared_call_problems(folders, tools), *pages.problems])
    return Sharing(sections, problems)


def sharing_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The sections as lines for people."""
    if "shared" in report:
        yield "Shared folders"
        for one in report["shared"]:
            counts = ", ".join(f"{count} in {kind}" for kind, count in one["files"].items() if count) or "no files"
            age = f", updated {one['updated']}" if one["updated"] else ""
            yield f"  {one['name'].ljust(12)} {one['address']}: {counts}{age}"
        yield ""
