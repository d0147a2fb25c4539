"""A JSON result on screen: rows from its text, folded and unfolded, drawn line by line."""
