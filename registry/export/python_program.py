"""A request as a short Python program that needs httpx. Every value is a literal; secrets are left to the environment."""

from __future__ import annotations

from pprint import pformat

from registry.export.request_template import RequestTemplate

_PATIENCE, _WIDTH = 60, 84


def program(request: RequestTemplate, file: str | None = None) -> str:
    """The program.

    Args:
        request: what is sent.
        file: where an answer goes that is no text.
    """
    pairs = [f"({_text(name)}, {_text(value)})," for name, value in request.pairs]
    pairs += [f"({_text(name)}, {_from_environment(variable)})," for name, variable in request.secrets.items()]
    headers = [f"{_text(name)}: {_text(value)}," for name, value in request.headers.items()]
    if request.credential is not None:
        headers.append(f'"Authorization": {_text(request.scheme + request.credential)},')
    else:
        headers.append(f'"Authorization": {_text(request.scheme)} + {_from_environment(request.variable)},')
    from_environment = request.credential is None or request.secrets
    lines = [*(["import os", ""] if from_environment else []), "import httpx", "", "response = httpx.request("]
    lines += [f"    {_text(request.method)},", f"    {_text(request.url)},"]
    if pairs:
        lines += ["    params=[", *(f"        {pair}" for pair in pairs), "    ],"]
    lines += ["    headers={", *(f"        {header}" for header in headers), "    },"]
    if request.body is not None:
        literal = pformat(dict(request.body), width=_WIDTH, sort_dicts=False).replace("\n", "\n    ")
        lines.append(f"    json={literal},")
    lines += [f"    timeout={_PATIENCE},", ")", "response.raise_for_status()"]
    if file is None:
        lines.append("print(response.text)")
    else:
        lines += [f'with open({_text(file)}, "xb") as file:', "    file.write(response.content)"]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    """A literal. Whatever is not printable is escaped in it."""
    return f'"{text}"' if text.isprintable() and '"' not in text and "\\" not in text else repr(text)


def _from_environment(variable: str) -> str:
    return f'os.environ["{variable}"]'
