"""A request as a short Python program that needs httpx. Every value is a literal; secrets come from the environment."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pprint import pformat
from typing import Any

from registry.calling.bodies import FilePath
from registry.calling.exact_json import Exact, is_null
from registry.results.export.request_template import Proof, RequestTemplate

_PATIENCE, _WIDTH, _LONGEST_INT = 60, 84, 4_000


def program(request: RequestTemplate, file: str | None = None) -> str:
    """The program.

    Args:
        request: the request to send.
        file: the output file, for a response that is not text; None to print it.
    """
    pairs = [f"({_text(name)}, {_text(value)})," for name, value in request.pairs]
    pairs += [f"({_text(name)}, {_from_environment(variable)})," for name, variable in request.secrets.items()]
    headers = [f"{_text(name)}: {_text(value)}," for name, value in request.headers.items()]
    headers += [f"{_text(name)}: {_from_environment(variable)}," for name, variable in request.secret_headers.items()]
    proof = request.proof
    match proof.kind:
        case "header":
            headers.append(f"{_text(proof.name)}: {_value(proof, proof.scheme)},")
        case "cookie":
            headers.append(f'"Cookie": {_value(proof, f"{proof.name}=")},')
        case "query":
            pairs.append(f"({_text(proof.name)}, {_value(proof)}),")
    from_environment = proof.variables or request.secrets or request.secret_headers
    lines = [*(["import os", ""] if from_environment else []), "import httpx", "", "response = httpx.request("]
    lines += [f"    {_text(request.method)},", f"    {_text(request.url)},"]
    if pairs:
        lines += ["    params=[", *(f"        {pair}" for pair in pairs), "    ],"]
    lines += ["    headers={", *(f"        {header}" for header in headers), "    },"]
    if proof.kind == "basic":
        user = _text(proof.user) if proof.user is not None else _from_environment(proof.user_variable)
        lines.append(f"    auth=({user}, {_value(proof)}),")
    lines += [f"    {line}" for line in _body(request)]
    lines += [f"    timeout={_PATIENCE},", ")", "response.raise_for_status()"]
    if file is None:
        lines.append("print(response.text)")
    else:
        lines += [f'with open({_text(file)}, "xb") as file:', "    file.write(response.content)"]
    return "\n".join(lines) + "\n"


def _value(proof: Proof, start: str = "") -> str:
    """The credential after a text: itself if it is public, otherwise from its environment variable."""
    if proof.credential is not None:
        return _text(start + proof.credential)
    return f"{_text(start)} + {_from_environment(proof.variable)}" if start else _from_environment(proof.variable)


def _body(request: RequestTemplate) -> list[str]:
    """The lines for the body. JSON is a literal if Python writes its numbers in the same way, otherwise text."""
    if request.body is None:
        return []
    if request.file is not None:
        return [f"content=open({_path(request.file)}, 'rb').read(),"]
    if request.parts is not None:
        parts = (
            f"    ({_text(name)}, "
            + (f"({_text(part.name)}, open({_path(part)}, 'rb'))" if isinstance(part, FilePath) else f"(None, {_text(part)})")
            + "),"
            for name, part in request.parts
        )
        return ["files=[", *parts, "],"]
    if request.writing.kind == "json":
        with contextlib.suppress(_NotPlain):
            return f"json={pformat(_plain(request.body), width=_WIDTH, sort_dicts=False)},".split("\n")
    return [f"content={_text(request.body_text or '')}.encode(),"]


class _NotPlain(ValueError):
    """A number that Python would write differently."""


def _plain(value: object) -> Any:
    if is_null(value):
        return None
    if isinstance(value, Exact):
        number = float(value) if any(sign in value for sign in ".eE") else int(value) if len(value) < _LONGEST_INT else 0
        if repr(number) != value:
            raise _NotPlain(value)
        return number
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def _path(path: str) -> str:
    return _text(os.path.expanduser(path))


def _text(text: str) -> str:
    """A string literal with all unprintable characters escaped."""
    return f'"{text}"' if text.isprintable() and '"' not in text and "\\" not in text else repr(text)


def _from_environment(variable: str) -> str:
    return f'os.environ["{variable}"]'
