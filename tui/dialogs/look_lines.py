"""Draws a check for dialogs: in colours, with an empty line between its parts."""

from __future__ import annotations

from textual.content import Content

from registry.changes.check_lines import Kind, Line

_STYLES: dict[Kind, tuple[str, str]] = {
    "rule": ("", "$text"),
    "holds": ("✓ ", "$text-success"),
    "broken": ("✗ ", "bold $text-error"),
    "unknown": ("? ", "$text-warning"),
    "goes along": ("• ", "bold"),
    "none": ("· ", "$foreground-muted"),
    "final": ("! ", "bold $text-error"),
}
_PARTS: dict[Kind, str] = {"holds": "rule", "broken": "rule", "unknown": "rule", "none": "goes along"}


def look_lines(lines: list[Line]) -> Content:
    """The lines of a check, with an empty line between the parts."""
    width = max((len(line.name) for line in lines), default=0) + 2
    parts: list[Content] = []
    part = _part(lines[0]) if lines else ""
    for line in lines:
        if _part(line) != part:
            parts.append(Content(""))
            part = _part(line)
        parts.append(_content(line, width))
    return Content("\n").join(parts)


def _part(line: Line) -> str:
    return _PARTS.get(line.kind, line.kind)


def _content(line: Line, width: int) -> Content:
    if line.kind == "difference":
        before, arrow, after = line.words.rpartition(" → ")
        words = Content.assemble(Content.styled(before + arrow, "$foreground-muted"), Content.styled(after, "bold"))
        return Content.assemble(Content.styled(f"{line.name:<{width}}", "$foreground-muted"), words)
    if line.name:
        return Content.assemble(Content.styled(f"{line.name:<{width}}", "$foreground-muted"), Content(line.words))
    sign, style = _STYLES[line.kind]
    return Content.assemble(Content.styled(sign, style), Content.styled(line.words, style))
