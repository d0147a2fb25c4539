"""The differences of two texts are true: the first text and the differences make the second."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.json_text.reading import NotJson
from registry.results.comparison import ChangeKind, Comparison, changes, compare
from registry.results.equivalence import differing_parts, is_equivalent
from registry.results.nodes import MOST_BYTES, NOWHERE, ComparisonCancelled, Forms, Nodes, TooLarge
from registry.results.pairing import Elements, longest_increasing, pair_up
from tests.hostile import DEEP, STRINGS
from tests.sampled import examples

# Few different ones, so that much is equal, occurs twice, or is the same written otherwise.
_SCALARS = st.sampled_from(
    ["0", "1", "1.0", "1e0", "-0.0", "12345678901234567890123", '"a"', '"\\u0061"', '"b"', '""', "null", "true", "{}", "[]"]
)
_NAMES = st.sampled_from(['"id"', '"a"', '"\\u0061"', '"b"', '"c"'])


def _object(members: list[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{name}: {value}" for name, value in members) + "}"


TEXTS = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=6).map(lambda elements: f"[{', '.join(elements)}]")
        | st.lists(st.tuples(_NAMES, inner), max_size=5).map(_object)
    ),
    max_leaves=40,
)


def made(left: str, right: str) -> Comparison:
    return compare(left.encode(), right.encode())


def applied(comparison: Comparison, number: int = 0) -> str:
    """The second text, made from the first one; of the second itself only what is told as different."""
    row = comparison[number]
    if row.kind in (ChangeKind.ADDED, ChangeKind.CHANGED, ChangeKind.REWRITTEN):
        return comparison.right.text(row.right)
    if not row.holds:
        return comparison.left.text(row.left)
    parts = []
    inside = number + 1
    while inside < comparison.ends[number]:
        one = comparison[inside]
        if one.kind != ChangeKind.REMOVED:
            nodes, node = (comparison.right, one.right) if one.kind == ChangeKind.ADDED else (comparison.left, one.left)
            name = nodes.name(node)
            text = f"{name}: " if name is not None else ""
            parts.append((comparison.right.place(one.right), text + applied(comparison, inside)))
        inside = comparison.ends[inside]
    opening = comparison.left.opening(row.left)
    return opening + ", ".join(text for _, text in sorted(parts)) + {"{": "}", "[": "]"}[opening]


def equal(left: str, right: str) -> bool:
    """Whether two texts say the same, but for the order of members."""
    forms = Forms()
    one, other = (Nodes(text.encode(), forms) for text in (left, right))
    return one.values[0] == other.values[0]


def told(comparison: Comparison) -> list[tuple[str, str, str]]:
    """Every difference, with a branch as one: its kind, and both texts."""
    left, right = comparison.left, comparison.right
    differences, number = [], 0
    while number < len(comparison):
        row = comparison[number]
        if row.kind != ChangeKind.SAME:
            texts = left.text(row.left) if row.left >= 0 else "", right.text(row.right) if row.right >= 0 else ""
            differences.append((row.kind.name, *texts))
        number = comparison.ends[number] if row.kind in (ChangeKind.ADDED, ChangeKind.REMOVED) else number + 1
    return differences


@examples(30)
@given(TEXTS, TEXTS)
def test_the_differences_applied_to_the_first_give_the_second(left: str, right: str) -> None:
    comparison = made(left, right)
    assert equal(applied(comparison), right)
    assert (comparison.differences == 0) == equal(left, right)


@examples(30)
@given(TEXTS)
def test_a_text_has_no_difference_with_itself(text: str) -> None:
    comparison = made(text, text)
    assert comparison.differences == 0
    assert not any(comparison.differs(number) for number in range(len(comparison)))
    assert len(comparison) == len(comparison.left)


@examples(30)
@given(TEXTS, TEXTS)
def test_every_node_has_one_row_and_rows_nest(left: str, right: str) -> None:
    comparison = made(left, right)
    rows = [comparison[number] for number in range(len(comparison))]
    assert sorted(row.left for row in rows if row.left != NOWHERE) == list(range(len(comparison.left)))
    assert sorted(row.right for row in rows if row.right != NOWHERE) == list(range(len(comparison.right)))
    for number, row in enumerate(rows):
        inside = rows[number + 1 : comparison.ends[number]]
        assert all(one.depth > row.depth for one in inside)
        assert comparison.ends[number] == len(rows) or rows[comparison.ends[number]].depth <= row.depth
        if row.kind in (ChangeKind.SAME, ChangeKind.MOVED):
            assert row.holds == any(one.kind != ChangeKind.SAME for one in inside)


@examples(30)
@given(TEXTS)
def test_a_text_of_nodes_is_the_text(text: str) -> None:
    nodes = Nodes(text.encode(), Forms())
    assert equal(nodes.text(0), text)
    assert json.loads(nodes.text(0)) == json.loads(text)


def test_numbers_are_compared_exactly() -> None:
    assert told(made("[1.10, 1e400]", "[1.1, 10e399]")) == [("REWRITTEN", "1.10", "1.1"), ("REWRITTEN", "1e400", "10e399")]
    assert told(made("12345678901234567890123", "12345678901234567890124"))[0][0] == "CHANGED"
    assert told(made("0.1", "0.10000000000000001"))[0][0] == "CHANGED"
    assert told(made('"1.10"', '"1.1"'))[0][0] == "CHANGED"


def test_members_that_occur_twice_are_all_there() -> None:
    assert told(made('{"a": 1, "a": 2}', '{"a": 1, "a": 3, "a": 4}')) == [("CHANGED", "2", "3"), ("ADDED", "", "4")]


def test_the_order_of_members_is_nothing_and_that_of_elements_is_told() -> None:
    assert told(made('{"a": [1, 2], "b": 3}', '{"b": 3, "a": [1, 2]}')) == []
    assert [kind for kind, *_ in told(made("[1, 2, 3]", "[3, 1, 2]"))] == ["MOVED"]
    assert [kind for kind, *_ in told(made('[{"a": 1, "b": 2}, 3, 4]', '[3, 4, {"b": 2, "a": 1}]'))] == ["MOVED"]


def test_elements_are_matched_by_id() -> None:
    left = '[{"id": "a", "v": 1}, {"id": "b", "v": 1}, {"id": "c", "v": 1}]'
    right = '[{"id": "n", "v": 1}, {"id": "c", "v": 1}, {"id": "a", "v": 1}, {"id": "b", "v": 2}]'
    assert told(made(left, right)) == [
        ("ADDED", "", '{"id":"n","v":1}'),
        ("CHANGED", "1", "2"),
        ("MOVED", '{"id":"c","v":1}', '{"id":"c","v":1}'),
    ]


def test_elements_that_differ_are_matched_by_what_they_have_in_common() -> None:
    left = '[{"name": "A", "x": 1, "y": 1}, {"name": "B", "x": 2, "y": 2}]'
    right = '[{"other": 0}, {"name": "A", "x": 1, "y": 5}, {"name": "B", "x": 2, "y": 2}]'
    assert told(made(left, right)) == [("ADDED", "", '{"other":0}'), ("CHANGED", "1", "5")]


def test_another_sort_of_value_is_told_with_all_that_was_in_it() -> None:
    comparison = made('{"a": {"b": 1}}', '{"a": [2]}')
    assert told(comparison) == [("CHANGED", '{"b":1}', "[2]"), ("REMOVED", "1", ""), ("ADDED", "", "2")]
    assert comparison.differences == 1


def test_hostile_strings() -> None:
    for one in STRINGS:
        text = json.dumps({one: [one, 1]})
        assert made(text, text).differences == 0
        assert told(made(text, text.replace("1]", "2]")))[-1] == ("CHANGED", "1", "2")


def test_deep_texts() -> None:
    deep = "[" * 5_000 + "1" + "]" * 5_000
    assert told(made(deep, deep.replace("1", "2"))) == [("CHANGED", "1", "2")]
    assert made(DEEP, DEEP).differences == 0


def test_long_lists_without_anything_in_common_and_with_much() -> None:
    ones = [f'"{number}"' for number in range(20_000)]
    others = [f'"{-number - 1}"' for number in range(20_000)]
    assert made(f"[{','.join(ones)}]", f"[{','.join(others)}]").counts[ChangeKind.CHANGED] == 20_000
    zeros = ["0"] * 20_000
    one_more = [*zeros[:7_000], "1", *zeros[7_000:]]
    assert told(made(f"[{','.join(zeros)}]", f"[{','.join(one_more)}]")) == [("ADDED", "", "1")]


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[1 2]", b"[1,]", b'{"a"}', b'{"a":1,}', b"nul", b"]", b"[}", b"{1:2}", b"1 2", b"{]"]
)
def test_what_is_not_json(body: bytes) -> None:
    with pytest.raises(NotJson):
        compare(b"1", body)


def test_giving_up_and_refusing() -> None:
    with pytest.raises(ComparisonCancelled):
        compare(b"[1]", b"[2]", lambda: True)
    with pytest.raises(TooLarge, match="32 MB"):
        compare(b"1", b" " * (MOST_BYTES + 1))


def test_a_short_list_of_what_changed() -> None:
    before, after = (json.dumps({"a": [{"b": number}], "client_secret": f"pi_{number}"}).encode() for number in (1, 2))
    found = changes(before, after)
    assert [tuple(one) for one in found.first] == [("a[0].b", "changed", "1", "2")]
    assert changes(b"1", b"{").first[0].path == "", "what cannot be compared differs as a whole"


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("1.10", "1.1", True),
        ("-0.0", "0", True),
        ("1e400", "10e399", True),
        ("1e99999999999999999999", "1e99999999999999999998", False),
        ("1", '"1"', False),
        ("true", "false", False),
        ("null", "0", False),
        ('"\\u00e9"', '"é"', True),
        ('"a"', '"b"', False),
    ],
)
def test_scalars_that_mean_the_same(left: str, right: str, same: bool) -> None:
    assert is_equivalent(left, right) is is_equivalent(right, left) is same


@pytest.mark.parametrize(
    ("left", "right", "told"),
    [
        ("due 2025-08-12 at noon", "due 2025-08-13 at noon", ("due 2025-08-<12> at noon", "due 2025-08-<13> at noon")),
        ("one two", "one two three", ("one two", "one two< three>")),
        ("something", "quite else", ("<something>", "<quite else>")),
        ("same", "same", ("same", "same")),
    ],
)
def test_the_parts_that_differ(left: str, right: str, told: tuple[str, str]) -> None:
    shown = []
    for text, parts in zip((left, right), differing_parts(left, right), strict=True):
        for start, stop in reversed(parts):
            text = f"{text[:start]}<{text[start:stop]}>{text[stop:]}"
        shown.append(text)
    assert tuple(shown) == told


@examples(30)
@given(st.lists(st.integers(0, 5), max_size=9), st.lists(st.integers(0, 5), max_size=9), st.data())
def test_nothing_is_paired_twice_and_what_kept_its_order_did(left: list[int], right: list[int], data: st.DataObject) -> None:
    ids = [data.draw(st.lists(st.none() | st.integers(0, 3), min_size=len(side), max_size=len(side))) for side in (left, right)]
    pairing = pair_up(Elements(left, ids[0]), Elements(right, ids[1]), lambda one, other: 0.5 if left[one] % 2 else 0)
    pairs = pairing.kept + pairing.moved
    assert len({one for one, _ in pairs}) == len({other for _, other in pairs}) == len(pairs)
    assert all(ids[0][one] == ids[1][other] for one, other in pairs)
    assert pairing.kept == sorted(pairing.kept)
    assert [other for _, other in pairing.kept] == sorted(other for _, other in pairing.kept)


def test_longest_increasing() -> None:
    assert longest_increasing([3, 1, 2, 2, 5, 4]) == [1, 3, 5]
    assert longest_increasing([]) == []
