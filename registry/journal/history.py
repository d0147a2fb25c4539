"""The history of calls: every call with its arguments and its result, to search, open and repeat.

Words are found by a full-text index (FTS5).
"""

import re
import sqlite3
from collections.abc import Sequence

from registry.catalog.model import Tool
from registry.journal.entries import REQUEST, Entry, KnownObject, RecordedResult, SearchQuery, entry_of, recalled
from registry.journal.recorder import CallRecorder
from registry.journal.seen import SeenObject
from registry.journal.store import JournalError, storable
from registry.text.shown import local_moment

_WORD = re.compile(r"\w+")


class History(CallRecorder):
    """The history in one file. What reads or deletes raises `JournalError` if the file cannot be used."""

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
        return [
            KnownObject(REQUEST, id_, f"Request {id_}, {one.outcome} {local_moment(one.at)}", one.tool, one.arguments)
            for one in self.search(SearchQuery((id_,)))
            if id_ in one.request_ids
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
        return self._delete(["DELETE FROM calls WHERE id = ?"], number) > 0

    def forget_all(self) -> None:
        """Delete everything. A damaged file is removed."""
        try:
            self._delete([f"DELETE FROM {table}" for table in ("calls", "answers", "ids", "words")])
        except JournalError as error:
            if not error.damaged:
                raise
            self._store.remove()

    def _delete(self, statements: Sequence[str], *values: object) -> int:
        """Delete rows, so that their content is in no file; returns how many the last statement deleted."""
        self.flush()
        with self._store.reading() as database:
            with database:
                count = [database.execute(statement, values).rowcount for statement in statements][-1]
                # Until then the index only marks the words as deleted.
                database.execute("INSERT INTO words(words) VALUES ('optimize')")
            if not values:
                database.execute("VACUUM")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return count


def _literally(text: str) -> str:
    return re.sub(r"([%_\\])", r"\\\1", text)
