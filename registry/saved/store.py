"""The files of saved calls: read, checked and written; and their store, a folder that has one for each.

Files come from outside: every problem names its place, the rule and what to do. Numbers keep their digits as written. Those of
shared folders are listed beside the user's own. If both have a name, it means the user's own; ``FOLDER/NAME`` means the other.
Presets and playbooks, the files of earlier versions in folders of their own, are rewritten here when they are first read.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace
from platformdirs import user_state_path

from registry.catalog.folders import bytes_of, converted, in_words
from registry.catalog.loader import Catalog
from registry.catalog.shared_folders import MOST_BYTES, Kind, SharedFolder, shared_files, shared_folders
from registry.files.folders import check_reach, file_name, names_in, private_folder, put_in_place, reason, unnamed_file
from registry.json_text import NotJson, dumps, indented, read_typed
from registry.results.formats import refused, target_of
from registry.saved.making import saved_form
from registry.saved.saved_call import (
    LONGEST_NAME,
    Input,
    Problem,
    SavedCall,
    SavedCallError,
    Step,
    checked_name,
    files_named,
    problems_of,
)
from registry.text.shown import exact_json, shortened, visible_line

FORMAT, PLAYBOOK, PRESET, VERSION = "callboard saved call", "callboard playbook", "callboard arguments", 1


def file_text(call: SavedCall) -> str:
    """A saved call as the text of its file."""
    return exact_json(indented({"format": FORMAT, "version": VERSION, **_members(call)})) + "\n"


def read_file(content: bytes, catalog: Catalog) -> SavedCall:
    """The saved call in a file, checked against the catalogue: its tools exist, and take what it gives them.

    Raises:
        SavedCallError: it is no saved call, or cannot be used; has all problems.
    """
    members = _parsed(content)
    format_, version = members.pop("format", None), members.pop("version", None)
    if format_ not in (FORMAT, PLAYBOOK, PRESET):
        raise SavedCallError("Not the file of a saved call: `format` is missing or wrong.", f'It must be "{FORMAT}".')
    if version != VERSION or isinstance(version, bool):
        shown = shortened(visible_line(dumps(version)), 20)
        raise SavedCallError(f"`version` is {shown}; this Callboard reads version {VERSION}.", "Update Callboard.")
    if format_ == PRESET:  # its arguments are values, never templates
        tool, arguments = catalog.find(str(members.get("tool"))), members.get("arguments")
        if tool is None or not isinstance(arguments, dict):
            raise SavedCallError(f"Unknown tool “{shortened(visible_line(str(members.get('tool'))), 40)}” in `tool`.")
        unknown = [one for one in arguments if tool.parameter(one) is None]
        if unknown:
            raise SavedCallError(f"`arguments.{visible_line(unknown[0])}` is not a parameter of {tool.name}.", "Remove it.")
        return saved_form(tool, checked_name(str(members.get("name"))), arguments)
    try:
        call = converted(members, SavedCall)
    except msgspec.ValidationError as error:
        place, rule = in_words(error)
        raise wrong((Problem(visible_line(place.lstrip(".")), visible_line(rule)),)) from None
    except UnicodeEncodeError:
        raise SavedCallError("The file has half of a surrogate pair, which is not a character.") from None
    call = replace(call, name=checked_name(call.name), shared="")
    if problems := problems_of(call, catalog):
        raise wrong(problems)
    return call


def wrong(problems: tuple[Problem, ...]) -> SavedCallError:
    """The error for a saved call with problems."""
    first, more = problems[0], len(problems) - 1
    also = f" ({more} more {'problem' if more == 1 else 'problems'})" if more else ""
    return SavedCallError(f"{first}{also}.", "Fix it in the saved call.", problems)


def _parsed(content: bytes) -> dict[str, Any]:
    if len(content) > MOST_BYTES:
        raise SavedCallError(f"The file is too large: a saved call has at most {MOST_BYTES // 1024} KiB.")
    try:
        members = read_typed(content.decode("utf-8-sig"), whole=True)
    except UnicodeDecodeError as error:
        raise SavedCallError(f"The file is not valid UTF-8 (byte {error.start + 1}).") from None
    except NotJson as error:
        raise SavedCallError(f"The file is not valid JSON: {error}.") from None
    if not isinstance(members, dict):
        raise SavedCallError("Not the file of a saved call: it must contain a JSON object.")
    return members


def _members(value: SavedCall | Input | Step) -> dict[str, Any]:
    """The properties of a file that are not at their defaults."""
    found: dict[str, Any] = {}
    for field in msgspec.structs.fields(value):
        held = getattr(value, field.name)
        if isinstance(held, tuple):
            held = [_members(one) if isinstance(one, Input | Step) else one for one in held]
        usual = field.default if field.default is not msgspec.NODEFAULT else None
        if held not in ([], {}, usual) and field.name != "shared":
            found[field.encode_name] = held
    return found


# The store


_ENDING = ".json"
_FORMER = ("arguments", "playbooks")
_SHARED: tuple[Kind, ...] = ("saved", "presets", "playbooks")


class NameTaken(SavedCallError):
    """There is a saved call with that name."""


class SavedCalls(NamedTuple):
    """Saved calls by name, and why others cannot be used, in words.

    Of several with one name, the user's own comes first. If `is_readable` is false, their folder could not be read.
    """

    calls: tuple[SavedCall, ...] = ()
    notices: tuple[str, ...] = ()
    is_readable: bool = True


def usual_store(catalog: Catalog) -> "SavedStore":
    """The user's own, in the system's folder for programs' state, and those of the shared folders."""
    return SavedStore(user_state_path("callboard") / "saved", catalog, shared_folders)


