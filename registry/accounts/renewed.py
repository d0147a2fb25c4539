"""Credentials whose text changes: tokens that expire, and secrets that are read for their first request."""

import threading
from collections.abc import Iterable
from typing import NamedTuple

from registry.accounts.secrets import Secret

_KEPT = 10
"""Texts that stay redacted: a client's secret, and the last three access tokens, refresh tokens and identity tokens."""


class Ending(NamedTuple):
    """When a credential expires, in Unix seconds, and whether it is then renewed automatically."""

    at: float
    renews: bool


class RenewedSecret(Secret):
    """A credential whose text changes. Its text is empty before the first `ready`.

    Its last texts stay masked, also those received with them, such as refresh tokens. Older ones are no longer valid.

    Args:
        identity: identifies it across renewals; not secret.
        travels_to: the addresses that get it, or what renews it, in addition to the service's own; None for those without one.

    Attributes:
        ending: when the current text expires; None if not known, or before `ready`.
    """

    __slots__ = ("_guard", "ending", "travels_to")
    renews = True

    def __init__(self, identity: str, *travels_to: str | None) -> None:
        super().__init__("")
        self.identity = identity
        self.travels_to = tuple(filter(None, travels_to))
        self.ending: Ending | None = None
        self._guard = threading.Lock()

    def also(self, secrets: Iterable[Secret]) -> None:
        """Mask these as well from now on; repeating a secret keeps it in the list. Safe in any thread."""
        with self._guard:
            texts = dict.fromkeys(self.texts)
            for text in (text for one in secrets for text in one.texts):
                texts.pop(text, None)
                texts[text] = None
            self.texts = tuple(texts)[-_KEPT:]

    def becomes(self, secret: Secret) -> None:
        """Change the text."""
        self.also([secret])
        self._text = secret.reveal()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)
