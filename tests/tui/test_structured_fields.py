"""Fields for objects, for one of several and for JSON: their values, where mistakes are shown, and that nothing is lost."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual.widgets import Static

from registry.calling.arguments import check
from registry.catalog.loader import Catalog
from registry.catalog.model import Tool
from registry.json_text import Exact, Unreadable, dumps, same
from registry.references.routes import Routes
from registry.saved.form_values import raw_of
from tests.hostile import CONTROLS, LONG, MARKUP, STRINGS
from tests.sampled import further
from tests.tui.app import Desk, desk, noted
from tests.workshop import FIELDS, TOOLKIT, connection, nested, parameter, tool, written
from tui.explorer.fields.field import Field


@asynccontextmanager
async def bench(folder: Path, *parameters: dict[str, Any], size: tuple[int, int] = (120, 40)) -> AsyncIterator[Desk]:
    """The program with one more tool and its form open."""
    own = written(folder, tool("CreateIssue", "POST", "/issues", *parameters))
    assert own.problems == ()
    async with desk(size) as one:
        engine = one.app.session.engine
        sandbox = engine.connections["sandbox"]
        endpoints = {**sandbox.endpoints, TOOLKIT: connection().endpoint(TOOLKIT)}
        engine._found = {"sandbox": replace(sandbox, endpoints=endpoints)}, ""
        engine.catalog = Catalog({**engine.catalog.toolkits, **own.toolkits}, {**engine.catalog.tools, **own.tools}, ())
        engine.routes = Routes(engine.catalog)
        await one.open("CreateIssue")
        await one.until(lambda: state(one), "the form")
        await one.pilot.pause()
        yield one


def field(one: Desk, *names: str) -> Any:
    """A field, found by the names of its parents."""
    inner: Any = one.screen.form._fields
    found: Field | None = None
    for name in names:
        found = next(each for each in inner if each.parameter.name == name)
        inner = getattr(found, "inner", ())
    return found


def value(one: Any) -> object:
    """What a field holds now, whatever it was found to hold before."""
    return one.raw


def error(one: Desk, *names: str) -> str:
    return noted(field(one, *names), "error")


def wrong(shown: Field) -> str:
    return noted(shown, "error")


def request(one: Desk) -> str:
    return str(one.screen.form.query_one("#request").render())


def state(one: Desk) -> str:
    return str(one.screen.form.query_one("#state", Static).render())


FULL: dict[str, Any] = {
    "summary": "x",
    "points": Exact("1.50"),
    "priority": "high",
    "urgent": True,
    "labels": ["a", "b"],
    "assignee": {"email": "a@b.example", "address": {"city": "B", "geo": {"lat": Exact("1.0"), "lon": Exact("2")}}},
    "meta": {"z": [Exact("1"), None], "a": {}},
    "estimate": {"from": Exact("1"), "to": Exact("2")},
    "links": [{"url": "https://a"}],
}


async def test_mistakes_are_shown_at_their_property_and_the_keyboard_reaches_every_one(tmp_path: Path) -> None:
    async with bench(tmp_path, nested(FIELDS, required=True)) as one:
        assert state(one) == "required: fields"
        field(one, "fields", "points").focus_editor()
        await one.type("x")
        await one.until(lambda: error(one, "fields", "points") == '✗ must be a number from 0 to 99.5; got "x"')
        assert error(one, "fields", "summary") == "", "it was not touched yet"
        assert state(one) == "required: fields.summary · 1 invalid"
        await one.press("f5")
        await one.until(lambda: error(one, "fields", "summary") == "✗ is required")
        await one.until(lambda: one.app.focused is field(one, "fields", "summary").line)
        await one.type("x")
        await one.press("f5")
        await one.until(lambda: one.app.focused is field(one, "fields", "points").line)
        field(one, "fields", "assignee", "email").focus_editor()
        await one.type("me")
        await one.until(lambda: "must be an email address" in error(one, "fields", "assignee", "email"))
        await one.press("ctrl+l")

        await one.type("line")
        await one.press("tab", "1", "full_stop", "5", "0", "tab", "right", "right", "tab", "y", "tab")
        await one.type("a,b")
        await one.press("tab")
        await one.type("me@x.example")
        await one.until(
            lambda: (
                dumps(one.screen.form._arguments.values.get("fields"))
                == '{"summary": "line", "points": 1.50, "priority": "high", "urgent": true, "labels": ["a", "b"], '
                '"assignee": {"email": "me@x.example"}}'
            )
        )
        await one.until(lambda: state(one) == "ready" and '"points": 1.50' in request(one))


async def test_branches_empty_values_and_what_the_fields_do_not_know(tmp_path: Path) -> None:
    async with bench(tmp_path, nested(FIELDS)) as one:
        choice = field(one, "fields", "estimate")
        choice.focus_editor()
        assert choice.raw is None
        assert not any(branch.display for branch in choice.inner)
        await one.press("right")
        assert [branch.display for branch in choice.inner] == [True, False, False]
        await one.press("tab", "5")
        assert same(choice.raw, Exact("5"))
        await one.press("x")
        await one.until(lambda: "must be one of: hours, words, range" in error(one, "fields", "estimate"))
        assert isinstance(value(choice), Unreadable), "a number that is none is no text for another branch"
        choice.focus_editor()
        await one.press("right", "tab", "5")
        assert same(choice.raw, "5")
        choice.focus_editor()
        await one.press("end", "tab", "1")
        assert same(choice.raw, {"from": Exact("1")})
        choice.focus_editor()
        await one.press("home")
        assert choice.raw is None

        form = one.screen.form
        meta = field(one, "fields", "meta")
        meta.focus_editor()
        meta.give_empty()
        assert same(form.raw, {"fields": {"meta": {}}})
        meta.give_empty()
        assert form.raw == {}
        for raw in ({"summary": "x", "assignee": None}, {"summary": "x", "meta": {}}, {"summary": "x"}):
            form.fill({"fields": raw})
            assert same(form.raw, {"fields": raw})
            assert form._arguments.errors == ()
            assert dumps(form._arguments.values["fields"]) == dumps(raw)
        field(one, "fields", "summary").raw = "y"
        assert same(form.raw, {"fields": {"summary": "y"}})

        form.fill({"fields": {"unknown": [Exact("1")], "points": Exact("1"), "summary": "x"}})
        assert list(form.raw["fields"]) == ["unknown", "points", "summary"]  # type: ignore[call-overload]
        field(one, "fields", "points").raw = None
        assert dumps(form.raw) == '{"fields": {"unknown": [1], "summary": "x"}}'
        field(one, "fields", "urgent").raw = "true"
        assert dumps(form.raw) == '{"fields": {"unknown": [1], "summary": "x", "urgent": true}}'
        assert "`unknown` is not a property" in error(one, "fields")


def _parameters(tool: Tool | None) -> Mapping[str, Any]:
    assert tool is not None
    return {each.name: each for each in tool.parameters}


@pytest.mark.parametrize("texts", [[*MARKUP[::8], *CONTROLS[::10], *LONG[1:]], *further(STRINGS)], ids=["some", "all"])
async def test_fields_text_and_history_hold_the_same(texts: list[str], tmp_path: Path) -> None:
    async with bench(tmp_path, nested(FIELDS), parameter("free", "object", "body")) as one:
        form = one.screen.form
        for text in texts:
            raw = {"fields": {"summary": text, "labels": [text], "meta": {text: text}}, "free": {text: [text]}}
            form.fill(raw)
            assert same(form.raw, raw)
            assert dumps(check(_tool(form.tool), form.raw).errors) == dumps(check(_tool(form.tool), raw).errors)

        form = one.screen.form
        form.fill({"fields": FULL, "free": {"b": Exact("1E400"), "a": [True]}})
        raw = form.raw
        assert same(raw["fields"], FULL)
        sent = dumps(form._arguments.values)
        assert '"points": 1.50' in sent
        await one.press("ctrl+t")
        await one.until(lambda: form.text is not None)
        assert form.text is not None
        assert '"points": 1.50' in form.text.area.text
        before = form.text.area.text
        form.text.area.put(before.replace("1.50", "2.500"))
        await one.until(lambda: '"points": 2.500' in dumps(form.raw))
        form.text.area.put(before)
        await one.until(lambda: same(form.raw, raw))
        await one.press("ctrl+t")
        await one.until(lambda: form.text is None)
        assert same(form.raw, raw)
        # From the history come typed values.
        values = form._arguments.values
        form.fill({})
        assert form.raw == {}
        form.fill(values)
        assert dumps(form._arguments.values) == sent
        assert same({name: raw_of(one_, values[name]) for name, one_ in _parameters(form.tool).items()}, form.raw)
        # A draft of this session.
        await one.open("ListIncidents")
        await one.open("CreateIssue")
        await one.until(lambda: form.tool and same(form.raw, raw))


def _tool(tool: Tool | None) -> Tool:
    assert tool is not None
    return tool


async def test_what_no_field_shows_is_told(tmp_path: Path) -> None:
    inner = [{"name": "x", "type": "string"}]
    part = parameter("part", "object", "body", open="properties", properties=inner)
    texts = parameter("texts", "array", "body")
    async with bench(tmp_path, part, parameter("text", "string", "body"), texts) as one:

        def reads(*names: str) -> str:
            return noted(field(one, *names), "reading")

        one.screen.form.fill({"part": {"x": "a", "y\x1b": True}, "text": "a\nb", "texts": ["a, b"]})
        await one.until(lambda: "also" in reads("part"), "the further property")
        assert reads("part") == "= also y\\u001b"
        field(one, "part", "x").line.value = "b"
        await one.pilot.pause()
        assert one.screen.form.raw["part"] == {"x": "b", "y\x1b": True}
        assert "also" in reads("part")
        assert one.screen.form.raw["text"] == "a\nb"
        assert one.screen.form.raw["texts"] == ["a, b"]
        for name in ("text", "texts"):
            line = field(one, name).line
            line.value += "c"
        await one.until(lambda: all("Sent exactly as shown" in reads(name) for name in ("text", "texts")), "the advice")
        one.screen.form.fill({"text": "plain"})
        await one.until(lambda: "Sent exactly as shown" not in reads("text"), "no advice")


async def test_null_has_a_place_in_every_field(tmp_path: Path) -> None:
    """Keys switch between three states: not set, empty and null. A null stays null."""
    given = {"note": None, "state": None, "either": None, "part": None, "data": None, "words": [None, "", "null"]}
    text: dict[str, Any] = {"type": "string"}
    branches = [{"name": "text", **text}, {"name": "n", "type": "integer"}]
    async with bench(
        tmp_path,
        parameter("note", "string", "body", nullable=True, when_empty="send"),
        parameter("state", "string", "body", nullable=True, enum=["null", "b"]),
        parameter("either", "one_of", "body", nullable=True, branches=branches),
        parameter("part", "object", "body", nullable=True, properties=[{"name": "x", **text}]),
        parameter("data", "any", "body", nullable=True),
        parameter("words", "array", "body", items={"type": "string", "nullable": True, "when_empty": "send"}),
    ) as one:
        form = one.screen.form
        form.fill(given)
        assert dumps(form.raw) == dumps(given)
        form.fill({"note": "", "state": "null", "words": [None, "b"]})
        await field(one, "words").unfold()
        field(one, "words").opened.items[1].raw = "c"
        assert dumps(form.raw) == '{"note": "", "state": "null", "words": [null, "c"]}'
        for name in ("note", "part"):
            form.fill({})
            field(one, name).focus_editor()
            states = []
            for _ in range(4):
                states.append(dumps(form.raw.get(name, "not set")))
                await one.press("ctrl+n")
            assert states == (['"not set"', '""', "null", '"not set"'] if name == "note" else ['"not set"', "null"] * 2)
