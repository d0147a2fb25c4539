"""Some items of a list in an order of their own, read when needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload


class SelectedItems(Sequence[bytes]):
    """The items at these indexes."""

    def __init__(self, items: Sequence[bytes], places: Sequence[int]) -> None:
        self._items = items
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> bytes: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[bytes]: ...
    def __getitem__(self, place: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(place, slice):
            return SelectedItems(self._items, self._places[place])
        return self._items[self._places[place]]
