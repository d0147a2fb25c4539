"""The query line: runs a query on the document on screen, and shows the output while it is typed.

A text that begins as SQL does is SQL on the list on screen, and its rows are a table; any other is JMESPath on the document.
The document is parsed for this once, in a thread, and freed when the line is closed. Only the newest query counts: older
ones are cancelled and their output is ignored.
"""

import asyncio
import threading

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.suggester import SuggestionReady
from textual.timer import Timer
from textual.widgets import Input

from registry.engines.problems import SqlProblem, is_sql
from registry.json_text import NotJson
from registry.results.query import JsonSource, QueryError, run_query
from registry.results.query_completion import Completion, complete
from registry.results.spool import Cancelled
from registry.text.shown import visible_line
from tui.explorer.table_switch import TableSwitch
from tui.json_view.document import Document, copied
from tui.json_view.sql_query import QueryOutput, SqlQuery
from tui.json_view.view import JsonView
from tui.state.settings import key_of
from tui.widgets.texts import Line, Words

_PAUSE = 0.12  # seconds without a key, after which the query is run
_MOST, _LARGE = 200_000_000, 10_000_000  # bytes of a document
_PLACEHOLDER = "JMESPath (data[?amount > `100`].id) or SQL (select * from items)"
_KEYS = "Enter Keep output · Esc Back · Tab Complete · ↑ History · ^T Insert path"


