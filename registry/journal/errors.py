"""What goes wrong with the journal of calls; apart from what keeps it, so that screens need not import that."""

from __future__ import annotations


class JournalError(Exception):
    """The journal cannot be read or changed; the text says why, and which file it is."""
