"""Reading a result: as a table, as one sentence, by a query, compared, exported, fetched whole."""
