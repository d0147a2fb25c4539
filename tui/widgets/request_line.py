"""The exact request that the form stands for, kept up to date while it is filled."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from registry.calling.request import Preview
from registry.display.safe_text import visible

_METHODS = {
    "GET": "$text",
    "HEAD": "$text-success",
    "POST": "$text-warning",
    "PUT": "$text-warning",
    "PATCH": "$text-warning",
    "DELETE": "$text-error",
}


def request_line(preview: Preview, *, whole: bool = True) -> Content:
    """A request in colours: method, host, path, query, body. What is still missing stands out.

    Without `whole` it is one line: host and body are left out.
    """
    host, slashes, rest = preview.url.partition("//")
    server, _, path = rest.partition("/")
    path, question, query = path.partition("?")
    parts = [
        Content.styled(preview.method + " ", f"bold {_METHODS.get(preview.method, '$text')}"),
        Content.styled(visible(host + slashes + server) + "\n" if whole else "", "$foreground-muted"),
    ]
    for step in ("/" + path).split("/")[1:]:
        parts.append(Content.styled("/", "$foreground-muted"))
        missing = "{" in step  # what a value has of braces is percent-encoded
        parts.append(Content.styled(visible(step), "bold $text-warning" if missing else "$text"))
    if question:
        parts.append(Content.styled("?" + visible(query), "$text-accent"))
    if preview.body is not None and whole:
        parts.append(Content.styled("\n" + visible(preview.body), "$foreground-muted"))
    return Content.assemble(*parts)


class RequestLine(Static):
    """The request below the form."""

    def show(self, preview: Preview | None) -> None:
        """Show a request, or nothing."""
        self.update(request_line(preview) if preview is not None else "")
