"""The toolkits that a user added: one folder each below the data folder, with source hash, guesses and overlay."""

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from registry.catalog import loader
from registry.catalog.folders import decoded, forget, kept_toolkits
from registry.catalog.service import Service
from registry.files.folders import file_lock, private_folder, replace_text
from registry.mcp_client.values import Server
from registry.openapi.compiling import Compiled, compiled, document_of
from registry.openapi.document import FILE as OVERLAY
from registry.openapi.document import DocumentRefused, Overlay, Remark, overlay_of
from registry.openapi.guesses import Guess
from registry.openapi.mcp_server import compiled_server, configured_source, listing_of
from registry.openapi.reading import bytes_of

SOURCE = "source.json"
_MOST_REMARKS = 500
TITLE = "/info/title"
"""Where the document has the title from which the toolkit's name is made."""


class ToolkitSource(msgspec.Struct, frozen=True):
    """The source of a toolkit, a file or an address: ``source.json`` in its folder.

    `openapi` is the version of OpenAPI, or of the Model Context Protocol; `added` is ISO 8601 in UTC. `name` and `server` are
    those that the user gave. `left_out` are operations without a tool, `remarks` are parts of operations that were omitted.
    """

    source: str
    sha256: str
    size: int
    openapi: str
    toolkit: str
    title: str
    added: str
    tools: int
    name: str | None = None
    server: str | None = None
    mcp: Server | None = None
    guesses: tuple[Guess, ...] = ()
    left_out: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def kind(self) -> str:
        """The kind of source, with its version, in words."""
        return f"{'MCP' if self.mcp is not None else 'OpenAPI'} {self.openapi}"


class NotKept(LookupError):
    """No such toolkit was added; the text names those that exist."""


class Kept(msgspec.Struct, frozen=True):
    """A toolkit that was added."""

    folder: Path
    source: ToolkitSource
    overlay: Overlay

    @property
    def name(self) -> str:
        """The name of its folder, which is also its account's name."""
        return self.folder.name

    @property
    def guesses(self) -> list[Guess]:
        """The guesses that the user has not kept yet."""
        return [guess for guess in self.source.guesses if guess.id not in self.overlay.kept]


class Change(msgspec.Struct, frozen=True):
    """The difference from the toolkit before: names of tools."""

    same: bool
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


class Prepared(NamedTuple):
    """A toolkit that was made for review but is not stored yet; if it is `renewed`, `change` is what that changes."""

    made: Compiled
    source: ToolkitSource
    overlay: bytes
    renewed: bool = False
    change: Change = Change(same=False)


def all_kept() -> list[Kept]:
    """The toolkits that were added, by name; folders without a readable ``source.json`` are skipped."""
    found = []
    for folder in sorted(kept_toolkits().glob("[a-z]*")):
        with contextlib.suppress(OSError, msgspec.DecodeError, DocumentRefused):
            found.append(_kept(folder))
    return found


def kept(name: str) -> Kept:
    """The toolkit with a name: its folder's name, or its own.

    Raises:
        NotKept: there is no such toolkit.
    """
    known = all_kept()
    if (found := next((one for one in known if name in (one.name, one.source.toolkit)), None)) is not None:
        return found
    there = ", ".join(one.name for one in known)
    raise NotKept(f"there is no added toolkit {name!r}; {f'there are {there}' if there else 'none was added yet'}")


def prepared(
    source: str | Server,
    *,
    name: str | None = None,
    server: str | None = None,
    overlay: str | None = None,
    header: str | None = None,
) -> Prepared:
    """Make a toolkit from a file, an https address or an MCP server, without storing it. Blocks.

    A copy of the overlay's file is stored later, with the `header` that carries the credential of all requests.

    Raises:
        DocumentRefused: no toolkit can be made from it, or its name is taken.
    """
    content = bytes_of(overlay)[0] if overlay is not None else b"{}"
    if header is not None:
        content = msgspec.json.encode(msgspec.json.decode(content) | {"header": header})
    found = Prepared(*_made(source, overlay_of(content, overlay or OVERLAY), name=name, server=server), content)
    _refuse_taken(found)
    return found


def credentials_of(service: Service) -> str:
    """What a toolkit's calls need, or may need, as a sentence; empty if its document describes no credential."""
    needed = service.needs
    asked = needed or ", or ".join(" and ".join(one.variables) for one in service.authentication if one.variables)
    what = f"Calls need {asked}" if needed else f"Calls that need a credential take {asked}"
    return f"{what}, or an account: callboard account add {service.name} --name NAME" if asked else ""


def look_again(one: Kept, headers: Mapping[str, str] | None = None) -> Prepared:
    """Make a toolkit again from its source and overlay, under its current name, without storing it. Blocks.

    `headers` are for an MCP server over HTTP: those of the toolkit's account.

    Raises:
        DocumentRefused: no toolkit can be made from its source any more.
    """
    source = one.source
    server = replace(source.mcp, headers=headers) if source.mcp is not None else None
    overlay = msgspec.structs.replace(one.overlay, toolkit=one.overlay.toolkit or source.toolkit)
    found, origin = _made(server or source.source, overlay, name=source.name, server=source.server)
    if (other := found.service.name) != one.name:
        raise DocumentRefused(source.source, TITLE, f"makes the name {other!r} of {one.name!r}; remove and add it")
    files = [msgspec.json.decode(path.read_bytes()) for path in sorted((one.folder / "tools").glob("*.json"))]
    groups = [group for content in files for group in content["groups"]]
    before = {tool["name"]: {**tool, "group": group["name"]} for group in groups for tool in group["tools"]}
    after = msgspec.json.decode(msgspec.json.encode(found.tools))  # tuples as the lists that they become
    change = Change(
        origin.sha256 == source.sha256,
        tuple(sorted(after.keys() - before.keys())),
        tuple(sorted(before.keys() - after.keys())),
        tuple(sorted(name for name in after.keys() & before.keys() if after[name] != before[name])),
    )
    return Prepared(found, origin, (one.folder / OVERLAY).read_bytes(), True, change)


