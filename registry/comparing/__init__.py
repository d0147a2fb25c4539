"""Two answers side by side: what was added, removed, changed and moved from one to the other."""
