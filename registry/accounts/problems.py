"""The errors of credentials, of signing in and of refreshing a token: each is a title, a sentence and what to do."""

from __future__ import annotations

from datetime import datetime


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


class SecretUnavailable(CredentialProblem):
    """A secret that cannot be read or stored. The message contains no part of it.

    Args:
        cause: why, in a sentence.
        way_out: what to do now, in a sentence.
    """

    def __init__(self, cause: str, way_out: str) -> None:
        super().__init__("The credential cannot be used", cause, way_out)


class SignInFailed(CredentialProblem):
    """Signing in, or refreshing, did not work."""


class StoreFailed(SignInFailed):
    """The store cannot be read or written, or cannot be locked."""

    def __init__(self, cause: str, way_out: str = "Unlock the store, or choose another one.") -> None:
        super().__init__("Cannot use the credential store", cause, way_out)


class BrowserNotOpened(SignInFailed):
    """There is no browser, or it did not start."""

    def __init__(self, cause: str) -> None:
        super().__init__("No browser was opened", cause, "Sign in with --no-browser and open the address on any machine.")


class NotReached(SignInFailed):
    """The token endpoint returned no valid response; trying again may help."""

    def __init__(self, host: str, why: str) -> None:
        super().__init__(f"No tokens from {host}", why, "Check the network and the proxy, then try again in a moment.")


class SignInEnded(SignInFailed):
    """The service no longer accepts the refresh token: the user must sign in again.

    Args:
        service: the service's title.
        at: when that was noticed, in Unix seconds.
        message: the service's message; empty if there was no refresh token.
        way_out: how to sign in again.
    """

    def __init__(self, service: str, at: float, message: str, way_out: str) -> None:
        moment = datetime.fromtimestamp(at).astimezone()
        when = f"{moment.day} {moment:%b %H:%M %Z}"
        refused = f"{service} refused the refresh token at {when} ({message})."
        super().__init__(
            f"The sign-in to {service} has ended",
            refused if message else f"The access token ended at {when}, and {service} gave no refresh token.",
            way_out,
        )