def keep_prepared(one: Prepared) -> Kept:
    """Store a toolkit that was made: as a new one, or in place of the one that was read again. Blocks.

    Raises:
        DocumentRefused: its name is taken.
        OSError: it cannot be kept.
    """
    folder = kept_toolkits() / one.made.service.name
    with file_lock(kept_toolkits() / "toolkits"):
        if not one.renewed:
            _refuse_taken(one)
        # The folder is written in one step, and replaces the old one.
        with tempfile.TemporaryDirectory(
            prefix=f".{folder.name}-", dir=private_folder(folder.parent), ignore_cleanup_errors=True
        ) as made_in:
            new = Path(made_in) / "new"
            (new / "tools").mkdir(parents=True)
            for name, content in one.made.files.items():
                (new / name).write_bytes(content)
            (new / SOURCE).write_bytes(msgspec.json.format(msgspec.json.encode(one.source)))
            (new / OVERLAY).write_bytes(one.overlay)
            if folder.exists():
                os.rename(folder, Path(made_in) / "old")
            os.rename(new, folder)
        forget()
    return _kept(folder)


def remove(one: Kept) -> None:
    """Remove a toolkit with everything in its folder.

    Raises:
        OSError: it cannot be removed.
    """
    with file_lock(kept_toolkits() / "toolkits"):
        gone = Path(tempfile.mkdtemp(prefix=f".{one.name}-", dir=one.folder.parent))
        os.rename(one.folder, gone / one.name)
        shutil.rmtree(gone)
    forget()


def keep(one: Kept, ids: list[str]) -> Kept:
    """Keep guesses: they become values of the overlay.

    Raises:
        NotKept: there is no such guess.
        OSError: the overlay cannot be written.
    """
    by_id = {guess.id: guess for guess in one.guesses}
    if unknown := [id_ for id_ in ids if id_ not in by_id]:
        raise NotKept(f"there is no guess {unknown[0]!r} in {one.name}; callboard toolkit show {one.name} lists them")
    path = one.folder / OVERLAY
    content: dict[str, Any] = msgspec.json.decode(path.read_bytes())
    for guess in (by_id[id_] for id_ in ids):
        if guess.operation:
            entry = content.setdefault("operations", {}).setdefault(guess.operation, {})
            entry["effect" if guess.id.startswith("effect/") else "paging"] = guess.value
        elif guess.value is not None:
            content["scheme"] = guess.value
    content["kept"] = sorted({*content.get("kept", ()), *ids})
    replace_text(path, msgspec.json.format(msgspec.json.encode(content)).decode() + "\n")
    return _kept(one.folder)


def _kept(folder: Path) -> Kept:
    source = decoded((folder / SOURCE).read_bytes(), ToolkitSource)
    overlay = folder / OVERLAY
    return Kept(folder, source, overlay_of(overlay.read_bytes(), str(overlay)) if overlay.exists() else Overlay())


def _made(source: str | Server, overlay: Overlay, *, name: str | None, server: str | None) -> tuple[Compiled, ToolkitSource]:
    given: dict[str, Any] = {"name": name}
    if isinstance(source, Server):
        if source.config:  # it may name another program or address now, which a refresh accepts
            source = replace(configured_source(source.config, source.entry), headers=source.headers)
        listing = listing_of(source)
        found = compiled_server(listing, source, overlay, name=name)
        content, place = listing.content, source.name
        given["mcp"] = source.without_secrets
    else:
        content, place = bytes_of(source)
        found = compiled(document_of(content, place), overlay, name=name, server=server)
        given["server"] = server
    return found, ToolkitSource(
        source=place,
        sha256=hashlib.sha256(content).hexdigest(),
        size=len(content),
        openapi=found.version,
        toolkit=found.service.toolkit,
        title=found.service.title,
        added=datetime.now(UTC).isoformat(timespec="seconds"),
        tools=len(found.tools),
        guesses=tuple(found.guesses),
        left_out=tuple(found.left_out[:_MOST_REMARKS]),
        remarks=tuple(found.remarks[:_MOST_REMARKS]),
        **given,
    )


def _refuse_taken(one: Prepared) -> None:
    name, toolkit = one.made.service.name, one.made.service.toolkit.lower()
    reasons = [
        f"the toolkit {other.toolkit} has that name already; give another name (--name)"
        for other in loader.load().toolkits.values()
        if toolkit == other.toolkit.lower() or name == other.name
    ]
    if (kept_toolkits() / name).exists():
        reasons = [f"{name} is there already: refresh or remove it, or give another name (--name)"]
    if reasons:
        raise DocumentRefused(one.source.source, TITLE, reasons[0])
