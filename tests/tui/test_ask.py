"""Queries on the result on screen, and showing only the matches."""

import json
import threading

import pytest
from textual import events
from textual.widgets import Static

from registry.results.query import JsonSource
from tests.hostile import STRINGS, forbidden_in_output
from tests.tui.app import Desk, desk
from tests.tui.test_find import answered, find, path, told
from tui.explorer import query_line
from tui.explorer.query_line import QueryLine
from tui.json_view.document import Document
from tui.json_view.view import JsonView
from tui.widgets.texts import Line


def said(one: Desk, name: str) -> str:
    return str(one.screen.result.query_one(name, Static).render())


def sign(one: Desk) -> str:
    line = one.screen.result.query_one("#sign", Static)
    return str(line.render()) if line.display else ""


def rows(view: JsonView, width: int = 200) -> list[str]:
    return ["".join(part.text for part in view.draw(line, width)) for line in range(view.line_count)]


async def ask(one: Desk, query: str, gave: str | None = None) -> None:
    """Type a query and wait for its result."""
    line = one.screen.result.query_one(QueryLine).query_one(Line)
    line.value = query
    line.action_end()
    if gave is not None:
        await one.until(lambda: said(one, "#gave") == gave, gave)
    await one.pilot.pause()


async def test_the_answer_is_shown_while_the_query_is_typed_can_be_walked_in_and_left() -> None:
    async with desk() as one:
        view = await answered(one)
        await one.press("down", "down", "space", "down", "space", "q")
        row, lines, document = view.row, view.line_count, view.document
        assert one.app.focused is one.screen.result.query_one(QueryLine).query_one(Line)
        await ask(one, "data[].am", "0 items")
        await one.until(lambda: said(one, "#beside") == "Tab amount")
        await one.press("tab")
        await one.until(lambda: said(one, "#gave") == "40 items")
        assert one.screen.result.query_one(QueryLine).query_one(Line).value == "data[].amount"
        assert rows(view)[:3] == ["▾ [", "    0", "    100"]
        await one.until(lambda: sign(one) == "Query output · Esc Full result · data[].amount")
        await one.press("escape")
        await one.until(lambda: view.has_focus)
        await one.pilot.pause()
        assert view.document is document
        assert (view.row, view.line_count, sign(one)) == (row, lines, "")
        assert not one.screen.result.query_one(QueryLine).has_class("-open")

        view = await answered(one)
        await one.press("down", "down", "down", "q", "ctrl+t")
        line = one.screen.result.query_one(QueryLine).query_one(Line)
        assert line.value == "data[0].id"
        await one.until(lambda: said(one, "#gave") == "text")
        line.value = ""
        await one.type("da")
        await one.until(lambda: said(one, "#beside") == "Tab data" and line._suggestion == "data")
        await one.press("right")
        assert line.value == "data"
        await one.press("escape")
        await one.until(lambda: view.has_focus and sign(one) == "")

        view = await answered(one)
        document = view.document
        await one.press("q")
        await ask(one, "data[?amount > `3700`].{id: id, amount: amount}", "2 items")
        await one.press("enter", "down", "down", "down")
        assert view.has_focus
        assert path(one) == "[0].amount"
        assert rows(view)[3] == "      amount: 3800"
        await find(one, "in_39")
        assert told(one) == "1 of 1"
        await one.press("escape")
        await one.until(lambda: view.document is document)
        assert sign(one) == ""
        await one.press("q", "up")
        assert one.screen.result.query_one(QueryLine).query_one(Line).value == "data[?amount > `3700`].{id: id, amount: amount}"
        await one.press("down")
        assert one.screen.result.query_one(QueryLine).query_one(Line).value == ""
        await one.press("enter")
        await one.until(lambda: view.has_focus)

        view = await answered(one)
        await one.press("q")
        await ask(one, "data[].id", "40 items")
        await one.run()
        assert not one.screen.result.query_one(QueryLine).has_class("-open")
        assert not view.shows_output
        assert sign(one) == ""
        assert rows(view)[0] == "▾ {"


async def test_keys_behind_the_one_that_keeps_the_answer_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk() as one:
        view = await answered(one)
        await one.press("q")
        await one.type("data")
        await one.until(lambda: said(one, "#gave") == "40 items")
        reached, release, real = threading.Event(), threading.Event(), query_line._run_query

        def slow(source: JsonSource, query: str, stop: threading.Event) -> object:
            reached.set()
            release.wait(20)
            return real(source, query, stop)

        monkeypatch.setattr(query_line, "_run_query", slow)
        for key in ("enter", "down", "down"):
            one.app.post_message(events.Key(key, None))
        await one.until(reached.is_set)
        release.set()
        await one.until(lambda: path(one) == "[0].id")
        assert one.app.focused is view
        await one.press("q")
        assert one.screen.result.query_one(QueryLine).query_one(Line).value == "data"


