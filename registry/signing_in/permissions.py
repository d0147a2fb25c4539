"""The tools that can be run with the granted scopes, and the error where fewer scopes were granted than requested."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from registry.catalog.model import Tool
from registry.catalog.service import SignIn
from registry.signing_in.problems import SignInFailed
from registry.signing_in.tokens import Tokens


class Lacking(NamedTuple):
    """A tool that lacks a permission, by its name, and the scopes of which the service asks for any one."""

    tool: str
    any_of: tuple[str, ...]


def lacking(tools: Iterable[Tool], granted: Collection[str], declared: SignIn) -> tuple[Lacking, ...]:
    """The tools that cannot be run, in the order in which they are given. A tool without scopes needs none."""
    held = reach(granted, declared)
    return tuple(Lacking(tool.name, tool.scopes) for tool in tools if tool.scopes and held.isdisjoint(tool.scopes))


def not_granted(asked: Iterable[str], granted: Collection[str], declared: SignIn) -> tuple[str, ...]:
    """The scopes that were asked for and are neither granted nor included in one that is."""
    held = reach(granted, declared) | set(declared.always)
    return tuple(scope for scope in dict.fromkeys(asked) if scope not in held)


def reach(granted: Collection[str], declared: SignIn) -> set[str]:
    """The scopes that were granted, with those that they include."""
    return set(granted).union(*(declared.includes.get(scope, ()) for scope in granted))


class ReducedScope(SignInFailed):
    """The service gave fewer scopes than it was asked for. The tokens work for what they have.

    Args:
        service: what people call the service.
        tokens: what was given; store them to go on with less.
        missing: the scopes that were asked for and not given.
        without: the tools that lack a permission.
    """

    def __init__(self, service: str, tokens: Tokens, missing: Sequence[str], without: Sequence[Lacking]) -> None:
        tools = f" {_several([one.tool for one in without])} cannot be run." if without else ""
        super().__init__(
            "Some permissions were not granted",
            f"{service} did not grant {_several(missing)}.{tools}",
            "Add the permissions where the client is registered and sign in again, or go on with less.",
        )
        self.tokens = tokens
        self.missing = tuple(missing)
        self.without = tuple(without)


def _several(names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
