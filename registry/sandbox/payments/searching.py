"""Searches, carried out as one SQL condition over the stored bodies, newest objects first.

::

    query  = clause, { ( " " | " AND " | " OR " ), clause } ;
    clause = [ "-" ], field, operator, value ;
    field  = name | name, "[", text, "]" ;
    operator = ":" | "~" | ">" | "<" | ">=" | "<=" ;
    value  = text | number | "null" ;
    text   = '"', characters, '"' | "'", characters, "'" ;

A space means AND; AND and OR, in any case of letters, are never mixed in one query, and there are no brackets. Within quotes a
backslash takes the quote that follows it as it is.

A page goes on from the place of the last object that was shown, so that objects which come and go between two pages neither
repeat nor hide others.
"""

import base64
import re
from typing import Any

from registry.sandbox.payments.errors import ApiError, refused
from registry.sandbox.payments.operations import DECLARED, Call
from registry.sandbox.payments.reading import Found
from registry.sandbox.payments.rendering import Json
from registry.sandbox.store import Place
from registry.sandbox.world import World

_TEXT = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
_CLAUSE = re.compile(
    rf"(?P<negated>-?)(?P<field>[A-Za-z_][A-Za-z0-9_.]*)(?:\[(?P<key>{_TEXT})\])?(?P<operator>>=|<=|[:~<>])"
    rf"(?P<value>{_TEXT}|-?[0-9]+(?:\.[0-9]+)?|null)(?=\s|$)",
    re.DOTALL | re.IGNORECASE,
)
_JOINT = re.compile(r"\s+(?:(and|or)\s+)?", re.IGNORECASE)
_ESCAPE = re.compile(r"""\\(["'\\])""")
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")

MOST_CLAUSES = 100
"""The database takes no expression of any size."""
SHORTEST_PART = 3

FIELDS = {kind: {name: type_ for type_ in said for name in said[type_]} for kind, said in DECLARED["searched"].items()}
"""By kind, the type of each field. In addition every kind has metadata, whose values are tokens."""

_OPERATORS = {"token": (":",), "string": (":", "~"), "numeric": (":", ">", "<", ">=", "<=")}


def _at(path: str) -> str:
    return f"json_extract(body, '$.{path}')"


_SQL = {
    "created": "created",
    "refunded": f"CASE WHEN {_at('refunded')} = 1 THEN 'true' WHEN {_at('amount_refunded')} > 0 THEN 'false' END",
    "subscription": _at("parent.subscription_details.subscription"),
    "last_finalization_error_code": _at("last_finalization_error.code"),
    "last_finalization_error_type": _at("last_finalization_error.type"),
} | {name: f"CASE {_at(name)} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END" for name in ("active", "disputed", "shippable")}
"""The values of fields that are not simply what the body has under their name, as SQL over `body` and `created`."""


def search(call: Call) -> Json:
    """A page of the objects that a query finds; `next_page` names the next one, or is null."""
    (kind,), query, token, reader = call.operation.kinds, call.values["query"], call.values.get("page"), call.reader
    sql, values = condition(kind, query)
    after: Place | None = None
    if token is not None:
        # The place that it names, unless it is none or belongs to another search.
        try:
            created, sequence, _ = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode("ascii").split(".")
            after = (int(created), int(sequence))
        except ValueError:
            after = (0, 0)
        if _page_token(reader.world, kind, query, after) != token:
            raise refused("Invalid page: it is not the next_page of an earlier answer to this query.", param="page")
    limit, there = call.values.get("limit", 10), reader.has(kind)
    rows, last_place = reader.store.find(kind, sql, values, limit=limit, after=after) if there else ([], None)
    return {
        "object": "search_result",
        "url": call.path,
        "has_more": last_place is not None,
        "next_page": last_place and _page_token(reader.world, kind, query, last_place),
        "data": call.show_page([Found(kind, row) for row in rows], has_more=False)["data"],
    }


def _page_token(world: World, kind: str, query: str, after: Place) -> str:
    created, sequence = after
    seal = world.token(f"search/{kind}/{query}/{created}/{sequence}", 12)
    return base64.urlsafe_b64encode(f"{created}.{sequence}.{seal}".encode()).decode().rstrip("=")