async def test_what_is_wrong_is_said_below_its_place() -> None:
    async with desk((120, 40)) as one:
        await answered(one)
        await one.press("f8", "q")
        await ask(one, "data[?amount > 100]")
        await one.until(lambda: "backticks" in said(one, "#beside"))
        assert said(one, "#beside") == " " * 15 + "▲ write numbers in backticks: `100`"
        await ask(one, "data[].notte", "0 items")
        assert said(one, "#beside") == "       ▲ no property `notte` here; did you mean `note`?"
        await ask(one, "data[?amount > ")
        await one.until(lambda: said(one, "#beside").startswith("Tab id  note  currency  amount"))
        await ask(one, "sum(data[].id)")
        await one.until(lambda: "list of numbers" in said(one, "#beside"))
    async with desk((48, 24)) as one:
        await answered(one)
        await one.press("q")
        await ask(one, "data[?amount > 100]")
        await one.until(lambda: "backticks" in said(one, "#beside"))
        assert said(one, "#beside") == " " * 15 + "▲\nwrite numbers in backticks: `100`", "there is no room beside it"


async def test_only_the_newest_query_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk() as one:
        view = await answered(one)
        await one.press("q")
        await ask(one, "data[0]", "an object with 4 properties")
        reached, release, real = threading.Event(), threading.Event(), query_line._run_query

        def slow(source: JsonSource, query: str, stop: threading.Event) -> object:
            if query == "data":
                reached.set()
                release.wait(20)
            return real(source, query, stop)

        monkeypatch.setattr(query_line, "_run_query", slow)
        await ask(one, "data")
        await one.until(reached.is_set)
        await ask(one, "data[1].id", "text")
        release.set()
        await one.pilot.pause()
        assert rows(view) == ['  "in_1"']


async def test_documents_that_cannot_be_asked_say_so_and_a_reading_is_whole_or_below(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk() as one:
        view = await answered(one)
        monkeypatch.setattr(query_line, "_MOST", 10)
        view.show(Document(json.dumps(["x" * 2_000_000]).encode()))
        await one.press("q")
        await one.until(lambda: said(one, "#beside").startswith("The result is too large to query: 2 MB"))
        assert said(one, "#beside").endswith("Save it (Esc, x) and query the file with callboard sql or jq.")
        await one.press("escape")
        view.show(None)
        await one.press("q")
        assert said(one, "#beside") == "No result to query yet. Run the tool first."
        await one.press("escape")
        await one.until(lambda: one.app.focused is view)

        view = await answered(one)
        view.show(Document(b'{"a": "2026-01-01T00:00:00Z", "created": 1755000000}'))
        ago = rows(view)[1].partition("‹ ")[2]
        assert ago.endswith(" ago")
        assert rows(view, 38)[1] == '    a: "2026-01-01T00:00:00Z"'
        assert rows(view, 36)[2] == "    created: 1755000000", "half a moment is another moment"
        assert rows(view, 45)[2].endswith("‹ 12 Aug 2025")
        assert rows(view, 55)[2].endswith("‹ 12 Aug 2025 12:00 UTC")
        one.screen.query_one("#result").styles.width = 36
        await one.until(lambda: view.size.width < 38)
        await one.press("down")
        await one.until(lambda: path(one) == f"a  ‹ {ago}")


async def test_hostile_names_and_values_reach_no_terminal() -> None:
    async with desk((80, 24)) as one:
        view = await answered(one)
        names = [text[:200] for text in STRINGS]
        view.show(Document(json.dumps({"all": [{name: name for name in names}]}).encode()))
        await one.press("q")
        for query in (
            "all[].",
            "all[]",
            "all[0].HARM",
            "\x1b[31m\u202e",
            '"\x9b"',
            *(json.dumps(name)[:60] for name in names[:20:4]),
        ):
            await ask(one, query)
            await one.until(lambda: said(one, "#gave") != "…")
            shown = [*rows(view), *(said(one, name) for name in ("#beside", "#gave", "#sign", "#path"))]
            assert not forbidden_in_output("\n".join(shown).encode("utf-8", "surrogatepass"))
        await one.press("enter", "escape")
        view.focus()
        for _ in range(len(names)):
            await one.press("down")
            drawn = "\n".join(view.render_line(y).text for y in range(view.size.height))
            assert not forbidden_in_output(drawn.encode("utf-8", "surrogatepass"))
