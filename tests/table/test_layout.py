"""How wide columns are, and which of them are in sight."""

from __future__ import annotations

from rich.cells import cell_len

from tests.hostile import LONG
from tui.table.layout import ColumnPosition, fitted, in_sight, widths


def test_everything_fits_and_what_is_long_gets_the_rest() -> None:
    assert widths([10, 20], 80) == [10, 20]
    assert widths([10, 100], 80) == [10, 68]
    assert widths([10, 40, 40], 200) == [10, 40, 40]
    assert widths([], 80) == []


def test_where_it_does_not_fit_columns_are_cut_so_that_more_are_in_sight() -> None:
    cut = widths([18, 60, 60, 16, 16, 16], 76)
    assert cut == [18, 19, 19, 16, 16, 16]
    assert len(in_sight(cut, 76, 1)) == 4
    assert widths([60, 60, 60], 30)[0] == 15


def test_the_first_column_stays_and_the_others_pass_by() -> None:
    wide = [10, 10, 10, 10, 10]
    assert in_sight(wide, 34, 1) == [ColumnPosition(0, 0, 10), ColumnPosition(1, 12, 10), ColumnPosition(2, 24, 10)]
    assert in_sight(wide, 34, 3) == [ColumnPosition(0, 0, 10), ColumnPosition(3, 12, 10), ColumnPosition(4, 24, 10)]
    assert in_sight(wide, 44, 1)[-1] == ColumnPosition(3, 36, 8), "the last one may be cut"
    assert in_sight(wide, 40, 1)[-1] == ColumnPosition(2, 24, 10), "but not to nothing"
    assert in_sight(wide, 44, 1, uncut=[3])[-1] == ColumnPosition(2, 24, 10), "numbers are shown whole or not at all"
    assert in_sight([10, 90], 34, 1, uncut=[1])[-1] == ColumnPosition(1, 12, 22), "unless nothing else could be shown"
    assert in_sight([], 40, 1) == []
    assert in_sight([10], 4, 1) == [], "there is no room for anything"


def test_texts_take_exactly_their_cells() -> None:
    for text in ["", "abc", "a" * 50, "東京タワー", "東" * 30, "é\u0301" * 30, "👩‍👧" * 9, *LONG]:
        for width in (0, 1, 2, 7, 20):
            assert cell_len(fitted(text, width)) == width, (text[:20], width)
    assert fitted("abc", 5) == "abc  "
    assert fitted("abc", 5, to_the_right=True) == "  abc"
    assert fitted("abcdef", 5) == "abcd…"
    assert fitted("東京タ", 5) == "東京…"
    assert fitted("東京タ", 4) == "東 …"
