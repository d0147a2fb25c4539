"""The errors of signing in, by the error codes of RFC 6749.

At the token endpoint an error is a JSON body; at the authorize page it goes back to the application in the redirect, unless
it is about where the application is, which is shown to the person instead (`page.refusal`).
"""

from __future__ import annotations


class SignInError(Exception):
    """A request that is not carried out.

    Args:
        code: the error code, as RFC 6749 names it.
        description: what is wrong and, where it helps, what to send instead. ASCII without quotes and backslashes.
        status: the HTTP status at the token endpoint.
    """

    def __init__(self, code: str, description: str, status: int = 400) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.status = status

    def body(self) -> dict[str, str]:
        """The JSON body of a response, and the parameters of a redirect."""
        return {"error": self.code, "error_description": self.description}


def invalid_request(description: str) -> SignInError:
    """400: something is missing, sent twice, or cannot be read."""
    return SignInError("invalid_request", description)


def invalid_client(description: str) -> SignInError:
    """401: the application is not known, or did not prove its identity."""
    return SignInError("invalid_client", description, 401)


def invalid_grant(description: str) -> SignInError:
    """400: a code or a refresh token that gives nothing."""
    return SignInError("invalid_grant", description)


def invalid_scope(description: str) -> SignInError:
    """400: a scope that does not exist, or that this application cannot have."""
    return SignInError("invalid_scope", description)


def access_denied() -> SignInError:
    """The person denied access."""
    return SignInError("access_denied", "The resource owner or authorization server denied the request.")
