"""Which object an id in an answer belongs to, and which tools lead there. Reads no answer whole and calls nothing."""
