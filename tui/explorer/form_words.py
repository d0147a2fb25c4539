"""The texts above and between the fields of a form."""

from __future__ import annotations

from textual.content import Content

from registry.catalog.listing import EFFECT_SIGNS
from registry.catalog.model import Parameter, Tool
from tui.explorer.toolkit_tree import WORDS


def paging_title(parameters: list[Parameter]) -> str:
    """The title of the folded paging and expand fields."""
    has_pages = any(parameter.role != "expand" for parameter in parameters)
    has_expand = any(parameter.role == "expand" for parameter in parameters)
    return "Paging and expand" if has_pages and has_expand else "Paging" if has_pages else "Expand"


def facts(tool: Tool) -> Content:
    """What a tool does, its rule, and whether it is deprecated."""
    colour = "$text-error" if tool.effect == "delete" else "$text-warning"
    parts = [
        Content.styled(tool.name, "$text-muted"),
        Content.styled(f"  {EFFECT_SIGNS[tool.effect]} {WORDS[tool.effect]}" if tool.effect != "read" else "", colour),
        Content(f"\n{tool.summary}"),
    ]
    if tool.rule:
        parts.append(Content.styled(f"\n{tool.rule}", "$text-error" if tool.effect == "delete" else "$text"))
    if tool.deprecated:
        parts.append(Content.styled(f"\n† Deprecated. Use {tool.use_instead}.", "$text-warning"))
    return Content.assemble(*parts)


def invitation(accounts: str) -> Content:
    """The text instead of a form while no tool is open; `accounts` is the key that leads to them."""
    where = f"{accounts} shows the account of each toolkit."
    return Content.assemble(_INVITATION, Content.styled(where, "$foreground-muted"))


_INVITATION = Content.assemble(
    Content.styled("Open a tool to see its form.\n\n", "bold"),
    Content("Type a few letters of what you need: "),
    Content.styled("cust cards", "$text-accent"),
    Content(", "),
    Content.styled("delinv", "$text-accent"),
    Content(", "),
    Content.styled("who is on call", "$text-accent"),
    Content(". Then press Enter.\n\n"),
)
