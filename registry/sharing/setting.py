"""Which folders are shared: ``shared`` in the section ``[team]`` of ``config.toml``, or ``CALLBOARD_SHARED`` instead."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from urllib.parse import urlsplit

from registry.files.folders import config_file
from registry.files.toml_text import section_in
from registry.text.safe_text import shortened, visible_line

VARIABLE = "CALLBOARD_SHARED"
"""Folders and git addresses, separated by commas; overrides the setting in the file, even if empty."""

MOST_SOURCES = 20
_LONGEST_ADDRESS, _LONGEST_NAME = 1_000, 40
_SCHEMES = ("https", "ssh", "file")
_SCP = re.compile(r"[A-Za-z0-9][\w.-]*@[A-Za-z0-9][\w.-]*:[^\s:][^\s]*", re.ASCII)
_BRANCH = re.compile(r"(?!.*(?:\.\.|//|/\.|@\{|\.lock(?:/|$)))[A-Za-z0-9_][\w./-]{0,199}", re.ASCII)
_UNFIT = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class SharedSource:
    """A shared folder or git repository.

    Attributes:
        name: its unique name in lists, made from the folder's or the repository's own name.
        address: the folder's path, or the git address. It holds no credential.
        is_git: whether it is a git address.
        branch: the branch of the repository; empty for its default branch.
    """

    name: str
    address: str
    is_git: bool = False
    branch: str = ""


class Shared(NamedTuple):
    """The sources in the setting, and its problems in words."""

    sources: tuple[SharedSource, ...] = ()
    problems: tuple[str, ...] = ()


def shared(environment: Mapping[str, str] = os.environ) -> Shared:
    """The shared sources. Reads the settings' file if the variable is not set."""
    if (named := environment.get(VARIABLE)) is not None:
        return _of(tuple(filter(None, map(str.strip, named.split(",")))), VARIABLE)
    file = config_file(environment)
    try:
        return _of_file(file, file.stat().st_mtime_ns)
    except OSError:
        return Shared()


@lru_cache(maxsize=4)
def _of_file(file: Path, _changed: int) -> Shared:
    found = section_in(file, "team").get("shared", [])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        return Shared((), (f"{file}: shared in [team] must be a list of folders and git addresses, in quotes",))
    return _of(tuple(found), f"{file}, [team] shared")


def _of(texts: tuple[str, ...], place: str) -> Shared:
    sources: list[SharedSource] = []
    problems = [f"{place}: only the first {MOST_SOURCES} are used"] if len(texts) > MOST_SOURCES else []
    for text in dict.fromkeys(texts[:MOST_SOURCES]):
        try:
            sources.append(_named(_source(text), sources))
        except ValueError as error:
            problems.append(f"{place}: {_shown(text)} {error}")
    return Shared(tuple(sources), tuple(problems))


def _source(text: str) -> SharedSource:
    """The source of one entry. Raises ValueError with the rule."""
    if not text or len(text) > _LONGEST_ADDRESS or visible_line(text) != text:
        raise ValueError(f"must have 1 to {_LONGEST_ADDRESS:,} printable characters")
    address, _, branch = text.partition("#")
    if "://" in address:
        _check_url(address)
    elif not _SCP.fullmatch(address):
        path = os.path.expanduser(text)
        if "::" in text or not os.path.isabs(path):
            raise ValueError(
                "is neither the full path of a folder nor a git address (https://…, ssh://…, file://… or user@host:path)"
            )
        return SharedSource(Path(path).name or "shared", path)
    if branch and not _BRANCH.fullmatch(branch):
        raise ValueError("names a branch that git does not allow")
    path = urlsplit(address).path if "://" in address else address.rpartition(":")[2]
    return SharedSource(PurePosixPath(path).name.removesuffix(".git") or "shared", address, is_git=True, branch=branch)


def _check_url(address: str) -> None:
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        raise ValueError("is not a valid address") from None
    if parts.scheme not in _SCHEMES:
        raise ValueError(f"must begin with {', '.join(f'{one}://' for one in _SCHEMES)} or user@host:")
    if parts.scheme != "file" and not (parts.hostname or "")[:1].isalnum():
        raise ValueError("names no host")
    if parts.password is not None or (parts.scheme == "https" and parts.username is not None):
        raise ValueError("holds a credential; keep it in git's credential helper and take it out of the address")
    if (parts.username or "a").startswith("-") or parts.query:
        raise ValueError("is not a git address")


def _named(one: SharedSource, before: list[SharedSource]) -> SharedSource:
    """The same source with a name that no earlier one has."""
    name = _UNFIT.sub("-", one.name).strip("-.")[:_LONGEST_NAME] or "shared"
    taken = {other.name for other in before}
    names = [name, *(f"{name}-{number}" for number in range(2, MOST_SOURCES + 2))]
    return SharedSource(next(each for each in names if each not in taken), one.address, one.is_git, one.branch)


def _shown(text: str) -> str:
    """An entry for a message, without what may be a credential."""
    return shortened(visible_line(re.sub(r"//[^/@]*@", "//…@", text)), 80)