class SavedStore:
    """All saved calls in a folder, which is created when the first one is saved, and those of the shared folders.

    Safe from any thread; all methods read or write files: do not call them in an event loop.
    """

    def __init__(self, folder: Path, catalog: Catalog, shared: Callable[[], Sequence[SharedFolder]] = tuple) -> None:
        self._folder, self._catalog, self._shared = folder, catalog, shared

    def all(self) -> SavedCalls:
        """All saved calls, by name. Files that cannot be used are reported, never raised, and stay where they are."""
        notices: list[str] = []
        former = (file for name in _FORMER for file in sorted((self._folder.parent / name).rglob(f"*{_ENDING}")))
        list(self._usable(former, notices))
        try:
            files = [self._folder / name for name in names_in(self._folder) if name.endswith(_ENDING)]
            is_readable = True
        except OSError as error:
            files, is_readable = [], False
            notices.append(f"Cannot read saved calls: {reason(error, self._folder)}")
        found = list(self._usable(files, notices))
        found += shared_calls(self._shared(), self._catalog, notices)
        # Sorting keeps the order of equal names: the user's own first, then the folders in the order of the setting.
        found.sort(key=lambda one: (one.name.casefold(), one.name))
        return SavedCalls(tuple(found), tuple(map(visible_line, notices)), is_readable)

    def find(self, name: str) -> SavedCall:
        """The one with a name, the user's own before those of shared folders; or else with a reference: ``FOLDER/NAME``.

        Or else with that as one word.

        Raises:
            SavedCallError: there is none; names the existing ones.
        """
        kept = self.all()
        for way in (attrgetter("name"), attrgetter("reference"), attrgetter("word")):
            for one in kept.calls:
                if way(one) == name.strip():
                    return one
        there = ", ".join(f"“{one.reference}”" for one in kept.calls)
        way_out = f"Saved calls: {there}." if there else "Press Ctrl+S in the explorer, or: callboard saved record NAME."
        raise SavedCallError(f"No saved call “{visible_line(name)}”.", " ".join([way_out, *kept.notices]))

    def save(self, call: SavedCall, *, replaces: bool = False) -> None:
        """Store a saved call.

        Raises:
            NameTaken: there is one with that name, and it may not be replaced.
            SavedCallError: something is wrong with it, or it cannot be written.
        """
        content, file = self._content(call), self._file(call.name)
        try:
            private_folder(self._folder)
            with unnamed_file(self._folder, file.stem) as new:
                new.write(content)
                put_in_place(new, file, replace=replaces)
        except FileExistsError:
            raise NameTaken(f"“{call.name}” already exists.", "Choose another name, or overwrite it.") from None
        except OSError as error:
            raise SavedCallError(f"Cannot save it: {reason(error)}.") from error

    def delete(self, call: SavedCall) -> None:
        """Delete one of the user's own.

        Raises:
            SavedCallError: it is in a shared folder, or it cannot be deleted.
        """
        if call.shared:
            raise SavedCallError(
                f"“{call.name}” is shared from {call.shared} and cannot be deleted here.",
                "Ask the owner of the folder; one of your own with this name replaces it for you.",
            )
        try:
            self._file(call.name).unlink(missing_ok=True)
        except OSError as error:
            raise SavedCallError(f"Cannot delete it: {reason(error)}.") from error

    def export(self, call: SavedCall, path: str, folder: Path = Path(), *, replaces: bool = False) -> Path:
        """Write a saved call to a file, which everybody who can read its folder can read; returns its path.

        Raises:
            NotExported: the path is invalid, or the file exists.
            SavedCallError: something is wrong with it.
        """
        target = target_of(path, folder, replace=replaces)
        content = self._content(call)
        try:
            with unnamed_file(target.parent, target.stem) as new:
                new.write(content)
                os.fchmod(new.fileno(), target.parent.stat().st_mode & 0o666)
                put_in_place(new, target, replace=replaces)
        except OSError as error:
            raise refused(error, target) from error
        return target

    def read(self, path: str, folder: Path = Path()) -> SavedCall:
        """The saved call in a file; relative paths start in `folder`.

        Raises:
            SavedCallError: there is no such file, or it is refused.
        """
        file = folder / os.path.expanduser(path)
        try:
            check_reach(file)
            return read_file(bytes_of(file, MOST_BYTES), self._catalog)
        except (OSError, ValueError) as error:
            raise SavedCallError(f"{visible_line(path)} cannot be read: {_why(error)}.") from error

    def _content(self, call: SavedCall) -> bytes:
        checked_name(call.name)
        if problems := problems_of(call, self._catalog):
            raise wrong(problems)
        return file_text(call).encode()

    def _file(self, name: str) -> Path:
        """The file for a name; distinct names get distinct files, even on file systems that ignore case."""
        return self._folder / f"{file_name(name, 'saved')[:40]}-{hashlib.sha256(name.encode()).hexdigest()[:12]}{_ENDING}"

    def _usable(self, files: Iterable[Path], notices: list[str]) -> Iterator[SavedCall]:
        """The calls in files; adds to `notices` why others cannot be used: these stay."""
        for file in files:
            try:
                call = read_file(bytes_of(file, MOST_BYTES), self._catalog)
                if (kept := self._file(call.name)) != file:
                    # What was put here by hand may have any name, and what an earlier version kept is beside this folder; it is
                    # stored under the call's name.
                    if file.parent != self._folder and kept.exists():
                        call = replace(call, name=f"{call.name} ({call.steps[0].tool})"[:LONGEST_NAME])
                    self.save(call)
                    file.unlink(missing_ok=True)
                yield call
            except FileNotFoundError:
                continue  # another program has just deleted it
            except (SavedCallError, OSError, ValueError) as error:
                notices.append(f"{file.name} cannot be used: {_why(error)}")


def shared_calls(folders: Sequence[SharedFolder], catalog: Catalog, notices: list[str]) -> list[SavedCall]:
    """The saved calls of shared folders; adds to `notices` why others cannot be used. Reads files."""
    found = []
    for kind in _SHARED if folders else ():
        files = shared_files(kind, folders)
        notices += files.notices
        for file in files.files:
            try:
                call = read_file(file.content, catalog)
                if problems := files_named(call, catalog):
                    raise wrong(problems)
                found.append(replace(call, shared=file.folder))
            except SavedCallError as error:
                notices.append(f"{file.shown} cannot be used: {error}")
    return found


def _why(error: Exception) -> str:
    return reason(error) if isinstance(error, OSError) else str(error)
