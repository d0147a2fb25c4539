"""The table of contents of the catalogue: what the tree and the search of tools show."""

from __future__ import annotations

from typing import NamedTuple

from registry.catalog.folders import Found, of_folders
from registry.catalog.loader import folders, load
from registry.catalog.titles import ToolTitle, titles_of

EFFECT_SIGNS = {"read": " ", "write": "+", "delete": "×"}
"""The sign in front of a tool, by its effect."""

NO_SIGN = "□"


class ToolSummary(NamedTuple):
    """One tool in the table of contents.

    `name` is unique in the catalogue. `effect` is ``read``, ``write`` or ``delete``; `objects` are the types in its response.
    `title` is its name on screen.
    """

    toolkit: str
    group: str
    name: str
    operation: str
    summary: str
    effect: str
    deprecated: bool
    objects: tuple[str, ...]
    title: ToolTitle = ToolTitle()


class ToolkitTitle(NamedTuple):
    """A toolkit in the table of contents.

    `variables` are the ways to set a credential in the environment; `sign` and `hue` are as in `Service`; `version` is empty
    if the toolkit names none; `kept`: the user added it.
    """

    name: str
    title: str
    summary: str
    variables: tuple[tuple[str, ...], ...] = ()
    sign: str = NO_SIGN
    hue: str = ""
    version: str = ""
    kept: bool = False

    @property
    def named(self) -> str:
        """Its title, with the version if there is one."""
        return f"{self.title} {self.version}".rstrip()


@of_folders
def table_of_contents(found: Found) -> tuple[ToolSummary, ...]:
    """Every tool, in display order."""
    tools = load(found).tools.values()
    titles = {
        toolkit: titles_of([tool for tool in tools if tool.toolkit == toolkit], folder.path)
        for toolkit, folder in folders(found).items()
    }
    return tuple(
        ToolSummary(
            *(tool.toolkit, tool.group, tool.name, tool.operation, tool.summary, tool.effect, tool.deprecated),
            *(tool.returns.objects, titles[tool.toolkit][tool.own_name]),
        )
        for tool in tools
    )


@of_folders
def toolkit_titles(found: Found) -> tuple[ToolkitTitle, ...]:
    """The toolkits in display order."""
    of = folders(found)
    return tuple(
        ToolkitTitle(
            *(one.toolkit, one.title, one.summary, tuple(way.variables for way in one.authentication)),
            *(one.sign, one.hue or "", one.version or "", of[one.toolkit].kept),
        )
        for one in load(found).toolkits.values()
    )
