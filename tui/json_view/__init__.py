"""A JSON answer on screen: rows made from its text, folded and unfolded, drawn line by line."""
