"""What is taken from another text is what reading it again would give."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from registry.results.comparing.nodes import Forms, ListedObjects, Nodes
from tests.sampled import examples

OBJECTS: st.SearchStrategy[dict[str, object]] = st.recursive(
    st.fixed_dictionaries({"id": st.sampled_from(["a", "b", "c" * 60]), "n": st.integers(0, 2)}),
    lambda inner: st.fixed_dictionaries({"id": st.sampled_from(["a", "b"]), "in": st.lists(inner | st.just({}), max_size=4)}),
    max_leaves=12,
)
TEXTS = st.lists(OBJECTS, max_size=8).map(lambda items: json.dumps({"data": items, "more": False}).encode())


@examples(30)
@given(TEXTS, TEXTS)
def test_objects_of_another_text_are_what_they_are_in_this_one(left: bytes, right: bytes) -> None:
    forms, objects = Forms(), ListedObjects()
    Nodes.of(left, forms, lambda: False, objects)
    for body in (right, left):
        read, taken = Nodes.of(body, forms, lambda: False), Nodes.of(body, forms, lambda: False, objects)
        for part in ("names", "values", "ends", "parents"):
            assert getattr(taken, part) == getattr(read, part)
