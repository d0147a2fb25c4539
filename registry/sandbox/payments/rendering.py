"""Stored objects as the API shows them.

A stored body has only the values that differ from the defaults. Here the shape's defaults are filled in, ids become whole
objects if the shape has these or the caller expands them, and lists of an object's parts are added: the ten newest, or the ten
oldest if the list runs like the lines on a page.

A path of the parameter `expand` names, step by step, references that become whole objects, and fields that are otherwise
omitted. In lists and searches every path starts with ``data``; a path has at most four steps, including ``data``. Whether it is
allowed depends only on the kinds, never on the stored objects.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

from registry.sandbox.payments.errors import refused
from registry.sandbox.payments.reading import Found, Paging, Reader, of_owner
from registry.sandbox.payments.shapes import ABSENT, kinds_of, shapes
from registry.sandbox.requests import CONDITIONS
from registry.sandbox.store import StoredRow

Tree = dict[str, "Tree"]

MOST_STEPS = 4
_ASKED = CONDITIONS["payments"]


def tree(paths: Iterable[str], kinds: Sequence[str], *, listed: bool = False) -> tuple[Tree, list[Sequence[str]]]:
    """The paths as one tree of names, from the top of a response, and the kinds of what they add to it, alternatives together.

    The response is an object of these kinds, or a list or search of them.

    Raises:
        ApiError: 400, for a path that is too long or names something that cannot be expanded.
    """
    top: Tree = {}
    added: list[Sequence[str]] = []
    for path in paths:
        steps = path.split(".")
        if len(steps) > MOST_STEPS:
            raise refused(f"You cannot expand more than {MOST_STEPS} levels of a property.")
        if listed and path == "total_count":
            raise refused("This property cannot be included (total_count).", code="property_forbidden")
        taken = _within_data(kinds, steps, []) if listed else _expands(kinds, steps, [])
        if taken is None:
            hint = "" if not listed or steps[0] == "data" else f" You may want to try expanding 'data.{path}' instead."
            raise refused(f"This property cannot be expanded ({path}).{hint}")
        added += taken
        branch = top
        for step in steps:
            branch = branch.setdefault(step, {})
    return top, added


Added = Sequence[Sequence[str]] | None
"""The kinds of what a path adds to a response, step by step; None if it cannot be expanded."""


def _within_data(kinds: Sequence[str], steps: list[str], added: Sequence[Sequence[str]]) -> Added:
    return _expands(kinds, steps[1:], added) if steps[0] == "data" and len(steps) > 1 else None


def _expands(kinds: Sequence[str], steps: list[str], added: Sequence[Sequence[str]]) -> Added:
    """What steps add below objects of these kinds, after what is `added` already."""
    found: Iterable[Added] = (_expands_in(kind, *steps) for kind in kinds if kind in shapes()) if steps else ([],)
    return next(([*added, *taken] for taken in found if taken is not None), None)


def _expands_in(kind: str, name: str, *rest: str) -> Added:
    shape, steps = shapes()[kind], list(rest)
    field, asked = shape.fields.get(name, {"type": "none"}), name in _ASKED.get(kind, ())
    if field["type"] == "list":
        of = kinds_of(field["of"])
        added = [of] if asked else []
        return _within_data(of, steps, added) if steps else added
    if "ref" in field and field.get("expandable"):
        return _expands(kinds_of(field["ref"]), steps, [kinds_of(field["ref"])])
    if holds_objects(field):
        return _expands(kinds_of(field["of"]), steps, [kinds_of(field["of"])] if asked else [])
    if asked and not rest:
        return []
    for path, reference in shape.inside.items():
        inner = path.replace("[]", "").split(".")
        if reference.get("expandable") and [name, *rest][: len(inner)] == inner:
            of = kinds_of(reference["ref"])
            return _expands(of, [name, *rest][len(inner) :], [of])
    return None


def holds_objects(field: dict[str, object]) -> bool:
    """Whether a field holds whole objects, one or several, that are stored as ids."""
    of = field.get("of")
    return field["type"] in ("object", "array", "map") and (isinstance(of, list) or of in shapes())


Json = dict[str, Any]


class _Field(NamedTuple):
    """How a field is shown: as it is, as the object of an id when it is expanded, as whole objects, or as a list of them.

    One that is `asked` for is there only when it is expanded.
    """

    name: str
    how: Literal["plain", "reference", "object", "list"]
    kinds: list[str]
    default: Any
    about: Json
    asked: bool


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
        values = {field.name: self._value(field, row, tree.get(field.name) if tree else None) for field in fields}
        shown |= {name: value for name, value in values.items() if value is not ABSENT}
        for steps, kinds in inside if tree else ():
            shown = self._inside(shown, steps, tree or {}, kinds)
        match kind:
            case "capability":
                shown["id"] = row.id.rpartition("/")[2]
            case "event" if "_about" in row.body:
                about, id_ = row.body["_about"]
                then = self._reader.get(about, id_) or self._reader.gone(about, id_)  # if it was deleted since, as it was
                snapshot = self.object(about, then) if then else deleted(about, id_)
                shown["data"] = {"object": snapshot, **row.body.get("data", {})}
            case "identity.verification_session" if shown["status"] != "requires_input":
                shown["client_secret"] = shown["url"] = None
        if self._reader.live and "livemode" in shown:
            shown["livemode"] = True
        return shown

    def _value(self, field: _Field, row: StoredRow, tree: Tree | None) -> Any:
        if tree is None and field.asked:
            return ABSENT
        value = row.body.get(field.name, field.default)
        match field.how:
            case "list":
                about, url = field.about, field.about["url"].replace("{id}", row.id)
                kinds, where = of_owner(field.kinds, about["by"], row.id)
                found, has_more = self._reader.page(kinds, where, Paging(), oldest_first=bool(about.get("oldest_first")))
                if "{account}" in url:
                    linked = self._reader.every(["financial_connections.account"], {"ownership": row.id})
                    url = url.replace("{account}", linked[0].row.id if linked else "")
                return self.list(url, found, has_more, tree)
            case "object":
                lone = value is ABSENT and field.name == "cash_balance"  # which goes by its owner's id
                return self._each(row.id if lone else value, field.kinds, tree, whole=True)
            case "reference" if tree is not None:
                return self._each(value, field.kinds, tree, whole=False)
        return value

    def _each(self, value: Any, kinds: Sequence[str], tree: Tree | None, *, whole: bool) -> Any:
        """Ids as objects, one or several. `whole`: the field holds objects, so that a deleted one is shown as it was."""
        if isinstance(value, list):
            return [self._each(one, kinds, tree, whole=whole) for one in value]
        if not isinstance(value, str):
            return value
        if found := self._reader.look(kinds, value):
            return self.object(found.kind, found.row, tree)
        for kind in kinds:
            if row := self._reader.gone(kind, value):
                if not whole and kind not in ("coupon", "discount"):
                    return deleted(kind, value)
                return self.object(kind, row, tree) | ({} if whole else {"deleted": True})
        return None if whole else value

    def _inside(self, value: Any, steps: tuple[str, ...], tree: Tree, kinds: Sequence[str]) -> Any:
        """A copy of a field's value in which the references at the end of the steps are whole objects."""
        if not steps:
            return self._each(value, kinds, tree, whole=False)
        if steps[0] == "[]":
            return [self._inside(one, steps[1:], tree, kinds) for one in value] if isinstance(value, list) else value
        if not isinstance(value, dict) or steps[0] not in value or steps[0] not in tree:
            return value
        return value | {steps[0]: self._inside(value[steps[0]], steps[1:], tree[steps[0]], kinds)}


def deleted(kind: str, id_: str) -> Json:
    """The short form of an object that was deleted."""
    return {"id": id_, "object": kind, "deleted": True}


@cache
def _plan(kind: str) -> tuple[list[_Field], list[tuple[tuple[str, ...], list[str]]]]:
    """How the objects of a kind are rendered: their fields, and the steps from the top to the references within hashes."""
    shape = shapes()[kind]
    fields = []
    for name, about in shape.fields.items():
        asked = name in _ASKED.get(kind, ())
        if about["type"] == "list":
            fields.append(_Field(name, "list", kinds_of(about["of"]), None, about, asked))
        elif holds_objects(about):
            fields.append(_Field(name, "object", kinds_of(about["of"]), shape.default(name), about, asked))
        elif "ref" in about and about.get("expandable"):
            fields.append(_Field(name, "reference", kinds_of(about["ref"]), shape.default(name), about, asked))
        elif name not in ("id", "object"):
            fields.append(_Field(name, "plain", [], shape.default(name), about, asked))
    references = {path: about for path, about in shape.inside.items() if about.get("expandable")}
    return fields, [(tuple(path.replace("[]", ".[]").split(".")), kinds_of(about["ref"])) for path, about in references.items()]
