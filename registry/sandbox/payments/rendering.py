"""Stored objects as the API shows them.

A stored body has only the values that differ from the defaults. Here the shape's defaults are filled in, ids become whole
objects if the shape has these or the caller expands them, and lists of an object's parts are added: the ten newest, or the ten
oldest if the list runs like the lines on a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

from registry.sandbox.payments.expanding import LEFT_OUT, Tree, holds_objects
from registry.sandbox.payments.pages import Paging, current, holding, page
from registry.sandbox.payments.reading import Found, Reader
from registry.sandbox.payments.shapes import ABSENT, kinds_of, shapes
from registry.sandbox.store import StoredRow

Json = dict[str, Any]

How = Literal["plain", "reference", "object", "list"]


class Renderer:
    """Renders objects for one request."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def list(self, url: str, found: Sequence[Found], has_more: bool, tree: Tree | None = None) -> Json:
        """A page of a list; `tree` is what to expand, as seen from the list."""
        members = (tree or {}).get("data")
        data = [self.object(one.kind, one.row, members) for one in found]
        return {"object": "list", "url": url, "has_more": has_more, "data": data}

    def object(self, kind: str, row: StoredRow, tree: Tree | None = None) -> Json:
        """One object; `tree` is what to expand, as seen from the object."""
        fields, inside = _plan(kind)
        shown: Json = {"id": row.id, "object": kind} if "id" in shapes()[kind].fields else {"object": kind}
        for name, how, kinds, default in fields:
            value = self._value(kind, name, how, kinds, row.body.get(name, default), row, tree.get(name) if tree else None)
            if value is not ABSENT:
                shown[name] = value
        for steps, kinds in inside if tree else ():
            shown = self._inside(shown, steps, tree or {}, kinds)
        match kind:
            case "capability":
                shown["id"] = row.id.rpartition("/")[2]
            case "event" if "_about" in row.body:
                shown["data"] = {"object": self._snapshot(*row.body["_about"]), **row.body.get("data", {})}
            case "identity.verification_session" if shown["status"] != "requires_input":
                shown["client_secret"] = shown["url"] = None
        if self._reader.live and "livemode" in shown:
            shown["livemode"] = True
        return shown

    def deleted(self, kind: str, id_: str) -> Json:
        """The short form of an object that was deleted."""
        return {"id": id_, "object": kind, "deleted": True}

    def _value(
        self, kind: str, name: str, how: How, kinds: Sequence[str], value: Any, row: StoredRow, tree: Tree | None
    ) -> Any:
        about = shapes()[kind].fields[name]
        if tree is None and ((kind, name) in LEFT_OUT or about.get("shown") == "expanded"):
            return ABSENT
        match how:
            case "list":
                return self._list(kinds, name, about, row, tree)
            case "object" if value is ABSENT and name == "cash_balance":
                return self._each(row.id, kinds, tree, whole=True)
            case "object":
                return self._each(value, kinds, tree, whole=True)
            case "reference" if tree is not None:
                return self._each(value, kinds, tree, whole=False)
        return value

    def _list(self, kinds: Sequence[str], name: str, about: dict[str, Any], row: StoredRow, tree: Tree | None) -> Json:
        by, url = about["by"], about["url"].replace("{id}", row.id)
        found, has_more = page(
            self._reader,
            holding(kinds, by),
            {by: row.id, **current(kinds)},
            Paging(),
            oldest_first=bool(about.get("oldest_first")),
        )
        if "{account}" in url:
            linked = self._reader.every(["financial_connections.account"], {"ownership": row.id})
            url = url.replace("{account}", linked[0].row.id if linked else "")
        return self.list(url, found, has_more, tree)

    def _each(self, value: Any, kinds: Sequence[str], tree: Tree | None, *, whole: bool) -> Any:
        """Ids as objects, one or several. `whole`: the field holds objects, so that a deleted one is shown as it was."""
        match value:
            case list():
                return [self._each(one, kinds, tree, whole=whole) for one in value]
            case str():
                return self._referred(value, kinds, tree, whole)
        return value

    def _referred(self, id_: str, kinds: Sequence[str], tree: Tree | None, whole: bool) -> Any:
        found = self._reader.look(kinds, id_)
        if found is not None:
            return self.object(found.kind, found.row, tree)
        for kind in kinds:
            row = self._reader.gone(kind, id_)
            if row is None:
                continue
            if whole:
                return self.object(kind, row, tree)
            if kind in ("coupon", "discount"):
                return self.object(kind, row, tree) | {"deleted": True}
            return self.deleted(kind, id_)
        return None if whole else id_

    def _inside(self, value: Any, steps: tuple[str, ...], tree: Tree, kinds: Sequence[str]) -> Any:
        """A copy of a field's value in which the references at the end of the steps are whole objects."""
        if not steps:
            return self._each(value, kinds, tree, whole=False)
        if steps[0] == "[]":
            return [self._inside(one, steps[1:], tree, kinds) for one in value] if isinstance(value, list) else value
        if not isinstance(value, dict) or steps[0] not in value or steps[0] not in tree:
            return value
        return value | {steps[0]: self._inside(value[steps[0]], steps[1:], tree[steps[0]], kinds)}

    def _snapshot(self, kind: str, id_: str) -> Json:
        """The object of an event; if it was deleted since then, as it was."""
        row = self._reader.get(kind, id_) or self._reader.gone(kind, id_)
        return self.object(kind, row) if row else self.deleted(kind, id_)


@cache
def _plan(kind: str) -> tuple[list[tuple[str, How, list[str], Any]], list[tuple[tuple[str, ...], list[str]]]]:
    """How the objects of a kind are rendered.

    Of each field: how it is shown, the kinds of the objects that it refers to, and its default; and of the references within
    hashes the steps from the top.
    """
    shape = shapes()[kind]
    fields: list[tuple[str, How, list[str], Any]] = []
    for name, about in shape.fields.items():
        if about["type"] == "list":
            fields.append((name, "list", kinds_of(about["of"]), None))
        elif holds_objects(about):
            fields.append((name, "object", kinds_of(about["of"]), shape.default(name)))
        elif "ref" in about and about.get("expandable"):
            fields.append((name, "reference", kinds_of(about["ref"]), shape.default(name)))
        elif name not in ("id", "object"):
            fields.append((name, "plain", [], shape.default(name)))
    inside = [
        (tuple(path.replace("[]", ".[]").split(".")), kinds_of(reference["ref"]))
        for path, reference in shape.inside.items()
        if reference.get("expandable")
    ]
    return fields, inside
