"""The user's own toolkit is shown, refreshed and removed from the tree, and an open form never loses its contents silently."""

import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

from registry.catalog.folders import kept_toolkits
from registry.openapi import store
from tests.loopback import listening
from tests.openapi.making import document, written
from tests.tui.app import Desk, desk
from tests.tui.test_object_pages import Pages
from tui.dialogs.account_form import AccountForm
from tui.dialogs.choose import ChooseDialog
from tui.dialogs.questions import Question
from tui.explorer.tool_pane import AskLine
from tui.explorer.toolkit_tree import ToolkitTree
from tui.explorer.top_bar import TopBar
from tui.widgets.texts import Line, Options

pytestmark = pytest.mark.usefixtures("toolkits_here")


def operation(id_: str, *names: str) -> dict[str, Any]:
    return {"operationId": id_, "parameters": [{"name": name, "in": "query", "schema": {"type": "string"}} for name in names]}


BEFORE = {"/a": {"get": operation("getA", "one", "two")}, "/b": {"get": operation("getB")}}
AFTER = {"/a": {"get": operation("getA", "one")}, "/c": {"get": operation("getC")}}


async def asked(one: Desk, *keys: str) -> Question:
    """The question that comes up for keys, or without any for the command."""
    before = one.app.screen
    await (one.press(*keys) if keys else one.do("own_toolkit"))
    await one.until(lambda: isinstance(one.app.screen, Question) and one.app.screen is not before, f"the question after {keys}")
    await one.pilot.pause()
    dialog = one.app.screen
    assert isinstance(dialog, Question)
    return dialog


def told(dialog: Question) -> str:
    return "\n".join(str(line.content) for line in dialog.query(Static))


def words_of(one: Desk) -> str:
    return " ".join(notification.message for notification in one.app._notifications)


def own(one: Desk) -> list[str]:
    return sorted(tool.name for tool in one.app.session.contents if tool.toolkit == "Things")


async def test_a_toolkit_is_refreshed_and_removed_and_the_open_form_follows(tmp_path: Path) -> None:
    path = written(tmp_path, document(BEFORE))
    store.keep_prepared(store.prepared(str(path)))
    async with desk() as one:
        await one.open("ListIncidents")
        await one.open("GetA")
        assert str(one.screen.query_one(TopBar).render()) == "", "it needs no credential: it is nobody's account"
        one.screen.form.fill({"one": "kept", "two": "lost"})
        tree = one.screen.query_one(ToolkitTree)
        one.screen.go_to_pane("tools")
        tree.focus()
        await one.until(lambda: tree.toolkit == "Things", "the toolkit at the cursor")

        # The source is as it was: nothing would change, and Escape leaves it so.
        dialog = await asked(one)
        assert "2 tools from OpenAPI 3.1" in told(dialog)
        assert str(path) in told(dialog)
        dialog = await asked(one, "enter")
        assert "The same tools." in told(dialog)
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)

        # It is another one: shown first, then kept.
        written(tmp_path, document(AFTER))
        await asked(one)
        dialog = await asked(one, "enter")
        assert "+ New 1: GetC" in told(dialog)
        assert "× Gone 1: GetB" in told(dialog)
        assert "~ Changed 1: GetA" in told(dialog)
        assert "GetA is open; its form keeps what still fits." in told(dialog)
        assert own(one) == ["GetA", "GetB"]
        await one.press("enter")
        await one.until(lambda: own(one) == ["GetA", "GetC"], "the new tools")
        await one.until(lambda: one.screen.form.raw == {"one": "kept"}, "the form")
        assert [one.name for one in one.screen.form.tool.parameters] == ["one"]  # type: ignore[union-attr]

        # A document that cannot be used leaves it as it is.
        path.write_text("{")
        await asked(one)
        await one.press("enter")
        await one.until(lambda: "The toolkit stays as it is." in words_of(one), "the refusal")

        # Removing asks, and names what goes with it.
        for agrees in (False, True):
            await asked(one)
            dialog = await asked(one, "right", "enter")
            assert "The open form of GetA goes with it." in told(dialog)
            assert kept_toolkits().joinpath("things").exists()
            await one.answer(yes=agrees)
        await one.until(lambda: own(one) == [], "the tools gone")
        assert not kept_toolkits().joinpath("things").exists()
        await one.until(lambda: one.tool == "ListIncidents", "the visit before")
        await one.do("own_toolkit")
        assert one.app.screen is one.screen, "there is none any more"


async def test_without_a_toolkit_at_the_cursor_one_is_chosen_and_an_empty_form_follows(tmp_path: Path) -> None:
    for name in ("Things", "Others"):
        store.keep_prepared(store.prepared(str(written(tmp_path, document(BEFORE))), name=name))
    async with desk() as one:
        await one.open("Things.GetA")
        line, tree = one.screen.query_one(AskLine), one.screen.query_one(ToolkitTree)
        line.focus()
        line.value = "> refresh or remove a toolkit"
        await one.until(lambda: tree.details.startswith("Show a toolkit that you added"), "the command")
        await one.press("enter")
        await one.until(lambda: isinstance(one.app.screen, (ChooseDialog, Question)), "the question")
        if isinstance(one.app.screen, ChooseDialog):
            await one.press("down", "enter")
        await one.until(lambda: isinstance(one.app.screen, Question), "the toolkit")
        assert "Things · 2 tools" in told(one.app.screen)  # type: ignore[arg-type]
        await asked(one, "right", "enter")
        await one.answer(yes=True)
        await one.until(lambda: one.screen.form.tool is None, "the form closed")
        assert one.screen.result.result is None
        await one.press("f5")  # there is nothing to run
        assert one.screen.form.tool is None


