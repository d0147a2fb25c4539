"""A request as a curl command for a POSIX shell. Every value is quoted; secrets are left to the environment."""

from __future__ import annotations

from shlex import quote
from urllib.parse import quote as percent_encoded

from registry.export.request_template import RequestTemplate

_CONTINUED = " \\\n  "
_METHODS_OF_CURL = ("GET",)


def curl(request: RequestTemplate, file: str | None = None) -> str:
    """The command.

    Args:
        request: what is sent.
        file: where an answer goes that is not for a terminal.
    """
    query = "&".join(f"{percent_encoded(name, safe='')}={percent_encoded(value, safe='')}" for name, value in request.pairs)
    url = request.url + (f"?{query}" if query else "")
    words = [f"curl {quote(url)}"]
    if any(letter in url for letter in "[]{}"):
        words.append("--globoff")
    if request.method not in _METHODS_OF_CURL:
        words.append(f"--request {request.method}")
    words += [f"--header {quote(f'{name}: {value}')}" for name, value in request.headers.items()]
    if request.credential is not None:
        words.append(f"--header {quote(f'Authorization: {request.scheme}{request.credential}')}")
    else:
        words.append(f'--header "Authorization: {request.scheme}${request.variable}"')
    if request.secrets:
        words.append("--get")
        words += [f'--data-urlencode "{name}=${variable}"' for name, variable in request.secrets.items()]
    if request.body_text is not None:
        words.append(f"--data-raw {quote(request.body_text)}")
    if file is not None:
        words.append(f"--output {quote(file)}")
    return _CONTINUED.join(words)
