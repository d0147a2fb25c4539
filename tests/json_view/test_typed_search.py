"""Conditions among what is looked for in a result."""

from __future__ import annotations

import pytest

from tui.json_view.document import Document
from tui.json_view.find_line import meaning, typed_search
from tui.json_view.search import hits

DOCUMENT = Document.of(
    b'{"status":"failed","n":{"status":"paid","last4":"4242","old_status":"failed"},"x":"see status:failed",'
    b'"amount":4900,"paid":{"amount":49001},"l":["status","failed"],"name":"Padaria Aurora"}'
)


def found(text: str) -> list[str]:
    return [str(DOCUMENT.rows.row(int(row), 0).key).strip('"') for row in hits(DOCUMENT.rows, typed_search(text, "everywhere"))]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("status:failed", ["status", "x"]),
        ("status:paid", ["status"]),
        ("name~aurora", ["name"]),
        ("card.last4:42", ["last4"]),
        ("amount=4900", ["amount"]),
        ("amount:4900", ["amount", "amount"]),
        ('name:"Padaria Aurora"', ["name"]),
        ("no.such:thing", []),
        ("!status:failed", []),
        ("amount>5", []),
        ("failed", ["status", "old_status", "x", "None"]),
    ],
)
def test_conditions_find_members_and_texts_are_texts(text: str, keys: list[str]) -> None:
    assert found(text) == keys


def test_what_is_meant_is_said() -> None:
    assert meaning("status:failed", "everywhere") == "status holds failed"
    assert meaning("amount=4900", "everywhere") == "amount is 4900"
    assert meaning("status:failed", "values") == ""
    assert meaning("at 9:00", "everywhere") == ""
    assert not typed_search("status:failed", "keys").is_regex
