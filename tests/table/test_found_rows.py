"""The rows of what was found, in a list as narrow as the tools beside a form and a result."""

from __future__ import annotations

from registry.catalog.listing import table_of_contents
from tui.explorer.finder import Found
from tui.explorer.found_rows import Part, columns_of, row_of


def test_no_two_titles_are_cut_to_the_same_row() -> None:
    tool = next(iter(table_of_contents()))
    titles = (
        "Customers, of the last 90 days",
        "Subscriptions that are past due, of the last 90 days",
        "Subscriptions on trial, of the last 90 days",
        "Payments that wait for the customer (3D Secure), of the last 90 days",
    )
    found = [Found(tool, raw={}, title=title) for title in titles]
    columns = columns_of(found, 24)
    rows = {"".join(part.text for part in row_of(one, columns, 24, here=False, sign=Part("■", ""))) for one in found}
    assert len(rows) == len(titles)
    assert max(map(len, rows)) <= 24
