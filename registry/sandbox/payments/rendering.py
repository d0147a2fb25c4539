"""Stored objects as the API shows them.

A stored body has only the values that differ from the defaults. Here the shape's defaults are filled in, ids become whole
objects if the shape has these or the caller expands them, and lists of an object's parts are added: the ten newest, or the ten
oldest if the list runs like the lines on a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

from registry.sandbox.payments.expanding import LEFT_OUT, Tree, holds_objects
from registry.sandbox.payments.pages import Paging, current, holding, page
from registry.sandbox.payments.reading import Found, Reader
from registry.sandbox.payments.shapes import ABSENT, Shape, kinds_of, shapes
from registry.sandbox.store import StoredRow

Json = dict[str, Any]

_OWNERS = {"by": "ownership", "url": "/v1/financial_connections/accounts/{account}/owners?ownership={id}"}


class _Field(NamedTuple):
    name: str
    how: Literal["plain", "reference", "object", "list"]
    asked_only: bool
    default: Any
    kinds: list[str]
    by: str
    url: str
    oldest_first: bool


class _Inner(NamedTuple):
    steps: tuple[str, ...]
    kinds: list[str]


class _Plan(NamedTuple):
    """How the objects of a kind are rendered."""

    has_id: bool
    fields: list[_Field]
    inside: list[_Inner]


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
        plan = _plan(kind)
        shown: Json = {"id": row.id, "object": kind} if plan.has_id else {"object": kind}
        for field in plan.fields:
            value = self._value(field, row, tree.get(field.name) if tree else None)
            if value is not ABSENT:
                shown[field.name] = value
        for inner in plan.inside if tree else ():
            shown = self._inside(shown, inner.steps, tree or {}, inner.kinds)
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

    def _value(self, field: _Field, row: StoredRow, tree: Tree | None) -> Any:
        if field.asked_only and tree is None:
            return ABSENT
        if field.how == "list":
            return self._list(field, row, tree)
        value = row.body.get(field.name, field.default)
        if field.how == "object":
            if value is ABSENT and field.name == "cash_balance":
                value = row.id
            return self._each(value, field.kinds, tree, whole=True)
        if field.how == "reference" and tree is not None:
            return self._each(value, field.kinds, tree, whole=False)
        return value

    def _list(self, field: _Field, row: StoredRow, tree: Tree | None) -> Json:
        where = {field.by: row.id, **current(field.kinds)}
        part = page(self._reader, holding(field.kinds, field.by), where, Paging(), oldest_first=field.oldest_first)
        url = field.url.replace("{id}", row.id)
        if "{account}" in url:
            linked = self._reader.every(["financial_connections.account"], {"ownership": row.id})
            url = url.replace("{account}", linked[0].row.id if linked else "")
        return self.list(url, part.found, part.has_more, tree)

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
def _plan(kind: str) -> _Plan:
    shape = shapes()[kind]
    inside = [
        _Inner(tuple(path.replace("[]", ".[]").split(".")), kinds_of(reference["ref"]))
        for path, reference in shape.inside.items()
        if reference.get("expandable")
    ]
    return _Plan(
        "id" in shape.fields, [_field(kind, shape, name) for name in shape.fields if name not in ("id", "object")], inside
    )


def _field(kind: str, shape: Shape, name: str) -> _Field:
    about = shape.fields[name]
    if about["type"] == "list":
        about = _OWNERS | about if name == "owners" else about
        return _Field(
            name=name,
            how="list",
            asked_only=about.get("shown") == "expanded",
            default=None,
            kinds=kinds_of(about["of"]),
            by=about["by"],
            url=about["url"],
            oldest_first=bool(about.get("oldest_first")),
        )
    how: Literal["plain", "reference", "object"] = "plain"
    kinds: list[str] = []
    if holds_objects(about):
        how, kinds = "object", kinds_of(about["of"])
    elif "ref" in about and about.get("expandable"):
        how, kinds = "reference", kinds_of(about["ref"])
    try:
        default = shape.default(name)
    except KeyError:
        default = ABSENT
    return _Field(name, how, (kind, name) in LEFT_OUT, default, kinds, "", "", False)
