"""The history of calls: every call with its arguments and its result, to search, open and repeat.

Only the user can read it (mode 0600); it holds no known secret, and is bounded in entries and in bytes. A thread records calls
after they ended, in order, so that no call waits for the disk. A full disk or a damaged file switches the history off, with a
notice. Several programs may write at once.

Words are found by a full-text index (FTS5).
"""

import re
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

from registry.accounts.connection import Connection
from registry.calling.result import Result
from registry.catalog.model import Tool
from registry.files.folders import reason
from registry.journal.schema import SCHEMA, Entry, RecordedResult, SearchQuery, SeenObject, entry_of, recalled, written
from registry.journal.store import JournalError, Store, insertion, storable
from registry.references.naming import REQUEST, KnownObject
from registry.text.shown import local_moment

_MOST, _MOST_BYTES, _MOST_IDS, _MOST_WAITING = 100_000, 256_000_000, 50_000, 500
_SHARE = 20
_WORD = re.compile(r"\w+")


class History:
    """The history in one file. What reads or deletes raises `JournalError` if the file cannot be used.

    It holds at most so many calls and bytes: the oldest results are removed first, then the oldest calls. `tell` is called,
    from any thread, with the reason if calls are no longer recorded.
    """

    def __init__(
        self,
        file: Path,
        *,
        most: int = _MOST,
        most_bytes: int = _MOST_BYTES,
        tell: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._store = Store(file, SCHEMA, "the history", reads_beside_writes=True)
        self._most, self._most_bytes, self._tell = most, most_bytes, tell
        self._writer = ThreadPoolExecutor(1, "journal")
        self._database: sqlite3.Connection | None = None  # the writer's
        self._waiting: deque[Future[None]] = deque()
        self.notice = ""
        """Why calls are no longer recorded; empty while they are."""

    # Writing

    def note(self, tool: Tool, connection: Connection, result: Result, is_part: bool = False) -> None:
        """Record a call that has ended soon; returns at once. `is_part`: it fetched one page of a whole list."""
        while self._waiting and self._waiting[0].done():
            self._waiting.popleft()
        if len(self._waiting) >= _MOST_WAITING and not self.notice:
            self._switch_off(f"{self._store.file}: the disk is too slow")
        if not self.notice:
            self._waiting.append(self._writer.submit(self._record, tool, connection, result, is_part))

    def flush(self, patience: float = 3.0) -> bool:
        """Wait up to `patience` seconds until the noted calls are recorded; returns whether they are. Blocks."""
        return not wait(list(self._waiting), patience).not_done

    def close(self) -> None:
        """Record pending calls, and end the thread. Blocks."""
        if self.flush() and self._database is not None:
            self._database.close()
            self._database = None
        self._writer.shutdown(wait=False, cancel_futures=True)
        self._writer = ThreadPoolExecutor(1, "journal")  # for a call that ends later

    def _record(self, tool: Tool, connection: Connection, result: Result, is_part: bool) -> None:
        if self.notice:
            return
        try:
            row, words, body, seen = written(tool, connection, result, is_part)
            if self._database is None:
                self._database = self._store.open()
            with self._database as database:
                database.execute("BEGIN IMMEDIATE")
                number = database.execute(insertion("calls", row), row).lastrowid or 0
                named = {"rowid": number, **words}
                database.execute(insertion("words", named), named)
                if body is not None:
                    database.execute("INSERT INTO answers (call, body) VALUES (?, ?)", (number, body))
                database.executemany(_SEEN, [{**one._asdict(), **row, "call": number} for one in seen])
                if seen:
                    database.execute("DELETE FROM ids WHERE place <= (SELECT max(place) FROM ids) - ?", (_MOST_IDS,))
                database.execute("DELETE FROM calls WHERE id <= ?", (number - self._most,))
                names = ("page_count", "freelist_count", "page_size")
                pages, free, page = (int(database.execute(f"PRAGMA {name}").fetchone()[0]) for name in names)
                if (pages - free) * page > self._most_bytes:
                    _shed(database)
        # Every reason why a call was not recorded is reported; an unexpected error must not end the thread silently.
        except Exception as error:
            self._switch_off(reason(error, self._store.file))

    def _switch_off(self, why: str) -> None:
        self.notice = f"The history cannot be written; calls are no longer recorded: {why}"
        self._tell(self.notice)

    # Reading

    def search(self, wanted: SearchQuery, most: int = 200) -> list[Entry]:
        """The calls that match, newest first, also those noted a moment ago. Blocks."""
        self.flush()
        bounds = [("at >= ?", wanted.since), ("at < ?", wanted.before)]
        found: list[tuple[str, object]] = [(condition, bound) for condition, bound in bounds if bound is not None]
        named = [("tool", wanted.tool), ("connection", wanted.connection), ("outcome", wanted.outcome)]
        named += [("said", word) for word in wanted.words]
        # The words of each text in order, the last one as a prefix.
        texts = [(column, " ".join(_WORD.findall(text.replace("_", " ")))) for column, text in named if _WORD.search(text)]
        if phrases := [f'{column} : "{words}" *' for column, words in texts]:
            found.append(("id IN (SELECT rowid FROM words WHERE words MATCH ?)", " AND ".join(phrases)))
        conditions = " AND ".join(["TRUE", *(condition for condition, _ in found)])
        statement = f"SELECT * FROM calls WHERE {conditions} ORDER BY id DESC LIMIT ?"
        return [entry_of(row) for row in self._rows(statement, *(value for _, value in found), most)]

    def of_request(self, id_: str) -> list[KnownObject]:
        """The calls with a request to which the service gave this id, newest first."""
        found = [one for one in self.search(SearchQuery((id_,))) if id_ in one.request_ids]
        return [
            KnownObject(REQUEST, id_, f"Request {id_}, {one.outcome} {local_moment(one.at)}", one.tool, one.arguments)
            for one in found
        ]

    def entry(self, number: int) -> Entry | None:
        """An entry by its number."""
        return next((entry_of(row) for row in self._rows("SELECT * FROM calls WHERE id = ?", number)), None)

    def recall(self, number: int, tool: Tool | None = None) -> RecordedResult | None:
        """The result of a call; None if it was removed. With `tool`, the position of its page is known."""
        one = "SELECT calls.*, answers.body FROM calls LEFT JOIN answers ON answers.call = calls.id WHERE calls.id = ?"
        return next((recalled(row, tool) for row in self._rows(one, number)), None)

    def kept(self) -> list[tuple[int, str]]:
        """The successful calls whose results are stored, newest first: the number and the tool of each."""
        statement = "SELECT id, tool FROM calls WHERE outcome = 'ok' AND id IN (SELECT call FROM answers) ORDER BY id DESC"
        return [(row[0], row[1]) for row in self._rows(statement)]

    def seen(self, toolkit: str, types: Sequence[str], text: str, connection: str) -> list[tuple[str, str]]:
        """Ids from responses, each with its label: those that begin with a text, or whose label contains it.

        First ids and labels that begin with it, then labels with a word that does; otherwise the newest first.
        """
        marks = ", ".join("?" * len(types))
        matches = "(id LIKE ? ESCAPE '\\' OR label LIKE ? ESCAPE '\\')"
        statement = (
            f"SELECT id, label FROM ids WHERE connection = ? AND toolkit = ? AND type IN ({marks}) AND {matches} "
            f"ORDER BY {matches} DESC, label LIKE ? ESCAPE '\\' DESC, place DESC LIMIT 8"
        )
        plain = _literally(storable(text))
        first, inside, word = f"{plain}%", f"%{plain}%", f"% {plain}%"
        rows = self._rows(statement, connection, toolkit, *types, first, inside, first, first, word)
        return [(row[0], row[1]) for row in rows]

    def ids(self, most: int = 1_000) -> list[str]:
        """The ids in responses, of all accounts, newest first."""
        return [row[0] for row in self._rows("SELECT id FROM ids GROUP BY id ORDER BY max(place) DESC LIMIT ?", most)]

    def labels(self, toolkit: str, ids: Sequence[str], connection: str) -> dict[str, str]:
        """The labels of ids, for those that have one."""
        plain = [storable(id_) for id_ in ids]
        statement = (
            "SELECT id, label FROM ids WHERE connection = ? AND toolkit = ? AND label != '' "
            f"AND id IN ({', '.join('?' * len(plain))}) ORDER BY place"
        )
        return {row[0]: row[1] for row in self._rows(statement, connection, toolkit, *plain)} if plain else {}

    def named(self, words: Sequence[str], most: int = 6) -> list[SeenObject]:
        """Objects from responses whose id is one of the words or whose label has some; most matches first, then newest."""
        if not (plain := [storable(word) for word in words if word]):
            return []
        here = "(id = ? OR ' ' || label LIKE ? ESCAPE '\\' OR label LIKE ? ESCAPE '\\')"
        statement = (
            f"SELECT type, id, label, connection, toolkit FROM ids WHERE {' OR '.join([here] * len(plain))} "
            f"ORDER BY {' + '.join([here] * len(plain))} DESC, label = '', place DESC LIMIT ?"
        )
        # A word begins after a space, or after the @ of an address; in the middle of another word it does not count.
        values = [one for word in plain for one in (word, f"% {_literally(word)}%", f"%@{_literally(word)}%")]
        return [SeenObject(*row) for row in self._rows(statement, *values, *values, most)]

    def _rows(self, statement: str, *values: object) -> list[sqlite3.Row]:
        with self._store.reading() as database:
            return database.execute(statement, values).fetchall()

    # Forgetting

    def forget(self, number: int) -> bool:
        """Delete a call, its result, and the ids last seen in it; returns whether it existed."""
        self.flush()
        return self._delete(["DELETE FROM calls WHERE id = ?"], number) > 0

    def forget_all(self) -> None:
        """Delete everything. A damaged file is removed."""
        self.flush()
        try:
            self._delete([f"DELETE FROM {table}" for table in ("calls", "answers", "ids", "words")])
        except JournalError as error:
            if not error.damaged:
                raise
            self._store.remove()

    def _delete(self, statements: Sequence[str], *values: object) -> int:
        """Delete rows, so that their content is in no file; returns how many the last statement deleted."""
        with self._store.reading() as database:
            with database:
                count = [database.execute(statement, values).rowcount for statement in statements][-1]
                # Until then the index only marks the words as deleted.
                database.execute("INSERT INTO words(words) VALUES ('optimize')")
            if not values:
                database.execute("VACUUM")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return count


_SEEN = """
INSERT OR REPLACE INTO ids (connection, toolkit, type, id, label, seen, call)
SELECT :connection, :toolkit, :type, :id, coalesce(nullif(:label, ''), max(label), ''), :at, :call
FROM ids WHERE connection = :connection AND toolkit = :toolkit AND type = :type AND id = :id
"""


def _literally(text: str) -> str:
    return re.sub(r"([%_\\])", r"\\\1", text)


def _shed(database: sqlite3.Connection) -> None:
    """Delete the oldest results; if there are none, the oldest calls."""
    for table, key in (("answers", "call"), ("calls", "id")):
        count = database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        if count > 1:
            oldest = f"SELECT {key} FROM {table} ORDER BY {key} LIMIT ?"
            database.execute(f"DELETE FROM {table} WHERE {key} IN ({oldest})", (count // _SHARE + 1,))
            return
