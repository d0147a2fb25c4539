"""The record of a help text."""

from __future__ import annotations

from typing import NamedTuple


class About(NamedTuple):
    """The help text of one widget.

    Attributes:
        title: the name of the widget.
        text: what it does; ``{id}`` stands for the key of the command with that id.
        keys: keys that are not commands, each with what it does here.
        words: signs and words that it shows, each with what it means.
    """

    title: str
    text: str = ""
    keys: tuple[tuple[str, str], ...] = ()
    words: tuple[tuple[str, str], ...] = ()
