"""A list of items on screen as a table: a cursor on a cell, columns to choose, rows sorted, filtered and marked."""
