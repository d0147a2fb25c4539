"""Saves a response that is a file: first under a temporary name, and never over an existing file."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from registry.files.atomic_file import UnnamedFile, file_name, unnamed_file

_ENDINGS = {"application/pdf": ".pdf"}


def save(content: bytes, content_type: str, name: str, folder: Path) -> dict[str, Any]:
    """Write a file and return what was written: {file, bytes, sha256, content_type}.

    Args:
        content: the bytes to write.
        content_type: decides the extension.
        name: the file name without extension; characters that are invalid in file names are replaced.
        folder: where to write it; created if missing.

    Raises:
        OSError: the file could not be written.
    """
    kind = content_type.partition(";")[0].strip().lower()
    stem = file_name(name, "file")
    folder.mkdir(parents=True, exist_ok=True)
    with unnamed_file(folder, stem) as one:
        one.file.write(content)
        final = _place(one, folder, stem, _ENDINGS.get(kind, ".bin"))
    digest = hashlib.sha256(content).hexdigest()
    return {"file": str(final), "bytes": len(content), "sha256": digest, "content_type": kind}


def _place(one: UnnamedFile, folder: Path, stem: str, ending: str) -> Path:
    number = 1
    while True:
        final = folder / (f"{stem}{ending}" if number == 1 else f"{stem}-{number}{ending}")
        try:
            one.place(final)
        except FileExistsError:
            number += 1
        else:
            return final
