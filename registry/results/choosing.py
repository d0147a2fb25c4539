"""The items of pages as rows for choosing an id: the id, and the most informative other columns."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from registry.calling.result import id_of, listing_in
from registry.json_text import NotJson, read_json
from registry.results.columns import CellReader, Column, columns_in, sample
from registry.results.declared import Texts


class Candidate(NamedTuple):
    """An id, and the words of the other columns; safe to show."""

    id: str
    cells: tuple[str, ...]

    @property
    def name(self) -> str:
        """The most informative words; may be empty."""
        return next(filter(None, self.cells), "")

    @property
    def texts(self) -> tuple[str, ...]:
        """All its words, the most informative first."""
        return (*self.cells, self.id)


class Candidates:
    """Rows from several pages, each id once. The first page with rows decides which of the `declared` columns are shown."""

    def __init__(self, holds: Callable[[object], bool], declared: Mapping[str, Texts]) -> None:
        self.rows: list[Candidate] = []
        self.titles: tuple[str, ...] = ()
        self._holds, self._declared = holds, declared
        self._columns: list[Column] | None = None

    def add(self, body: bytes, at: str | None = None) -> None:
        """Add the items of a page, whose list is at the path `at`; a response without a list adds nothing."""
        try:
            listing = listing_in(body, at)
        except NotJson:
            return
        items = [bytes(item) for item in listing.items if self._holds(read_json(item))] if listing is not None else []
        if self._columns is None and items:
            columns = [column for column in columns_in(sample(items), self._declared).first if column.path != ("id",)]
            cells = zip(*map(CellReader(columns).cells, items), strict=True)
            # Only columns with a value in at least half of the rows: the space of the others is better used for names.
            filled = [sum(one.kind != "nothing" and bool(one.text) for one in column) for column in cells]
            self._columns = [column for column, count in zip(columns, filled, strict=False) if 2 * count >= len(items)]
            self.titles = tuple(column.title for column in self._columns)
        reader = CellReader(self._columns or [])
        there = {row.id for row in self.rows}
        for item in items:
            text = id_of(item)
            id_ = str(read_json(text)) if text is not None else ""
            if id_ and id_ not in there:
                there.add(id_)
                self.rows.append(Candidate(id_, tuple("" if one.kind == "nothing" else one.text for one in reader.cells(item))))
