"""The address or command of an MCP server, as given to ``--mcp`` and as it is stored."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

import msgspec

from registry.openapi.asked_form import schema_node
from registry.openapi.plain_text import fits
from registry.openapi.remarks import DocumentRefused
from registry.openapi.services import names_of, usable_address


class McpSource(msgspec.Struct, frozen=True):
    """Where an MCP server is.

    Attributes:
        command: the program that is the server, and its arguments; empty for one over HTTP.
        folder: where the program is started.
        passed: the environment variables that it gets in addition to the usual ones.
        url: the address of a server over HTTP.
        headers: headers of every request to it; never stored.
    """

    command: tuple[str, ...] = ()
    folder: str = ""
    passed: tuple[str, ...] = ()
    url: str = ""
    headers: Mapping[str, str] | None = None

    @property
    def name(self) -> str:
        """The address or command as typed."""
        return self.url or shlex.join(self.command)


def mcp_source(text: str, passed: Sequence[str] = (), name: str | None = None) -> McpSource:
    """A server from the value of ``--mcp``: an address or a command.

    Args:
        text: the value.
        passed: the environment variables that a program gets.
        name: the toolkit's name; requests to an address carry the token for that name, if there is one.

    Raises:
        DocumentRefused: it is neither of them.
    """
    if text.startswith(("https://", "http://")):
        parts = urlsplit(text)
        if parts.query or parts.fragment:
            raise DocumentRefused(text.partition("?")[0], "", "has a query, which an address of a server cannot have here")
        url = usable_address(text, schema_node({}, text))
        if parts.scheme == "http" and not url.startswith("http://"):
            raise DocumentRefused(text, "", "is not an https address")
        if passed:
            raise DocumentRefused(text, "", "is an address; --pass-env is for programs")
        return McpSource(url=url, headers=_token_of(name))
    try:
        command = tuple(shlex.split(text))
    except ValueError as error:
        raise DocumentRefused(text, "", f"is not a valid command: {str(error).lower()}") from None
    if not command or not all(fits(one) for one in command if one):
        raise DocumentRefused(text, "", "is neither a command nor an https address")
    return McpSource(command, os.getcwd(), tuple(passed))


def _token_of(name: str | None) -> dict[str, str]:
    """The header with the token from the environment for a toolkit with that name; empty without one."""
    if name is None:
        return {}
    token = os.environ.get(f"{prefix_of(names_of(schema_node({}, name).document, name)[1])}TOKEN", "").strip()
    return {"Authorization": f"Bearer {token}"} if token.isascii() and token.isprintable() and token else {}


def prefix_of(name: str) -> str:
    """The prefix of a toolkit's environment variables, from the name of its account."""
    return "".join(one if one.isalnum() else "_" for one in name.upper()) + "_"
