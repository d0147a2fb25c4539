"""The tools that can be run with the granted scopes, and the error if fewer scopes were granted than requested."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from registry.accounts.problems import SignInFailed
from registry.accounts.tokens import Tokens
from registry.catalog.model import Tool
from registry.catalog.service import SignIn


def lacking(tools: Iterable[Tool], granted: Collection[str], declared: SignIn) -> tuple[str, ...]:
    """The names of the tools that cannot be run, in the given order. A tool needs one of its scopes; without scopes, none."""
    held = reach(granted, declared)
    return tuple(tool.name for tool in tools if tool.scopes and held.isdisjoint(tool.scopes))


def not_granted(asked: Iterable[str], granted: Collection[str], declared: SignIn) -> tuple[str, ...]:
    """The requested scopes that are neither granted nor included in a granted one."""
    held = reach(granted, declared) | set(declared.always)
    return tuple(scope for scope in dict.fromkeys(asked) if scope not in held)


def reach(granted: Collection[str], declared: SignIn) -> set[str]:
    """The granted scopes, with those that they include."""
    return set(granted).union(*(declared.includes.get(scope, ()) for scope in granted))


class ReducedScope(SignInFailed):
    """The service granted fewer scopes than requested. The tokens work for the granted ones.

    Args:
        service: the service's title.
        tokens: the tokens; store them to continue with fewer scopes.
        missing: the requested scopes that were not granted.
        without: the names of the tools that lack a permission.
    """

    def __init__(self, service: str, tokens: Tokens, missing: Sequence[str], without: Sequence[str]) -> None:
        tools = f" {_several(without)} cannot be run." if without else ""
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