async def test_toolkits_that_were_read_again_take_their_place_at_once(tmp_path: Path) -> None:
    """Home reads tools and accounts while a toolkit goes: it met a tool without its account."""
    kept = store.keep_prepared(store.prepared(str(written(tmp_path, document(BEFORE)))))
    async with desk() as one:
        engine = one.app.session.engine
        store.remove(kept)
        put = engine.reload_toolkits()
        assert "Things" in engine.catalog.toolkits
        assert not engine.usual("Things").endpoint("Things").needs
        put()
        assert "Things" not in engine.catalog.toolkits
        assert "Things" not in engine.connections["sandbox"].endpoints


async def test_an_account_is_added_with_the_way_to_sign_in_that_the_user_chooses(tmp_path: Path) -> None:
    flows = {"clientCredentials": {"tokenUrl": "https://things.example/token", "scopes": {}}}
    schemes = {
        "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "user": {"type": "http", "scheme": "basic"},
        "client": {"type": "oauth2", "flows": flows},
    }
    content = document(BEFORE, components={"securitySchemes": schemes}, security=[{name: []} for name in schemes])
    store.keep_prepared(store.prepared(str(written(tmp_path, content))))
    async with desk((80, 24)) as one:
        form = AccountForm(one.app.session, "Things")
        one.app.push_screen(form)
        await one.until(lambda: form.focused is not None)
        way, user = form.query_one("#way", Options), form.query_one("#user", Line)
        shown = "● an API key  ○ a user name and a password  ○ an OAuth token  ○ an OAuth client"
        await one.until(lambda: str(way.render()).replace("\n", "  ") == shown, "all ways of the document")
        row = user.parent
        assert row is not None
        assert not row.display, "an API key has no user"
        way.focus()
        await one.press("right")
        await one.until(lambda: row.display and user.placeholder == "its name")
        await one.press("end")
        await one.until(lambda: user.placeholder == "the client's id")
        form.query_one("#place", Options).chosen = 3
        for field, value in (("name", "Mine"), ("user", "id-1"), ("secret", "secret-1")):
            form.query_one(f"#{field}", Line).value = value
        await one.press("enter")
        await one.until(lambda: one.app.screen is one.screen)
        kept = one.app.session.engine.account_book.read().found["Mine"]
        assert (kept.way, kept.user) == ("an OAuth client", "id-1")


class _Numbered(BaseHTTPRequestHandler):
    """Things and their owners, whose ids are numbers."""

    def do_GET(self) -> None:
        _, kind, *id_ = self.path.partition("?")[0].split("/")
        things = [{"id": number, "name": f"Thing {number}", "owner_id": 70 + number} for number in (1, 2)]
        one = things[int(id_[0]) - 1] if id_ and kind == "things" else {"id": int(id_[0]), "name": "Ada"} if id_ else {}
        content = json.dumps(one or things).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _get(operation: str, schema: dict[str, Any]) -> dict[str, Any]:
    ids = [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}] if operation.startswith("get") else []
    content = {"application/json": {"schema": schema}}
    return {"get": {"operationId": operation, "parameters": ids, "responses": {"200": {"content": content}}}}


async def test_ids_that_are_numbers_lead_from_a_row_to_its_page_and_on(tmp_path: Path) -> None:
    number, text = {"type": "integer"}, {"type": "string"}
    schemas = {
        "Thing": {"type": "object", "properties": {"id": number, "name": text, "owner_id": number}},
        "Owner": {"type": "object", "properties": {"id": number, "name": text}},
    }
    thing, owner = ({"$ref": f"#/components/schemas/{name}"} for name in schemas)
    paths = {
        "/things": _get("listThings", {"type": "array", "items": thing}),
        "/things/{id}": _get("getThing", thing),
        "/owners/{id}": _get("getOwner", owner),
    }
    with listening(_Numbered) as address:
        path = written(tmp_path, document(paths, components={"schemas": schemas}))
        store.keep_prepared(store.prepared(str(path), server=address))
        async with desk(lists="table", start_page=True) as one:
            bar = one.screen.query_one(TopBar)
            await one.until(lambda: "▲ 1 yours" in str(bar.render()), "a toolkit without an account takes no alarm away")
            await one.open("ListThings")
            await one.run()
            one.screen.go_to_pane("result")
            await one.press("down", "enter")
            pages = Pages(one)
            await pages.until_loaded(lambda page: (page.subject.type, page.subject.id) == ("thing", "2"))
            assert " ".join(pages.text.split()) == "Related objects 1 owner 72", "the owner's id is said once"
            while pages.line.link is None or pages.line.link.type != "owner":
                await pages.press("down")
            await pages.press("enter")
            await pages.until_loaded(lambda page: (page.subject.type, page.subject.id, page.title) == ("owner", "72", "Ada"))
