"""A team's settings: shared folders with their content, if any are set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from registry.catalog.loader import Catalog
from registry.catalog.shared_folders import KINDS, shared_files, shared_setting
from registry.pages.shared import SharedPages
from registry.saved.store import shared_calls


class Sharing(NamedTuple):
    """Sections of the report, and the problems as sentences."""

    sections: dict[str, Any]
    problems: list[str]


def sharing(environment: Mapping[str, str], catalog: Catalog) -> Sharing:
    """The section ``shared``. Reads files; does not use the network."""
    sections: dict[str, Any] = {}
    folders, wrong = shared_setting(environment)
    problems = list(wrong)
    if folders:
        sections["shared"] = [
            {
                "name": one.name,
                "address": str(one.path),
                "files": {kind: len(shared_files(kind, [one]).files) for kind in KINDS},
            }
            for one in folders
        ]
        pages = SharedPages(lambda: folders)
        pages.read()
        shared_calls(folders, catalog, problems)
        problems = list(dict.fromkeys([*problems, *pages.problems]))
    return Sharing(sections, problems)


def sharing_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The sections as lines for people."""
    if "shared" in report:
        yield "Shared folders"
        for one in report["shared"]:
            counts = ", ".join(f"{count} in {kind}" for kind, count in one["files"].items() if count) or "no files"
            yield f"  {one['name'].ljust(12)} {one['address']}: {counts}"
        yield ""
