"""The errors of accounts: settings that name none, and credentials that cannot be used. Each says what to do."""

from __future__ import annotations


class ConnectionSettingsError(ValueError):
    """Settings without a usable connection; the text names the setting and what to do."""


class CredentialProblem(Exception):
    """A credential that cannot be used now; no request was sent with it.

    Args:
        title: what happened, in a few words.
        cause: why, in a sentence.
        way_out: what to do now, in a sentence.
    """

    def __init__(self, title: str, cause: str, way_out: str) -> None:
        super().__init__(f"{title}. {cause} {way_out}")
        self.title = title
        self.cause = cause
        self.way_out = way_out
