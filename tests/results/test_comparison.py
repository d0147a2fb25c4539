"""The differences of two texts are true: the first text and the differences make the second."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.json_text import NotJson
from registry.results.comparison import MOST_BYTES, ChangeKind, ComparedRow, Comparison, Node, TooLarge, changes, compare
from registry.results.spool import Cancelled
from tests.cases import cases_beside
from tests.hostile import STRINGS
from tests.sampled import examples

CASES = cases_beside(__file__)

# Few different ones, so that much is equal, occurs twice, or is the same written otherwise.
_SCALARS = st.sampled_from(
    ["0", "1", "1.0", "1e0", "-0.0", "12345678901234567890123", '"a"', '"b"', '""', "null", "true", "{}", "[]"]
)
_NAMES = st.sampled_from(['"id"', '"a"', '"b"', '"c"'])
TEXTS = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=6).map(lambda items: f"[{', '.join(items)}]")
        | st.dictionaries(_NAMES, inner, max_size=5).map(
            lambda inside: "{" + ",".join(f"{name}: {value}" for name, value in inside.items()) + "}"
        )
    ),
    max_leaves=40,
)


def made(left: str, right: str) -> Comparison:
    return compare(left.encode(), right.encode())


def applied(row: ComparedRow) -> Any:
    """The second value, made from the first one; of the second itself only what is told as different."""
    if row.kind in (ChangeKind.ADDED, ChangeKind.CHANGED):
        assert row.right is not None
        return row.right.value
    assert row.left is not None
    if not row.holds:
        return row.left.value
    inside = sorted((one for one in row.children if one.right is not None), key=lambda one: one.right.place)  # type: ignore[union-attr]
    if row.left.opening == "[":
        return [applied(one) for one in inside]
    return {one.node.name: applied(one) for one in inside}


def text_of(node: Node | None) -> str:
    return node.text() if node is not None else ""


def told(comparison: Comparison) -> list[list[str]]:
    """Every difference: its kind, and both texts."""
    return [[row.kind.name, text_of(row.left), text_of(row.right)] for row in comparison.changes]


@examples(30)
@given(TEXTS, TEXTS)
def test_the_differences_applied_to_the_first_give_the_second(left: str, right: str) -> None:
    comparison = made(left, right)
    second = comparison.right.value
    assert repr_of(applied(comparison.root)) == repr_of(second)
    assert (not comparison.changes) == (repr_of(comparison.left.value) == repr_of(second))


def repr_of(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=repr)


DEEP = [["[" * 150 + "1" + "]" * 150, "[" * 150 + "2" + "]" * 150, [["CHANGED", "1", "2"]]]]


@pytest.mark.parametrize(("left", "right", "differences"), [*CASES["differences"], *DEEP])
def test_what_differs(left: str, right: str, differences: list[list[str]]) -> None:
    assert told(made(left, right)) == differences


def test_hostile_strings() -> None:
    for one in STRINGS:
        text = json.dumps({one: [one, 1]})
        assert not made(text, text).changes
        assert told(made(text, text.replace("1]", "2]")))[-1] == ["CHANGED", "1", "2"]


def test_long_lists_without_anything_in_common_and_with_much() -> None:
    ones = [f'"{number}"' for number in range(20_000)]
    others = [f'"{-number - 1}"' for number in range(20_000)]
    assert made(f"[{','.join(ones)}]", f"[{','.join(others)}]").counts[ChangeKind.CHANGED] == 20_000
    zeros = ["0"] * 20_000
    one_more = [*zeros[:7_000], "1", *zeros[7_000:]]
    assert told(made(f"[{','.join(zeros)}]", f"[{','.join(one_more)}]")) == [["ADDED", "", "1"]]


def test_what_cannot_be_compared() -> None:
    for body in (b"", b"{", b"[1 2]", b"1 2"):
        with pytest.raises(NotJson):
            compare(b"1", body)
    with pytest.raises(Cancelled):
        compare(b"[1]", b"[2]", lambda: True)
    with pytest.raises(TooLarge, match="32 MB"):
        compare(b"1", b" " * (MOST_BYTES + 1))
    with pytest.raises((TooLarge, NotJson), match="nested"):
        compare(b"1", b"[" * 300 + b"]" * 300)


def test_a_short_list_of_what_changed() -> None:
    before, after = (json.dumps({"a": [{"b": number}], "client_secret": f"pi_{number}"}).encode() for number in (1, 2))
    found = changes(before, after)
    assert [tuple(one) for one in found.first] == [("a[0].b", "changed", "1", "2")]
    assert changes(b"1", b"{").first[0].path == "", "what cannot be compared differs as a whole"
