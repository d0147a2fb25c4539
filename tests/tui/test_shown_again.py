"""Lists shown again with other data: fewer rows, fewer columns, no width, another type. Nothing old is used."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widgets import Static

from tests.sampled import examples
from tui.compare.lines import CompareLines
from tui.json_view.document import Document
from tui.json_view.view import JsonView
from tui.pages.head import PageList
from tui.pages.lines import PageLine
from tui.state.json_store import Appearance
from tui.state.settings import Settings
from tui.table.rows import find
from tui.table.view import TableView
from tui.theme import CALLBOARD
from tui.widgets.line_list import LineList

_MOVES: dict[str, Callable[[Any], object]] = {
    "end": lambda view: view.action_move_to_end(1),
    "page": lambda view: view.action_move_page(1),
    "down": lambda view: view.action_move(3),
    "fold": lambda view: view.action_fold(),
    "unfold": lambda view: view.action_unfold(),
    "toggle": lambda view: view.action_toggle_fold(),
}
_OWN: dict[type[LineList], dict[str, Callable[[Any], object]]] = {
    TableView: {
        "right": lambda view: [view.action_unfold() for _ in range(20)],
        "sort": lambda view: view.action_sort(),
        "filter": lambda view: view.filter("a"),
        "unmark": lambda view: view.action_unmark(),
    },
    JsonView: {
        "fold all": lambda view: view.action_fold_all(),
        "hits": lambda view: view.mark(list(range(0, len(view.document.rows) if view.document else 0, 2))),
        "hit": lambda view: view.go_to_hit(1),
        "come back": lambda view: view.go_to(40),  # where the cursor stood in a longer one
        "answer": lambda view: view.show_output(Document(b'["x", {"y": 1}]'), "q") if view.document else None,
        "whole": lambda view: view.show_whole(),
    },
    CompareLines: {"unfold all": lambda view: view.action_unfold_all()},
}

_SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-9, 10**9), st.sampled_from(["", "a", "東" * 30, "a b " * 40]))
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.sampled_from("abcdef"), inner, max_size=5),
    max_leaves=40,
)
_ITEMS = st.lists(_VALUES, max_size=40)
_SIZES = st.tuples(st.integers(0, 60), st.integers(0, 12))


class _Shelf(App[None]):
    """One list in a box whose size can be changed."""

    def __init__(self, view: LineList) -> None:
        super().__init__()
        self.settings = Settings()
        self.register_theme(CALLBOARD)
        self.theme = CALLBOARD.name
        self.view = view

    def compose(self) -> ComposeResult:
        with Container():
            yield self.view
        yield Static(Content("below"))


Step = tuple[str, Any]


def _through(make: Callable[[], LineList], show: Callable[[Any, Any], None], steps: Sequence[Step]) -> None:
    """Show data and move in it as the steps say. Every row of the screen can be drawn at any time."""

    async def go() -> None:
        view = make()
        app = _Shelf(view)
        async with app.run_test(size=(60, 14)) as pilot:
            view.focus()
            own = next((moves for kind, moves in _OWN.items() if isinstance(view, kind)), {})
            for what, data in steps:
                if what == "show":
                    show(view, data)
                elif what == "size":
                    box = app.query_one(Container)
                    box.styles.width, box.styles.height = data
                    await pilot.pause()
                else:
                    ({**_MOVES, **own})[what](view)
                for y in range(view.size.height):
                    view.render_line(y)
                assert 0 <= view.cursor <= max(view.line_count - 1, 0)
            await pilot.pause()
            region = view.size.region
            await view.remove()
            # A frame between this and the next layout still asks for it.
            assert [strip.cell_length for strip in view.render_lines(region)] == [region.width] * region.height
            assert app._exception is None

    asyncio.run(go())


def _steps(data: st.SearchStrategy[Any], kind: type[LineList]) -> st.SearchStrategy[list[Step]]:
    moves = st.sampled_from([*_MOVES, *_OWN.get(kind, {})]).map(lambda name: (name, None))
    shows = data.map(lambda one: ("show", one))
    return st.lists(st.one_of(shows, moves, moves, _SIZES.map(lambda size: ("size", size))), min_size=25, max_size=60)


_FEW = examples(2, 6, derandomize=True)


@examples(2, 6, derandomize=True)
@example([("show", [{"a": number} for number in range(30)]), ("end", None), ("show", [{"a": 1}, {"a": 2}])])
@given(_steps(_ITEMS, TableView))
def test_a_table(steps: list[Step]) -> None:
    def show(view: TableView, items: list[object]) -> None:
        texts = [json.dumps(item).encode() for item in items]
        found = find(texts)
        last = found.columns.all[-1].path if found.columns.all else None
        view.show(texts, found, Appearance(as_table=True, sorted_by=last if len(items) % 2 else None))

    _through(TableView, show, steps)


@examples(3, 6, derandomize=True)
@given(_steps(_VALUES, JsonView))
def test_a_document(steps: list[Step]) -> None:
    _through(JsonView, lambda view, value: view.show(Document(json.dumps(value).encode())), steps)


_LINES = st.lists(
    st.builds(
        PageLine,
        st.sampled_from("abcdefgh"),
        st.lists(st.tuples(st.sampled_from(["", "a", "東" * 9, "a b " * 9]), st.just("text")), max_size=3).map(tuple),
        st.lists(st.tuples(st.sampled_from(["1", "東京"]), st.just("muted")), max_size=2).map(tuple),
        rests=st.booleans(),
    ),
    max_size=30,
)


@_FEW
@given(_steps(st.tuples(_LINES, st.sampled_from([None, None, "a", "z"])), PageList))
def test_a_page(steps: list[Step]) -> None:
    _through(lambda: PageList(id="page"), lambda view, told: view.show(*told), steps)
