"""The error for a secret that cannot be read or stored."""

from __future__ import annotations

from registry.connections.renewed_secret import CredentialProblem


class SecretUnavailable(CredentialProblem):
    """A secret that cannot be read or stored. The message contains no part of it.

    Args:
        cause: why, in a sentence.
        way_out: what to do now, in a sentence.
    """

    def __init__(self, cause: str, way_out: str) -> None:
        super().__init__("The credential cannot be used", cause, way_out)
