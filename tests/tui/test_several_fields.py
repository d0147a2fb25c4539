"""Lists of objects, objects with any names, and folded fields: with the keyboard only, at 80×24, and nothing is lost."""

from functools import partial
from pathlib import Path
from typing import Any

from registry.json_text import Exact, same
from tests.tui.app import Desk
from tests.tui.test_structured_fields import bench, field, request, wrong
from tests.workshop import parameter
from tui.explorer.fields.folded import AddLine, Fold, FoldedField, SeveralField
from tui.explorer.fields.structured import JsonField, ObjectField

SIZE = (80, 24)
LINE: dict[str, Any] = {
    "type": "object",
    "properties": [
        {"name": "sku", "type": "string", "required": True},
        {"name": "amount", "type": "integer", "minimum": 1},
        {"name": "tags", "type": "object", "items": {"type": "string"}},
    ],
}
LINES = parameter("lines", "array", "body", items=LINE)
LABELS = parameter("labels", "object", "body", items={"type": "integer"})
MANY = parameter("many", "object", "body", properties=[{"name": f"p{n}", "type": "string"} for n in range(50)])


async def opened(one: Desk, folded: FoldedField, kind: type, key: str = "enter") -> Any:
    """The field of a class that is unfolded after a key was pressed on a folded one."""
    await to_line(one, folded)
    await one.press(key)
    await one.until(lambda: isinstance(folded.opened, kind), kind.__name__)
    return folded.opened


def is_folded(shown: FoldedField) -> bool:
    return shown.opened is None


async def to_line(one: Desk, folded: FoldedField) -> None:
    """Put the focus on the line of a folded field."""
    folded.focus_editor()
    await one.until(lambda: folded.query_one(Fold).has_focus, "the line")


async def test_items_of_a_list_are_added_filled_and_removed(tmp_path: Path) -> None:
    async with bench(tmp_path, LINES, size=SIZE) as one:
        lines = field(one, "lines")
        several = await opened(one, lines, SeveralField)
        assert isinstance(one.app.focused, AddLine)
        await one.press("enter")
        await one.until(lambda: several.items and several.items[0].opened is not None, "the first item")
        await one.pilot.pause()
        await one.type("A-1")
        assert same(one.screen.form.raw, {"lines": [{"sku": "A-1"}]})
        await one.press("tab")
        await one.type("0")
        await one.until(lambda: "1 or more" in str(wrong(several.items[0].opened.inner[1])))
        several.query_one(AddLine).focus()
        await one.until(lambda: isinstance(one.app.focused, AddLine))
        await one.press("enter")
        await one.until(lambda: len(several.items) == 2 and several.items[1].opened is not None, "the second item")
        await one.pilot.pause()
        await one.type("B-2")
        assert same(one.screen.form.raw, {"lines": [{"sku": "A-1", "amount": Exact("0")}, {"sku": "B-2"}]})
        await one.pilot.resize_terminal(120, 40)
        await one.until(lambda: one.app.focused is not None and one.app.focused.region.width > 50, "room for what is inside")
        await to_line(one, several.items[0])
        await one.press("delete")
        await one.until(lambda: len(several.items) == 1, "one item")
        assert same(one.screen.form.raw, {"lines": [{"sku": "B-2"}]})
        await to_line(one, lines)
        await one.press("enter")
        await one.until(lambda: lines.opened is None)
        assert same(one.screen.form.raw, {"lines": [{"sku": "B-2"}]})
        assert '"sku":"B-2"' in request(one).replace(" ", "").replace("\n", "")
        await one.press("delete")
        await one.until(lambda: one.screen.form.raw == {})


async def test_what_no_field_can_hold_comes_back_and_an_object_has_any_names(tmp_path: Path) -> None:
    async with bench(tmp_path, LINES, LABELS, size=SIZE) as one:
        form = one.screen.form
        for raw in (
            {"lines": [{"sku": "A", "unknown": [Exact("1.50")]}], "labels": {"b": Exact("1"), "a": "x"}},
            {"lines": [None]},
        ):
            form.fill(raw)
            assert same(form.raw, raw)
            for name, kind in (("lines", SeveralField), ("labels", SeveralField)):
                await opened(one, field(one, name), kind, "right")
                assert same(form.raw, raw)
                folded = field(one, name)
                await to_line(one, folded)
                await one.press("left")
                await one.until(partial(is_folded, folded))
                assert same(form.raw, raw)
        form.fill({})

        several = await opened(one, field(one, "labels"), SeveralField)
        await one.press("enter")
        await one.until(lambda: bool(several.items) and several._names[0].has_focus, "the name")
        await one.type("size")
        await one.press("enter")
        await one.until(lambda: isinstance(one.app.focused, Fold), "the value's line")
        await one.press("enter")
        await one.until(lambda: several.items[0].opened is not None, "the value")
        await one.pilot.pause()
        await one.type("x")
        await one.until(lambda: "whole number" in str(wrong(several.items[0].opened)))
        await one.press("backspace")
        await one.type("4")
        assert same(one.screen.form.raw, {"labels": {"size": Exact("4")}})


async def test_a_large_form_is_folded_and_json_is_the_way_out_at_any_depth(tmp_path: Path) -> None:
    async with bench(tmp_path, MANY, LINES, size=SIZE) as one:
        many = field(one, "many")
        assert isinstance(many, FoldedField)
        assert not many.query(ObjectField)
        one.screen.form.fill({"many": {"p3": "x"}})
        assert '"p3"' in str(many.query_one(Fold).render())
        inner = await opened(one, many, ObjectField)
        assert inner.inner[3].raw == "x"
        whole = await opened(one, many, JsonField, "j")
        whole.area.put('{"p3": "y"}')
        await one.until(lambda: same(one.screen.form.raw, {"many": {"p3": "y"}}))
        await to_line(one, many)
        await one.press("left")
        await one.until(lambda: many.opened is None)
        several = await opened(one, field(one, "lines"), SeveralField)
        await one.until(lambda: isinstance(one.app.focused, AddLine))
        await one.press("enter")
        await one.until(lambda: several.items and several.items[0].opened is not None)
        deep = await opened(one, several.items[0], JsonField, "j")
        deep.area.put('{"sku": 1}')
        await one.until(lambda: "must be text" in str(wrong(deep)) or "sku" in str(wrong(deep)))
