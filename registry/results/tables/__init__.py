"""A list of items as a table: columns found in the data, cells safe to show, sorting and filtering. No screen."""
