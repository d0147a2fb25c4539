"""A list of items as a table: columns found in the data, cells fit to show, an order, a choice of rows. No screen."""
