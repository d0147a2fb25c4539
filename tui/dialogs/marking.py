"""Dialogs with a list in which any number of rows can be marked: Space marks the one at the cursor, Enter returns them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence

from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tui.dialogs.dialog import Dialog
from tui.widgets.scrolling import Rows


class MarkingDialog(Dialog[frozenset[str]]):
    """Returns the keys of the marked rows.

    Args:
        keys: the keys of the rows, in order.
        marked: the keys of the rows that are marked at first.
    """

    BINDINGS = [Binding("space", "mark", "Mark")]

    def __init__(self, keys: Sequence[str], marked: Iterable[str]) -> None:
        super().__init__()
        self._keys = keys
        self._marked = set(marked)

    def on_mount(self) -> None:
        """Focus the list."""
        self.query_one(OptionList).focus()

    def action_mark(self) -> None:
        """Mark or unmark the row at the cursor."""
        place = self.query_one(OptionList).highlighted
        if place is not None:
            self._mark(self._marked ^ {self._keys[place]})

    def action_take(self) -> None:
        """Return the marked rows."""
        self.dismiss(frozenset(self._marked))

    @abstractmethod
    def _words(self, place: int) -> Content:
        """The words of a row after its mark."""

    def _rows(self) -> Rows:
        """The list."""
        return Rows(*(Option(self._row(place)) for place in range(len(self._keys))), compact=True)

    def _row(self, place: int) -> Content:
        return Content.assemble("[×] " if self._keys[place] in self._marked else "[ ] ", self._words(place))

    def _mark(self, marked: set[str]) -> None:
        """Mark only these rows."""
        self._marked = marked
        for place in range(len(self._keys)):
            self.query_one(OptionList).replace_option_prompt_at_index(place, self._row(place))