Condition = tuple[str, list[Any]]
"""SQL with ``?`` for each value, and the values."""


def condition(kind: str, query: str) -> Condition:
    """What a query asks of the objects of a kind.

    Raises:
        ApiError: 400, with the place of the mistake: the query cannot be parsed, a field is unknown, or its type lacks the
            operator or the value.
    """
    text = query.rstrip()
    at = len(text) - len(text.lstrip())
    parts: list[Condition] = []
    joints: set[str] = set()
    if not text:
        raise _mistake("it is empty")
    while True:
        clause = _CLAUSE.match(text, at)
        if clause is None:
            raise _mistake(f'a clause such as name:"value" is expected, not {text[at:].split()[0]!r}', at)
        parts.append(_clause(kind, clause))
        joint = _JOINT.match(text, clause.end())
        if joint is None:  # a clause ends before a space or at the end
            break
        joints.add((joint[1] or "AND").upper())
        if len(joints) > 1:
            raise _mistake("AND, or a space, and OR cannot be mixed in one query", clause.end() + 1)
        if len(parts) == MOST_CLAUSES:
            raise _mistake(f"it has more than {MOST_CLAUSES} clauses", clause.end() + 1)
        at = joint.end()
    return f" {next(iter(joints), 'AND')} ".join(sql for sql, _ in parts), [value for _, values in parts for value in values]


def _mistake(message: str, at: int | None = None) -> ApiError:
    where = "" if at is None else f" (at character {at + 1})"
    return refused(f"We were unable to parse your search query: {message}{where}.", param="query")


def _clause(kind: str, clause: re.Match[str]) -> Condition:
    name, operator, value, at = clause["field"], clause["operator"], clause["value"], clause.start()
    type_, sql, values = _field(kind, clause)
    said, quoted = _unquoted(value), value[0] in "\"'"
    if value.lower() == "null":
        if operator != ":":
            raise _mistake(f"null cannot be compared with {operator} on the field {name}", at)
        sql = f"{sql} IS NULL"
    elif operator not in _OPERATORS[type_]:
        allowed = " ".join(_OPERATORS[type_])
        raise _mistake(f"the field {name} is of type {type_} and takes {allowed}, not {operator}", at)
    elif type_ == "numeric":
        if not _NUMBER.fullmatch(said):
            raise _mistake(f"the field {name} must be a number, not {said!r}", at)
        sql = f"{sql} {'=' if operator == ':' else operator} ?"
        values.append(float(said) if "." in said else int(said))
    elif not quoted:
        raise _mistake(f"the field {name} takes a text in quotes", at)
    else:
        values.append(said)
        if operator == "~" and len(" ".join(said.split())) < SHORTEST_PART:
            raise _mistake(f"a part to look for in {name} has at least {SHORTEST_PART} characters", at)
        sql = f"instr(fold({sql}), fold(?)) > 0" if operator == "~" else f"fold(CAST({sql} AS TEXT)) = fold(?)"
    return f"{'NOT ' if clause['negated'] else ''}COALESCE({sql}, 0)", values


def _field(kind: str, clause: re.Match[str]) -> tuple[str, str, list[Any]]:
    """The type of a clause's field, its value as SQL, and the values for that."""
    name, key, at = clause["field"], clause["key"], clause.start()
    if name == "metadata":
        if key is None:
            raise _mistake('metadata is searched by key, as in metadata["key"]', at)
        return "token", "(SELECT value FROM json_each(body, '$.metadata') WHERE key = ?)", [_unquoted(key)]
    if name not in FIELDS[kind] or key is not None:
        known = ", ".join(sorted([*FIELDS[kind], "metadata"]))
        named = name if key is None else f'{name}["{_unquoted(key)}"]'
        raise _mistake(f"{named} is not a field that {kind}s can be searched by; these are {known}", at)
    return FIELDS[kind][name], _SQL.get(name, _at(name)), []


def _unquoted(value: str) -> str:
    return _ESCAPE.sub(r"\1", value[1:-1]) if value[0] in "\"'" else value
