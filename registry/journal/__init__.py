"""Storage of calls and changes: history, audit log, drafts, ids."""
