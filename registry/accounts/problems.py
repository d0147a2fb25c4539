"""The errors of credentials, of signing in and of refreshing a token: a class for each, with a sentence and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


class SecretNeeded(SignInFailed):
    """The service needs the client's secret, and none is set."""

    def __init__(self, service: str, register: str | None) -> None:
        where = f" The service shows it where the client is registered: {register}" if register else ""
        cause = f"{service} requires the client's secret."
        super().__init__("The client secret is missing", cause, f"Add the client secret.{where}")


class PortTaken(SignInFailed):
    """The port of the redirect address is in use."""

    def __init__(self, ports: Sequence[int], why: str = "") -> None:
        named = "Port " + str(ports[0]) if len(ports) == 1 else "Ports " + ", ".join(map(str, ports))
        taken = f"{'is' if len(ports) == 1 else 'are'} in use by another program"
        cause = f"{named} of this machine cannot be opened: {why}." if why else f"{named} of this machine {taken}."
        super().__init__(
            "Cannot listen for the browser",
            cause,
            "End that program, choose another registered port, or sign in with --no-browser.",
        )


class BrowserNotOpened(SignInFailed):
    """There is no browser, or it did not start."""

    def __init__(self, cause: str) -> None:
        super().__init__("No browser was opened", cause, "Sign in with --no-browser and open the address on any machine.")


class TimedOut(SignInFailed):
    """Nobody allowed or denied access in the browser."""

    def __init__(self, seconds: float) -> None:
        cause = f"The browser did not come back within {seconds:g} s."
        super().__init__("The sign-in timed out", cause, "Sign in again; use --no-browser where no browser opens.")


class NotTheAddress(SignInFailed):
    """What was pasted is not the address that the browser was sent to."""

    def __init__(self, redirect_uri: str) -> None:
        super().__init__(
            "This is not the address that the browser was sent to",
            f"It begins with {redirect_uri}? and contains code= and state=.",
            "Copy the whole address from the browser's address bar; the page itself may fail to load.",
        )


class WrongState(SignInFailed):
    """The redirect belongs to another sign-in, or is forged."""

    def __init__(self) -> None:
        super().__init__(
            "The redirect does not belong to this sign-in",
            "Its state is missing, or is that of another attempt.",
            "Close other sign-in pages and sign in again. If it happens again, another program may be sending it.",
        )


class WrongIssuer(SignInFailed):
    """The redirect does not name the service as its issuer."""

    def __init__(self, service: str, wanted: str, got: str | None) -> None:
        message = "It names no issuer (iss)" if got is None else f"Its issuer (iss) is {got}"
        super().__init__(
            f"The redirect does not come from {service}",
            f"{message}; it must be {wanted}.",
            "Sign in again. If it happens again, do not allow access: another server may be posing as the service.",
        )


class Denied(SignInFailed):
    """The user, or the service, denied access."""

    def __init__(self, service: str, message: str) -> None:
        super().__init__(
            "Access denied",
            f"{service} says: {message or 'access_denied'}.",
            "Sign in again and allow access, or ask an administrator of the account.",
        )


class CodeRefused(SignInFailed):
    """The code was too old, or was used before."""

    def __init__(self, service: str, seconds: int | None, message: str) -> None:
        good = f"for {seconds} s" if seconds else "for a short time"
        super().__init__(
            "The sign-in code has expired or was used before",
            f"{service} refused it ({message}). A code is valid once, {good}.",
            "Sign in again; with --no-browser, paste the address at once.",
        )


class ClientRefused(SignInFailed):
    """The service does not know the client, or its secret is wrong."""

    def __init__(self, service: str, message: str) -> None:
        super().__init__(
            f"{service} does not accept the client",
            f"It says: {message}.",
            "Check the client id and the client secret where the client is registered.",
        )


class ScopeRefused(SignInFailed):
    """The service does not grant the scopes to this client."""

    def __init__(self, service: str, message: str, asked: Iterable[str] = ()) -> None:
        wanted = ", ".join(asked)
        super().__init__(
            f"{service} does not grant these permissions to the client",
            f"Requested: {wanted}. It says: {message}." if wanted else f"It says: {message}.",
            "Add the permissions where the client is registered, then sign in again.",
        )


class ServiceRefused(SignInFailed):
    """The service refused for another reason."""

    def __init__(self, service: str, message: str) -> None:
        super().__init__(
            f"{service} refused the sign-in", f"It says: {message}.", "Check how the client is registered, then sign in again."
        )


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
        self.at = at


class NotSignedIn(SignInFailed):
    """The store holds no tokens."""

    def __init__(self, service: str, way_out: str) -> None:
        super().__init__(f"Not signed in to {service}", "The store contains no tokens for it.", way_out)
