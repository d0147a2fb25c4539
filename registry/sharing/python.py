"""A request as a short Python program that needs httpx. Every value is a literal; secrets are left to the environment."""

from __future__ import annotations

from pprint import pformat

from registry.sharing.sendable import Proof, Sendable

_PATIENCE, _WIDTH = 60, 84


def program(request: Sendable, file: str | None = None) -> str:
    """The program.

    Args:
        request: what is sent.
        file: where an answer goes that is no text.
    """
    pairs = [f"({_text(name)}, {_text(value)})," for name, value in request.pairs]
    pairs += [f"({_text(name)}, {_from_environment(variable)})," for name, variable in request.secrets.items()]
    headers = [f"{_text(name)}: {_text(value)}," for name, value in request.headers.items()]
    proof = request.proof
    match proof.kind:
        case "header":
            headers.append(f"{_text(proof.name)}: {_value(proof, proof.scheme)},")
        case "cookie":
            headers.append(f'"Cookie": {_value(proof, f"{proof.name}=")},')
        case "query":
            pairs.append(f"({_text(proof.name)}, {_value(proof)}),")
    from_environment = proof.variables or request.secrets
    lines = [*(["import os", ""] if from_environment else []), "import httpx", "", "response = httpx.request("]
    lines += [f"    {_text(request.method)},", f"    {_text(request.url)},"]
    if pairs:
        lines += ["    params=[", *(f"        {pair}" for pair in pairs), "    ],"]
    lines += ["    headers={", *(f"        {header}" for header in headers), "    },"]
    if proof.kind == "basic":
        user = _text(proof.user) if proof.user is not None else _from_environment(proof.user_variable)
        lines.append(f"    auth=({user}, {_value(proof)}),")
    if request.body is not None:
        literal = pformat(dict(request.body), width=_WIDTH, sort_dicts=False).replace("\n", "\n    ")
        lines.append(f"    json={literal},")
    lines += [f"    timeout={_PATIENCE},", ")", "response.raise_for_status()"]
    if file is None:
        lines.append("print(response.text)")
    else:
        lines += [f'with open({_text(file)}, "xb") as file:', "    file.write(response.content)"]
    return "\n".join(lines) + "\n"


def _value(proof: Proof, start: str = "") -> str:
    """The credential behind a text: as it is where it is public, from its variable otherwise."""
    if proof.credential is not None:
        return _text(start + proof.credential)
    return f"{_text(start)} + {_from_environment(proof.variable)}" if start else _from_environment(proof.variable)


def _text(text: str) -> str:
    """A literal. Whatever is not printable is escaped in it."""
    return f'"{text}"' if text.isprintable() and '"' not in text and "\\" not in text else repr(text)


def _from_environment(variable: str) -> str:
    return f'os.environ["{variable}"]'
