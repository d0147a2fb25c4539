"""What is read in one step, by the layout of objects before it, is what reading value by value gives."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.calling.json_text import InvalidJson
from registry.results.comparing import layouts
from registry.results.comparing.nodes import Forms, Nodes

_PARTS = ("names", "values", "ends", "parents")
_SCALARS = st.sampled_from(["0", "-1.50e+3", '"a"', '"a,b]}"', '"\\u0061\\""', '""', "null", "true"])
_BRANCHES = st.lists(_SCALARS, max_size=2).map(lambda items: f"[{', '.join(items)}]") | st.sampled_from(["{}", '{"b":\t1}'])
_NAMES = st.sampled_from(['"id"', '"\\u0061"', '"b.*"', '"b.*"'])
_OBJECTS = st.lists(st.tuples(_NAMES, _SCALARS | _BRANCHES), max_size=3).map(
    lambda members: "{" + " ,".join(f"{name}: {value}" for name, value in members) + "}"
)
_NESTED = st.tuples(_OBJECTS, _OBJECTS).map(lambda both: f'{{"in": [{both[0]}], "other": {both[1]}}}')
_TEXTS = st.lists(_OBJECTS | _NESTED, min_size=1, max_size=3).flatmap(
    lambda some: st.lists(st.sampled_from(some) | _OBJECTS, max_size=12).map(lambda items: f"[{','.join(items)}]".encode())
)


def _read(body: bytes, forms: Forms, enough: int) -> list[object] | str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layouts, "_ENOUGH", enough)
        try:
            nodes = Nodes.of(body, forms, lambda: False)
        except InvalidJson as error:
            return str(error)
    return [getattr(nodes, part) for part in _PARTS]


@settings(max_examples=50)
@given(_TEXTS)
def test_objects_of_a_layout_are_what_they_are_value_by_value(body: bytes) -> None:
    forms = Forms()
    assert _read(body, forms, 1) == _read(body, forms, -1)


@settings(max_examples=50)
@given(_TEXTS, st.data())
def test_what_is_no_json_is_told_at_the_same_place(body: bytes, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(body) - 1))
    body = body[:place] + data.draw(st.sampled_from([b"", b",", b"}", b"0", b"\x01", b'"'])) + body[place + 1 :]
    forms = Forms()
    assert _read(body, forms, 1) == _read(body, forms, -1)


def test_many_objects_of_one_layout_are_read_in_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    found = list[layouts.LaidObject]()
    read = layouts.Layout.read

    def noted(*given: Any) -> layouts.LaidObject | None:
        if laid := read(*given):
            found.append(laid)
        return laid

    monkeypatch.setattr(layouts.Layout, "read", noted)
    items = [{"id": f"a{number}", "in": {"none": None, "list": [number, {}]}} for number in range(300)]
    nodes = Nodes.of(json.dumps({"data": items}).encode(), Forms(), lambda: False)
    assert len(found) == 200
    assert nodes.text(0) == json.dumps({"data": items}, separators=(",", ":"))
