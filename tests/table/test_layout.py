"""How wide columns are, and which of them are in sight."""

from tui.table.layout import ColumnPosition, in_sight, widths


def test_everything_fits_and_what_is_long_gets_the_rest() -> None:
    assert widths([10, 20], 80) == [10, 20]
    assert widths([10, 100], 80) == [10, 68]
    assert widths([10, 40, 40], 200) == [10, 40, 40]
    assert widths([], 80) == []


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
