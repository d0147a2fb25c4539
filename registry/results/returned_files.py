"""Files in a response, such as images of MCP tools: their kinds, and saving them unchanged."""

from collections.abc import Sequence
from pathlib import Path

from registry.calling.receiving import ENDINGS, UNKNOWN, endings_of
from registry.files.folders import unnamed_file
from registry.results.formats import NotExported, Saved
from registry.results.target import free_name, refused
from registry.text.readings import bare
from registry.text.safe_text import visible_line

ReturnedFile = tuple[str, bytes]  # a media type, as the server names it, and the bytes

_KNOWN = frozenset(ending for endings in ENDINGS.values() for ending in endings) | {UNKNOWN}


def ending_of(media_type: str) -> str:
    """The file extension of a media type, without the dot; ``bin`` for types that are not on the list."""
    return endings_of(media_type)[0]


def named(file: ReturnedFile) -> str:
    """A file in a few words."""
    kind = bare(file[0])
    return visible_line(kind) if kind in ENDINGS else "other bytes"


def wanted(files: Sequence[ReturnedFile], target: Path) -> list[ReturnedFile]:
    """The files that match the extension of a name; empty if it is not the extension of a file type.

    Raises:
        NotExported: it is the extension of a file type, and there is no file of that type.
    """
    ending = target.suffix.lstrip(".").lower()
    found = [one for one in files if ending in endings_of(one[0])]
    if found or ending not in _KNOWN:
        return found
    there = ", ".join(dict.fromkeys(f".{ending_of(kind)}" for kind, _ in files))
    has = f"It has {there}." if there else "It has no files: save it as .json."
    raise NotExported(f"The response has no .{ending}.", has, "format")


def save_files(files: Sequence[ReturnedFile], target: Path, *, replace: bool = False) -> list[Saved]:
    """Write files, readable only by their owner: the first under the name, further ones under numbered names.

    Raises:
        NotExported: it failed; says why, and what to do.
    """
    saved = []
    for place, (_, content) in enumerate(files):
        path = target if place == 0 else free_name(target)
        try:
            with unnamed_file(path.parent, path.name) as one:
                one.file.write(content)
                one.place(path, replace=replace and place == 0)
        except OSError as error:
            raise refused(error, path) from None
        saved.append(Saved(path, len(content), None, 0))
    return saved
