"""The rows of the tool tree, as values."""

from __future__ import annotations

from typing import NamedTuple

from registry.catalog.listing import ToolSummary
from tui.explorer.finder import Found
from tui.keyboard.commands import Command


class Branch(NamedTuple):
    """A toolkit (no group) or a group of one."""

    toolkit: str
    group: str
    title: str
    tools: int


class Leaf(NamedTuple):
    """A tool; its search result during a search; and the title of its branch if it is a favourite or a recent tool.

    `alone` says that no heading names its resource.
    """

    tool: ToolSummary
    found: Found | None = None
    shortcut: str = ""
    alone: bool = True


class Head(NamedTuple):
    """The heading of a resource's tools, or an empty line above a toolkit; the cursor skips it."""

    toolkit: str
    group: str
    title: str


class Note(NamedTuple):
    """What a toolkit needs before its tools can be run."""

    toolkit: str
    text: str


class CommandRow(NamedTuple):
    """A command whose title was typed."""

    command: Command


class Offer(NamedTuple):
    """A document that could be added as a toolkit."""

    source: str


Row = Branch | Leaf | Head | Note | CommandRow | Offer
