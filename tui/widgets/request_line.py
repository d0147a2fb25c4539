"""The exact request that the form will send, updated while it is filled."""

from textual.content import Content

from registry.calling.request import Preview
from registry.text.safe_text import visible

_METHODS = {"GET": "$text", "HEAD": "$text-success", "DELETE": "$text-error"}
_MUTED = "$foreground-muted"


def request_line(preview: Preview, *, whole: bool = True) -> Content:
    """A request in colours: method, host, path, query, body. Missing parts are highlighted.

    Without `whole` it is one line: host and body are left out.
    """
    host, slashes, rest = preview.url.partition("//")
    server, _, path = rest.partition("/")
    path, question, query = path.partition("?")
    parts = [
        Content.styled(f"{preview.method} ", f"bold {_METHODS.get(preview.method, '$text-warning')}"),
        Content.styled(visible(host + slashes + server) + "\n" if whole else "", _MUTED),
    ]
    for step in path.split("/"):  # braces in a value are percent-encoded: these stand for a missing one
        parts += [Content.styled("/", _MUTED), Content.styled(visible(step), "bold $text-warning" if "{" in step else "$text")]
    parts.append(Content.styled(visible(question + query), "$text-accent"))
    if preview.body is not None and whole:
        parts.append(Content.styled("\n" + visible(preview.body), _MUTED))
    return Content.assemble(*parts)
