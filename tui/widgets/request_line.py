"""The exact request that the form will send, updated while it is filled."""

from __future__ import annotations

import re

from textual import events
from textual.content import Content

from registry.calling.request import Preview
from registry.text.safe_text import visible
from tui.widgets.broken_words import broken
from tui.widgets.words import Words

_METHODS = {
    "GET": "$text",
    "HEAD": "$text-success",
    "POST": "$text-warning",
    "PUT": "$text-warning",
    "PATCH": "$text-warning",
    "DELETE": "$text-error",
}
_NARROW = 40
"""Below this width in columns, a request is broken at its slashes and parameters, and not at any letter."""


def request_line(preview: Preview, *, whole: bool = True, width: int = 0) -> Content:
    """A request in colours: method, host, path, query, body. Missing parts are highlighted.

    Without `whole` it is one line: host and body are left out. With a `width` below 40 columns no line is longer than
    that, as far as slashes and parameters allow.
    """
    host, slashes, rest = preview.url.partition("//")
    server, _, path = rest.partition("/")
    path, question, query = path.partition("?")
    narrow = whole and 0 < width < _NARROW
    parts = [
        Content.styled(preview.method + (" " if not narrow else "\n"), f"bold {_METHODS.get(preview.method, '$text')}"),
        Content.styled(visible(host + slashes + server) + "\n" if whole else "", "$foreground-muted"),
    ]
    column = 0
    for step in ("/" + path).split("/")[1:]:
        missing = "{" in step  # braces in a value are percent-encoded
        shown = visible(step)
        if narrow and column and column + 1 + len(shown) > width:
            parts.append(Content("\n"))
            column = 0
        column += 1 + len(shown)
        parts.append(Content.styled("/", "$foreground-muted"))
        parts.append(Content.styled(shown, "bold $text-warning" if missing else "$text"))
    if question:
        asked = "?" + visible(query)
        parts.append(Content.styled("\n" + re.sub(r"(?<=.)&", "\n&", asked) if narrow else asked, "$text-accent"))
    if preview.body is not None and whole:
        parts.append(Content.styled("\n" + visible(preview.body), "$foreground-muted"))
    line = Content.assemble(*parts)
    return broken(line, width) if narrow else line


class RequestLine(Words):
    """The request below the form."""

    _preview: Preview | None = None

    def show(self, preview: Preview | None) -> None:
        """Show a request, or nothing."""
        self._preview = preview
        self.update(request_line(preview, width=self.size.width) if preview is not None else "")

    def on_resize(self, event: events.Resize) -> None:
        """Break the request again for the new width."""
        self.show(self._preview)
