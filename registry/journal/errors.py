"""The journal's error, in its own module, so that screens need not import the journal."""

from __future__ import annotations


class JournalError(Exception):
    """The journal cannot be read or changed; the text says why, and which file it is."""
