"""A request as a curl command for a POSIX shell. Every value is quoted; secrets are left to the environment."""

from __future__ import annotations

import os
from shlex import quote
from urllib.parse import quote as percent_encoded

from registry.calling.bodies import FilePath
from registry.sharing.sendable import Sendable

_CONTINUED = " \\\n  "
_METHODS_OF_CURL = ("GET",)


def curl(request: Sendable, file: str | None = None) -> str:
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
    if request.method == "HEAD":
        words.append("--head")  # with --request, curl would wait for a body that never comes
    elif request.method not in _METHODS_OF_CURL:
        words.append(f"--request {request.method}")
    words += [f"--header {quote(f'{name}: {value}')}" for name, value in request.headers.items()]
    if request.credential is not None:
        words.append(f"--header {quote(f'Authorization: {request.scheme}{request.credential}')}")
    else:
        words.append(f'--header "Authorization: {request.scheme}${request.variable}"')
    words += [f'--header "{name}: ${variable}"' for name, variable in request.secret_headers.items()]
    if request.secrets:
        words.append("--get")
        words += [f'--data-urlencode "{name}=${variable}"' for name, variable in request.secrets.items()]
    if request.body_text is not None:
        words.append(f"--data-raw {quote(request.body_text)}")
    if request.file is not None:
        words.append(f"--data-binary {quote(f'@{os.path.expanduser(request.file)}')}")
    for name, part in request.parts or ():
        if isinstance(part, FilePath):
            words.append(f"--form {quote(f'{name}=@{_in_quotes(part)}')}")
        else:
            words.append(f"--form-string {quote(f'{name}={part}')}")
    if file is not None:
        words.append(f"--output {quote(file)}")
    return _CONTINUED.join(words)


def _in_quotes(path: str) -> str:
    """A path within curl's --form, which has signs of its own."""
    return '"' + os.path.expanduser(path).replace("\\", "\\\\").replace('"', '\\"') + '"'
