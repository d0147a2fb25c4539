"""``callboard share``: lists a team's shared folders and git repositories, and updates the copies of repositories."""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, TypeVar

from registry.doors.output import ExitCode, complain, fail, remark, say, say_json

if TYPE_CHECKING:
    from registry.sharing.folder import Kind, SharedFolder

Parser = TypeVar("Parser", bound=argparse.ArgumentParser)


def add_share(commands: argparse._SubParsersAction[Parser]) -> None:
    """The command, its action and their options."""
    command = commands.add_parser(
        "share",
        help="list shared folders and git repositories, and update them",
        description="List the folders and git repositories that are shared, with what is in them. "
        "The setting: shared = [...] in the section [team] of config.toml, or CALLBOARD_SHARED.",
        epilog="Exit codes: 0 done, 1 a repository could not be updated; its last state stays in use.",
    )
    command.add_argument("--json", action="store_true", help="print one JSON object per line")
    actions = command.add_subparsers(dest="action", metavar="[ACTION]")
    update = actions.add_parser("update", help="update the copies of git repositories")
    update.add_argument("name", metavar="NAME", nargs="?", help="name of one of them (default: all)")


def manage(options: argparse.Namespace) -> int:
    """List or update; returns the exit code."""
    from registry.sharing.folders import shared_folders
    from registry.sharing.setting import VARIABLE, shared

    problems = shared().problems
    for problem in problems:
        complain(problem, code=ExitCode.USAGE)
    folders = shared_folders()
    if options.action == "update":
        return _update(folders, options.name)
    for one in folders:
        _tell(one, as_json=options.json)
    if not folders and not problems:
        remark(f'No shared folders. Name some in config.toml: [team] shared = ["/path/to/folder"], or set {VARIABLE}.')
    return ExitCode.USAGE if problems else ExitCode.OK


def put_into(to: str, kind: Kind, group: str, name: str, content: bytes, *, replaces: bool) -> int:
    """Put a preset's or a playbook's file into a shared folder, and print its path; returns the exit code."""
    from registry.files.reasons import is_local
    from registry.sharing.folders import shared_folders
    from registry.sharing.writing import NotShared, place_for, put

    try:
        file = put(place_for(to, shared_folders()), kind, group, name, content, replaces=replaces)
    except NotShared as error:
        fail(str(error), ExitCode.LOCAL if is_local(error) else ExitCode.USAGE)
    remark(f"Shared “{name}”: {file}")
    return ExitCode.OK


def _update(folders: tuple[SharedFolder, ...], name: str | None) -> int:
    from registry.sharing.git_copy import NotUpdated, update

    chosen = [one for one in folders if one.source.is_git and name in (None, one.name)]
    if name is not None and not chosen:
        there = ", ".join(one.name for one in folders if one.source.is_git)
        fail(f"no shared repository {name!r}", way_out=f"repositories: {there}" if there else "only git addresses are updated")
    if not chosen:
        remark("No shared repositories: folders are read where they are.")
    code: int = ExitCode.OK
    for one in chosen:
        try:
            remark(f"{one.name}: {update(one.source)}")
        except NotUpdated as error:
            stays = "its last state stays in use" if one.path is not None else "nothing of it is here yet"
            code = ExitCode.SERVICE
            complain(f"{one.name}: {error}; {stays}", code=code)
    return code


def _tell(one: SharedFolder, *, as_json: bool) -> None:
    from registry.sharing.folder import KINDS
    from registry.sharing.folders import age_in_words, ages, shared_files

    found = {kind: shared_files(kind, [one]) for kind in KINDS}
    counts = {kind: len(files.files) for kind, files in found.items()}
    notices = list(dict.fromkeys([*one.notices, *ages([one]), *(words for files in found.values() for words in files.notices)]))
    if as_json:
        kept = "git" if one.source.is_git else "folder"
        members = {"name": one.name, "kind": kept, "address": one.source.address, "branch": one.source.branch}
        say_json(json.dumps(members | {"updated": one.updated, "files": counts, "notices": notices}, ensure_ascii=False))
        return
    words = ", ".join(f"{count} in {kind}" for kind, count in counts.items() if count) or "no files"
    branch = f", branch {one.source.branch}" if one.source.branch else ""
    age = f"  updated {age_in_words(time.time() - one.updated)} ago" if one.updated is not None else ""
    say(f"{one.name}  {one.source.address}{branch}  {words}{age}")
    for notice in notices:
        complain(notice)
