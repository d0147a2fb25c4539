"""A request as a curl command for a POSIX shell. Every value is quoted; secrets come from the environment."""

from __future__ import annotations

import os
import re
from shlex import quote
from urllib.parse import quote as percent_encoded

from registry.calling.bodies import FilePath
from registry.results.export.request_template import Proof, RequestTemplate

_CONTINUED = " \\\n  "
_METHODS_OF_CURL = ("GET",)


def curl(request: RequestTemplate, file: str | None = None) -> str:
    """The command.

    Args:
        request: the request to send.
        file: the output file, for a response that is not text; None for standard output.
    """
    query = "&".join(f"{percent_encoded(name, safe='')}={percent_encoded(value, safe='')}" for name, value in request.pairs)
    url = request.url + (f"?{query}" if query else "")
    words = [f"curl {quote(url)}{_in_query(request, url)}"]
    secrets = dict(request.secrets)
    if request.body is not None:  # --get would send the body in the query
        for name, variable in secrets.items():
            words[0] += _filled(f"{'&' if '?' in words[0] else '?'}{percent_encoded(name, safe='')}=", variable)
        secrets = {}
    if any(letter in url for letter in "[]{}"):
        words.append("--globoff")
    if request.method == "HEAD":
        words.append("--head")  # with --request, curl would wait for a body that is not sent
    elif request.method not in _METHODS_OF_CURL or request.body is not None:
        words.append(f"--request {request.method}")
    words += [f"--header {quote(f'{name}: {value}')}" for name, value in request.headers.items()]
    words += _proof(request.proof)
    words += [f'--header "{name}: ${variable}"' for name, variable in request.secret_headers.items()]
    if _is_appended(request):
        secrets[request.proof.name] = request.proof.variable
    if secrets:
        words.append("--get")
        words += [f'--data-urlencode "{name}=${variable}"' for name, variable in secrets.items()]
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
    """A path inside curl's --form, which has its own syntax."""
    return '"' + os.path.expanduser(path).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _proof(proof: Proof) -> list[str]:
    """The options with the credential: itself if it is public, otherwise its environment variable."""
    public = proof.credential is not None
    match proof.kind:
        case "header":
            start = f"{proof.name}: {proof.scheme}"
            return [f"--header {quote(start + str(proof.credential)) if public else _filled(start, proof.variable)}"]
        case "basic":
            pair = (
                quote(f"{proof.user}:{proof.credential}") if public else f'"${{{proof.user_variable}}}:${{{proof.variable}}}"'
            )
            return [f"--user {pair}"]
        case "cookie":
            start = f"{proof.name}="
            return [f"--cookie {quote(start + str(proof.credential)) if public else _filled(start, proof.variable)}"]
    return []


def _is_appended(request: RequestTemplate) -> bool:
    """Whether curl can append the credential to the address, encoded; it cannot if there is a body."""
    return (
        request.proof.kind == "query"
        and request.proof.credential is None
        and request.method in _METHODS_OF_CURL
        and request.body is None
    )


def _in_query(request: RequestTemplate, url: str) -> str:
    """The query part with the credential if it is sent there, unencoded."""
    proof = request.proof
    if proof.kind != "query" or _is_appended(request):
        return ""
    start = f"{'&' if '?' in url else '?'}{percent_encoded(proof.name, safe='')}="
    return (
        quote(start + percent_encoded(proof.credential, safe=""))
        if proof.credential is not None
        else _filled(start, proof.variable)
    )


def _filled(start: str, variable: str) -> str:
    """A text followed by a variable, in double quotes; a shell expands nothing in the text."""
    return '"' + re.sub(r'([$`"\\])', r"\\\1", start) + f'${variable}"'
