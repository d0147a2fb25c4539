"""Picks an id for a field: from a tool's list, page after page, or else from ids in earlier results; typing filters the rows.

If the list has an owner (the cards of a customer), the owner is taken from the form's other fields, or picked first.
"""

import asyncio
from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option
from textual.worker import Worker, WorkerState

from registry.accounts.connection import ConnectionSettingsError
from registry.calling.arguments import ArgumentError
from registry.calling.sending import Observer, Progress
from registry.catalog.model import Parameter, Tool
from registry.engine import NotAllowed, Presenter
from registry.references.routes import SHORTEST_WORDS, IdSource, longest_part, sources_of
from registry.references.targets import with_article, words_for
from registry.results.columns import Candidate, Candidates
from registry.text.filter_line import ranked
from registry.text.shown import shortened, visible, visible_line
from tui.dialogs.dialog import BESIDE_LIST, LineDialog, lines_left
from tui.explorer.explorer import Explorer
from tui.explorer.fields.field import fields_in
from tui.explorer.fields.text import IdField
from tui.session import Session
from tui.table.rows import GAP, in_sight
from tui.widgets.line_list import PlainRows
from tui.widgets.texts import Line, Words, in_cells

_DEEPEST, _MOST_READ = 4, 1_000
_MARK, _LOWEST = 2, 8
_WIDEST_CELL = 40
_MORE, _ASK, _AGAIN, _TYPED = "more", "ask", "again", "typed"


class IdRows:
    """The rows: ids from earlier results, if no tool lists such objects. All words may contain text from outside.

    Attributes:
        about: what is listed, and where.
        takes_typed: whether a text that matches no row may be used as an id.
    """

    about, takes_typed, has_more = "ids from earlier results", True, False

    def __init__(self, session: Session, tool: Tool, types: Sequence[str]) -> None:
        self._session, self._tool, self._types = session, tool, types
        self.rows: list[Candidate] = []
        self.titles: tuple[str, ...] = ()

    def can_ask(self, text: str) -> bool:
        """Whether the service itself can search for a text."""
        return False

    async def fetch(self, text: str | None, observer: Observer) -> str:
        """Fetch the first rows for a text, or with None further ones; returns why that failed, in words."""
        seen = await asyncio.to_thread(self._session.seen_ids, self._tool.toolkit, self._types, text or "")
        self.rows = [Candidate(id_, (label,)) for id_, label in seen]
        return ""


class ListedIds(IdRows):
    """A tool's list."""

    takes_typed = False

    def __init__(self, session: Session, source: IdSource) -> None:
        super().__init__(session, source.tool, source.types)
        self._source = source
        self._connection = session.connection(source.tool.toolkit)
        self._asked: Mapping[str, object] = {}
        self._next: Mapping[str, object] = {}
        self._columns = session.listed(source.tool.name).columns
        self._candidates = Candidates(source.holds, self._columns)
        owners = (source.known[one.name] for one in source.tool.parameters if one.refers_to and one.name in source.known)
        self.about = f"{source.tool.name}{''.join(f' of {owner}' for owner in owners)} on {self._connection.name}"

    def can_ask(self, text: str) -> bool:
        """Whether the service itself can search for a text."""
        return len(text) >= SHORTEST_WORDS and self._source.asking(text) is not None

    async def fetch(self, text: str | None, observer: Observer) -> str:
        """Fetch; where nothing has the text, what has its longest part: the service may spell the rest in another way."""
        asked = self._asked if text is None else self._source.asking(text) or {}
        candidates = self._candidates if text is None else Candidates(self._source.holds, self._columns)
        given = {name: value for name, value in {**asked, **(self._next if text is None else {})}.items() if value is not None}
        try:
            result = await self._session.engine.run(self._source.tool, given, self._connection, presenter=Presenter(observer))
        except (ArgumentError, NotAllowed, ConnectionSettingsError) as error:
            return f"Request not sent. {error} Fix the form, or choose another account."
        if (failure := result.failure) is not None:
            return f"{failure.title}. {failure.cause} {failure.next_step}"
        await asyncio.to_thread(candidates.add, result.body, result.items_at)
        self._asked, self._candidates = asked, candidates
        await self._session.name_ids(self._source.tool, result)
        name = self._session.names.of
        self.rows = [row._replace(cells=tuple(name(cell) or cell for cell in row.cells)) for row in candidates.rows]
        self.titles = candidates.titles
        self._next = (result.page.next if result.page is not None else None) or {}
        self.has_more = bool(self._next)
        if text and not self.rows and (part := longest_part(text)) != text and self.can_ask(part):
            return await self.fetch(part, observer)
        return ""


