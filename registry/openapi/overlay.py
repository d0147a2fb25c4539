"""The user's corrections of a toolkit's document: ``overlay.json`` in the toolkit's folder.

Operations are named by ``METHOD /path`` or by their ``operationId``. What an overlay omits stays as in the document.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from registry.catalog.reading import decoded
from registry.openapi.document import DocumentRefused

FILE = "overlay.json"


class OperationOverlay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The overrides of one operation; of one that is `hidden` no tool is made.

    `title` is its name on screen: ``Issues · search``. `items` is the path of the list's items, empty if the response is the
    list, and `paging` is as in ``service.json``. `refers_to` has by wire name of a parameter the types whose ids it takes.
    """

    name: str | None = None
    title: str | None = None
    group: str | None = None
    effect: str | None = None
    hidden: bool = False
    items: str | None = None
    paging: dict[str, Any] | None = None
    objects: tuple[str, ...] | None = None
    refers_to: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    rule: str | None = None


class Overlay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The overrides of a document.

    `title` is the service's name that people read. `header` is the header with the credential of all operations, whatever the
    document says, and `scheme` the text before a credential in its header. `references` and
    `pages` are the contents of these files. `kept` are the ids of guesses that the user keeps.
    """

    toolkit: str | None = None
    title: str | None = None
    server: str | None = None
    header: str | None = None
    scheme: str | None = None
    operations: Mapping[str, OperationOverlay] = msgspec.field(default_factory=dict)
    references: dict[str, Any] | None = None
    pages: dict[str, Any] | None = None
    kept: tuple[str, ...] = ()

    def of(self, method: str, path: str, operation: str) -> OperationOverlay:
        """The overrides of an operation; for most operations empty."""
        return self.operations.get(f"{method} {path}") or self.operations.get(operation) or OperationOverlay()


def overlay_of(content: bytes, file: str) -> Overlay:
    """An overlay from its file.

    Raises:
        DocumentRefused: it is not JSON, or has an unknown key.
    """
    place = ""
    try:
        return decoded(content, Overlay)
    except msgspec.ValidationError as error:
        reason, _, place = str(error).partition(" - at `$")
    except msgspec.DecodeError as error:
        reason = f"is not JSON: {error}"
    except RecursionError:
        reason = "is nested too deeply"
    raise DocumentRefused(file, place.rstrip("`").replace(".", "/"), reason)
