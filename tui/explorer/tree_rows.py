"""The rows of the tool tree, as values."""

from __future__ import annotations

from dataclasses import dataclass

from registry.catalog.listing import ToolSummary
from tui.explorer.finder import Found
from tui.keyboard.commands import Command


@dataclass(frozen=True, slots=True)
class Branch:
    """A toolkit (no group) or a group of one."""

    toolkit: str
    group: str
    title: str
    count: int


@dataclass(frozen=True, slots=True)
class Leaf:
    """A tool; its search result during a search; and the title of its branch if it is a favourite or a recent tool.

    `alone` says that no heading names its resource.
    """

    tool: ToolSummary
    found: Found | None = None
    shortcut: str = ""
    alone: bool = True


@dataclass(frozen=True, slots=True)
class Head:
    """The heading of a resource's tools, or an empty line above a toolkit; the cursor skips it."""

    toolkit: str
    group: str
    title: str


@dataclass(frozen=True, slots=True)
class Note:
    """What a toolkit needs before its tools can be run."""

    toolkit: str
    text: str


@dataclass(frozen=True, slots=True)
class CommandRow:
    """A command whose title was typed."""

    command: Command


@dataclass(frozen=True, slots=True)
class Offer:
    """A document that could be added as a toolkit."""

    source: str


Row = Branch | Leaf | Head | Note | CommandRow | Offer