class PickDialog(LineDialog[str]):
    """Returns an id. The focus stays on the line; the arrows move through the rows below it.

    The height of the list depends on the fetched rows and not on what is typed, so that the box does not move.
    """

    DEFAULT_CSS = """
    PickDialog {
        #title { height: 1; }
        #why { height: auto; color: $text-warning; }
        Line { margin: 1 0 0 0; padding: 0 1; background: $panel; }
        #heads { height: 1; color: $foreground-muted; text-wrap: nowrap; }
        #about { height: auto; min-height: 1; margin: 1 0 0 0; color: $foreground-muted; }
    }
    """

    widest = 120

    def __init__(self, title: str, why: str, rows: IdRows, typed: str = "", *, changes: bool = False) -> None:
        """Make it; `typed` is searched at once, as if the user had typed it and searched the service.

        With `changes` the id is for a change, and no row is chosen before the user chooses one.
        """
        super().__init__()
        self._title, self._why, self._rows = title, why, rows
        self._begins, self._changes = typed, changes
        self._fetch: Worker[None] | None = None
        self._problem = self._waiting = self._asked = ""

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Words(id="title")
            if self._why:
                yield Words(Content(visible(self._why)), id="why")
            yield Line(self._begins, placeholder="Type to filter", compact=True, select_on_focus=False)
            yield Words(id="heads")
            yield PlainRows(compact=True)
            yield Words(id="about")
            yield self.keys_line(("↑ ↓", "Move"), ("Enter", "Take"), ("Esc", "Close"))

    def on_mount(self) -> None:
        self.rows.can_focus = False
        self.query_one(Line).focus()
        self._fetch_rows(self._begins if self._rows.can_ask(self._begins) else "")

    def _refill(self) -> None:
        self._show(keep=True)

    def action_leave(self) -> None:
        """Stop the running fetch; otherwise close without an id."""
        if self._fetch is not None and self._fetch.is_running:
            self._fetch.cancel()
        else:
            self.dismiss(None)

    def _typed(self, text: str) -> None:
        if not text.strip() and self._asked:
            self._fetch_rows("")  # back to everything
        else:
            self._show()
            self._read_on()

    def _read_on(self) -> None:
        """Read further pages while nothing that was read has the typed text: it may be in the rest of the list."""
        rows, text = self._rows, self._text
        waits = self._fetch is not None or self._problem or not rows.has_more or len(rows.rows) >= _MOST_READ
        if text and not waits and not rows.can_ask(text) and not self._fitting(text):
            self._fetch_rows(None)

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Mark the row at the cursor with a sign, and not only by colour."""
        for place, option in enumerate(self.rows.options):
            sign, prompt = "›" if place == event.option_index else " ", option.prompt
            if isinstance(prompt, Content) and prompt.plain[:1] != sign:
                self.rows.replace_option_prompt_at_index(place, Content.assemble(sign, prompt[1:]))

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        name, _, id_ = (event.option.id or "").partition(":")
        if name in ("row", _TYPED):
            self.dismiss(id_ or self._text)
        else:
            self._fetch_rows({_ASK: self._text, _AGAIN: None if self._rows.rows else self._asked}.get(name))

    def _fetch_rows(self, text: str | None) -> None:
        """Fetch the first page, of everything or of a search for a text; None fetches the next page."""
        if self._fetch is not None:
            self._fetch.cancel()
        self._problem = self._waiting = ""
        if text is not None:
            self._asked = text
        self._fetch = self._run(text)
        self._show()

    @work(group="pick", exclusive=True)
    async def _run(self, text: str | None) -> None:
        self._problem = await self._rows.fetch(text, self._progress)

    @on(Worker.StateChanged)
    def _ended(self, event: Worker.StateChanged) -> None:
        if event.worker is not self._fetch or event.state in (WorkerState.PENDING, WorkerState.RUNNING):
            return
        if event.state is WorkerState.CANCELLED:
            self._problem = "Stopped. You stopped the fetch. Try again, or press Esc to close."
        self._fetch = None
        self._show(keep=True)
        self._read_on()

    def _fitting(self, text: str) -> list[Candidate]:
        """The rows that match a text, best first; then the others that the service found for it, by its own rules."""
        rows = self._rows.rows
        fitting = ranked(rows, text, lambda row: row.texts)
        if text == self._asked:
            best = {row.id for row in fitting}
            fitting += [row for row in rows if row.id not in best]
        return fitting

    def _progress(self, progress: Progress) -> None:
        self._waiting = f"{progress.reason}; retrying in {progress.waiting:.0f} s" if progress.waiting is not None else ""
        self._tell()

    def _show(self, *, keep: bool = False) -> None:
        """Show the rows that match the typed text, and what else can be done."""
        text, place = self._text, self.rows.highlighted
        fitting, titles = self._fitting(text), self._rows.titles
        # The id, which is last, and the name get room first; of the other columns as many as fit.
        columns = [(*titles, "id"), *((*row.cells[: len(titles)], row.id) for row in self._rows.rows)]
        *others, id_ = [min(max(map(cell_len, column)), _WIDEST_CELL) for column in zip(*columns, strict=True)]
        wide = [*(one.width for one in in_sight(others, self.room - _MARK - id_ - GAP, uncut=(0,))), id_]
        heads = f"  {_line((*titles[: len(wide) - 1], 'id'), wide)}" if titles else ""
        self.query_one("#heads", Words).update(Content(visible_line(heads)))
        options = []
        for row in fitting:
            cells, name = _line(row.cells, wide[:-1]), in_cells(visible_line(row.id), wide[-1])
            words = Content.assemble(f"  {cells}{' ' * GAP if cells else ''}", (name, "$foreground-muted"))
            options.append(Option(words, id=f"row:{row.id}"))
        # What can be done besides taking a row.
        shown, fine, source = visible_line(text), not self._problem, self._rows
        can_ask = fine and text and text != self._asked and source.can_ask(text)
        ways = (
            (not fine, _AGAIN, "Try again"),
            (can_ask, _ASK, f"Search the service for “{shortened(shown, 40)}”"),
            (fine and source.has_more, _MORE, f"Look on{f' for “{shortened(shown, 40)}”' if text else ''}: read the next page"),
            (text and not fitting and source.takes_typed, _TYPED, f"Use “{shortened(shown, 60)}” as typed"),
        )
        further = [(key, words) for there, key, words in ways if there and self._fetch is None]
        options += [Option(Content.styled(f"  {words}", "$text-accent"), id=key) for key, words in further]
        room = lines_left(self.app.size.height, BESIDE_LIST + (2 if self._why else 0))
        self.rows.styles.height = min(max(len(self._rows.rows) + 2, _LOWEST), room)
        self.rows.clear_options()
        self.rows.add_options(options)
        first = None if not options or (self._changes and fitting) else 0
        self.rows.highlighted = min(place, len(options) - 1) if options and keep and place is not None else first
        self._tell(len(fitting))

    def _tell(self, fitting: int | None = None) -> None:
        title = Content.assemble((self._title, "bold"), (f"  {visible_line(self._rows.about)}", "$foreground-muted"))
        self.query_one("#title", Words).update(title)
        count = len(self._rows.rows)
        if self._fetch is not None:
            words, colour = self._waiting or "Fetching… Esc stops.", "$text-accent"
        elif self._problem:
            words, colour = f"✗ {self._problem}", "$text-error"
        elif not count and not self._rows.has_more:
            words, colour = f"{'No matches at the service' if self._asked else 'The list is empty'}. Press Esc to close.", ""
        else:
            shown = f"{fitting} of {count}" if fitting is not None and fitting < count else f"{count}"
            more = "; more follow" if self._rows.has_more else ""
            words = f"No match in {'the first ' if more else ''}{count}" if fitting == 0 else f"{shown} to choose from"
            words, colour = words + more, ""
            words += " · ↓ chooses" if self._changes and fitting and self.rows.highlighted is None else ""
        self.query_one("#about", Words).update(Content.styled(visible(words), colour or "$foreground-muted"))

    @property
    def _text(self) -> str:
        return self.query_one(Line).value.strip()


def _line(cells: Sequence[str], wide: list[int]) -> str:
    return (" " * GAP).join(in_cells(text, width) for text, width in zip(cells, wide, strict=False))


async def pick(context: Explorer, field: IdField, name: str = "") -> None:
    """Let the user choose an id for a field, and fill it in; owners chosen on the way are filled into their fields.

    `name` is what the user has already typed of the object's name; of the owner's if that is asked first.
    """
    tool = context.tool
    if tool is None:
        return
    owners: dict[str, str] = {}
    raw = {**context.form.raw}
    id_ = await _choose(context, tool, field.parameter, raw, owners, name, changes=tool.effect != "read")
    if id_ is not None and field.is_in_form and context.tool is tool:
        for other in fields_in(context.form):
            if other.parameter.name in owners and other.parameter.name != field.parameter.name:
                other.raw = owners[other.parameter.name]
        field.take(id_)
        field.focus_editor()


async def _choose(
    context: Explorer, tool: Tool, parameter: Parameter, raw: Mapping[str, object], owners: dict[str, str], name: str,
    why: str = "", depth: int = 0, changes: bool = False,
) -> str | None:  # fmt: skip
    """The id chosen for a parameter of a tool, after the owners that its list needs; None if the dialog was cancelled.

    Args:
        context: the explorer.
        tool: the tool that the parameter belongs to.
        parameter: the parameter for the id.
        raw: known values of the tool's other parameters.
        owners: receives the ids chosen on the way, by parameters of the form.
        name: the search text for the first list.
        why: a text above the list, for owners.
        depth: how many choices wait for this one.
        changes: whether the id is for a change.
    """
    session = context.session
    kind = " or ".join(words_for(type_) for type_ in parameter.refers_to)
    source = next(iter(sources_of(tool, parameter, raw, session.routes)), None) if depth < _DEEPEST else None
    if source is not None:
        known = dict(source.known)
        for owner in source.missing:
            of = words_for(owner.refers_to[0])
            first = f"{parameter.name} depends on {with_article(of)}. Choose the {of} first."
            id_ = await _choose(context, source.tool, owner, known, {}, name, first, depth + 1, changes)
            if id_ is None:
                return None
            known[owner.name], name = id_, ""
            for one in tool.parameters:
                is_owner = one is not parameter and set(one.refers_to) & set(owner.refers_to)
                if is_owner and one.required and not raw.get(one.name):
                    owners[one.name] = id_
        rows: IdRows = ListedIds(session, IdSource(source.tool, source.types, known, (), source.words))
    else:
        why = why or f"No tool lists {kind} ids. Choose one from earlier results, or type it."
        rows = IdRows(session, tool, parameter.refers_to)
    id_ = await context.app.push_screen_wait(PickDialog(f"Choose {with_article(kind)}", why, rows, name, changes=changes))
    name = next((row.name for row in rows.rows if row.id == id_), "")
    session.names.note({id_: name} if id_ and name else {})  # so the field can show whose id it is
    return id_