class QueryLine(Vertical):
    """A query with a short status, and below it completions, errors with their position, or notices."""

    DEFAULT_CSS = """
    QueryLine {
        height: auto;
        display: none;
        background: $surface;
        &.-open { display: block; }
        Horizontal { height: 1; }
        Line { width: 1fr; background: $surface; }
        Line.-textual-compact { padding: 0 1; }
        Line:focus { background: $panel; }
        Static { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; color: $foreground-muted; }
        #gave { width: auto; max-width: 40%; }
        #beside { width: 1fr; height: auto; max-height: 3; }
        #beside.-wrong { color: $text-error; text-wrap: wrap; }
        #beside.-notice { color: $text-warning; text-wrap: wrap; }
    }
    """

    BINDINGS = [
        Binding("tab", "complete", "Complete", show=False),
        Binding("up", "earlier(-1)", "Earlier", show=False),
        Binding("down", "earlier(1)", "Later", show=False),
        Binding("ctrl+t", "path", "Path of the row", key_display="^T"),
        Binding("escape", "leave", "Back", key_display="Esc"),
    ]

    def __init__(self, view: JsonView, output: TableSwitch) -> None:
        """Make it; `view` shows what is queried, and `output` has its list and shows rows."""
        super().__init__(id="query")
        self._view, self._output = view, output
        self._sql: SqlQuery | None = None
        self._document: Document | None = None
        self._source: JsonSource | None = None
        self._stop = threading.Event()
        self._pause: Timer | None = None
        self._completion: Completion | None = None
        self._keep_soon = False
        self._path = ""
        self._history: list[str] = []
        self._back = 0

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Line(placeholder=_PLACEHOLDER, compact=True)
            yield Words(id="gave")
        yield Words(id="beside")

    @property
    def _line(self) -> Line:
        return self.query_one(Line)

    def open(self) -> None:
        """Query what the view shows. If that is a query's output already, its query is in the line again, to continue with."""
        view = self._view
        self._back = len(self._history)
        self.add_class("-open")
        self._line.focus()
        state = view.whole
        if state is None:
            self._tell("No result to query yet. Run the tool first.", "-wrong")
            return
        self._path = copied(state.document, state.row, "query")
        if view.shows_output and self._history:
            self._line.value = self._history[-1]
            self._line.action_end()
        if self._document is not state.document or self._source is None:
            self._release()
            self._document = state.document
            self._sql = SqlQuery(self._output.items)
            self._read(state.document)
        else:
            self._ask()

    def close(self) -> None:
        """Hide the line and free what it holds."""
        self.remove_class("-open")
        self._stop.set()
        if self._pause is not None:
            self._pause.stop()
        self._line.value = ""
        self._release()

    def on_unmount(self) -> None:
        self._stop.set()
        self._release()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._stop.set()
        if self._pause is not None:
            self._pause.stop()
        if self.has_class("-open"):
            self._pause = self.set_timer(_PAUSE, self._ask)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep the output in the document's place; with an empty query, show the document again."""
        event.stop()
        if event.value.strip():
            self._ask(keep=True)
        else:
            self.action_leave()

    def action_earlier(self, step: int) -> None:
        self._back = max(0, min(self._back + step, len(self._history)))
        self._line.value = self._history[self._back] if self._back < len(self._history) else ""
        self._line.action_end()

    def action_path(self) -> None:
        self._line.insert_text_at_cursor(self._path)

    def action_leave(self) -> None:
        self._show_result()
        self.close()
        self._output.focus()

    @work(group="query source", exclusive=True, exit_on_error=False)
    async def _read(self, document: Document) -> None:
        """Parse the document, so that it can be queried."""
        size = len(document.rows.text)
        self._gave("")
        if size > _MOST:
            sizes = f"{size / 1e6:,.0f} MB (limit {_MOST / 1e6:,.0f} MB)"
            way = f"Save it (Esc, {key_of(self.app, 'export')}) and query the file with callboard sql or jq."
            self._tell(f"The result is too large to query: {sizes}. {way}", "-wrong")
            return
        if size > _LARGE:
            self._gave("loading…")
            self._tell(f"Loading {size / 1e6:,.0f} MB takes a few seconds. You can keep typing.", "-notice")
        try:
            source = await asyncio.to_thread(JsonSource, document.rows.text)
        except NotJson as error:
            self._tell(f"This result cannot be queried: {visible_line(str(error))}", "-wrong")
            return
        if self._document is document and self.has_class("-open"):
            self._source = source
            self._ask(keep=self._keep_soon)

    def _ask(self, *, keep: bool = False) -> None:
        if self._pause is not None:
            self._pause.stop()
        self._stop.set()
        self._stop = threading.Event()
        line = self._line
        self._keep_soon = keep and self._source is None
        if self.has_class("-open") and (self._source is not None or is_sql(line.value)):
            # Keys pressed after the one that keeps the output wait until the output has the focus.
            self.run_worker(
                self._carry_out(line.value, line.cursor_position, self._stop, keep),
                group="keep" if keep else "query",
                exclusive=True,
                exit_on_error=False,
            )

    async def _carry_out(self, query: str, cursor: int, stop: threading.Event, keep: bool) -> None:
        """Run a query, and show its output, or what is wrong with it; the completions meanwhile."""
        output, view = self._output, self._view
        if self.query_one("#beside", Words).classes & {"-wrong", "-notice"}:
            self._tell("", "")  # about an earlier query
        try:
            completion = await self._complete(query, cursor, stop)
            if stop.is_set():
                return
            self._offer(completion, query)
            self._gave("…")
            if not query.strip():
                self._gave("")
                self._show_result()
                return
            if is_sql(query) and self._sql is not None:
                found = await self._sql.run(query)
            elif self._source is not None:
                found = await asyncio.to_thread(_run_query, self._source, query, stop)
            else:
                return
        except Cancelled:
            return
        except (QueryError, SqlProblem) as mistake:
            if not stop.is_set():
                self._gave("")
                self._explain(mistake, query)
            return
        if stop.is_set():
            return
        output.begin()
        view.show_output(found.document, visible_line(query))
        if found.rows is None:
            output.show_document()
        else:
            await output.show_rows(found.rows)
        if stop.is_set():
            return
        self._gave(found.words)
        if keep:
            self._history = [one for one in self._history if one != query] + [query]
            self.close()
            self._output.focus()
        elif not (completion.choices and completion.start < cursor):
            self._point(visible_line(found.notice) or _KEYS, found.position, "-notice" if found.notice else "")

    async def _complete(self, query: str, cursor: int, stop: threading.Event) -> Completion:
        if is_sql(query) and self._sql is not None:
            if not self._sql.columns:
                self._gave("loading…")
                await self._sql.load()
            return self._sql.completion(query, cursor)
        self._gave("…")
        source = self._source
        return (
            await asyncio.to_thread(complete, source, query, cursor, stop.is_set) if source is not None else Completion(cursor)
        )

    def _explain(self, mistake: QueryError | SqlProblem, query: str) -> None:
        """Show what is wrong; while the mistake is at the end of the query, completions are more useful."""
        typing = mistake.unfinished
        if isinstance(mistake, SqlProblem) and mistake.kind == "query":
            typing = mistake.position is None or not query[mistake.position :].strip().count(" ")
        if not typing or self._completion is None or not self._completion.choices:
            words = mistake.words if isinstance(mistake, QueryError) else str(mistake)
            self._point(visible_line(words), mistake.position, "" if mistake.unfinished else "-wrong")

    def _show_result(self) -> None:
        if self._view.shows_output:
            self._view.show_whole()
        self._output.show_result()

    def _offer(self, completion: Completion, query: str) -> None:
        """Show the completions, the first one after the cursor as well."""
        self._completion = completion
        first, *others = [visible_line(choice.shown) for choice in completion.choices] or [""]
        if not first:
            self._tell(_KEYS if not query.strip() else "", "")
            return
        parts = [Content.styled("Tab ", "$text-accent"), Content.styled(first, "bold $text-accent")]
        parts += [Content(f"  {other}") for other in others[:30]]
        self._tell(Content.assemble(*parts), "")
        line = self._line
        whole = query[: completion.start] + visible_line(completion.choices[0].text)
        if line.cursor_position == len(query) and whole.startswith(query) and query:
            line.post_message(SuggestionReady(query, whole))

    def action_complete(self) -> None:
        if self._completion is None or not self._completion.choices:
            return
        line, start = self._line, self._completion.start
        text = self._completion.choices[0].text
        line.value = line.value[:start] + text + line.value[line.cursor_position :]
        line.cursor_position = start + len(visible_line(text))
        self._completion = None

    def _point(self, words: str, position: int | None, style: str) -> None:
        """Show a message about a letter of the query, with a mark below it if the letter is visible."""
        if position is None:
            self._tell(words, style)
            return
        column = position - self._line.scroll_offset.x
        fits = column + 2 + len(words) <= self.size.width - 2
        self._tell(f"{' ' * column}▲{' ' if fits else chr(10)}{words}" if column >= 0 else words, style)

    def _tell(self, words: str | Content, style: str) -> None:
        beside = self.query_one("#beside", Words)
        beside.set_class(style == "-wrong", "-wrong")
        beside.set_class(style == "-notice", "-notice")
        beside.update(Content(words) if isinstance(words, str) else words)

    def _gave(self, words: str) -> None:
        self.query_one("#gave", Words).update(Content(words))

    def _release(self) -> None:
        self._source = self._document = self._completion = None
        sql, self._sql = self._sql, None
        if sql is not None:
            sql.close()


def _run_query(source: JsonSource, query: str, stop: threading.Event) -> QueryOutput:
    """The output of a query, and its rows to be shown."""
    result = run_query(source, query, stop.is_set)
    return QueryOutput(Document(result.text), result.words, notice=result.notice, position=result.position)
