"""Form parameters of a request, from a query or a body: each at most once, and unchanged; and the errors of signing in.

Bytes that are not UTF-8 survive (as surrogates), so that a `state` goes back to its sender unchanged. At the token endpoint an
error is a JSON body; at the authorize page it goes back to the application in the redirect, unless it is about where the
application is, which is shown to the person instead (`page.refusal`).
"""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

_MOST = 64
_CODEC = "surrogateescape"


class SignInError(Exception):
    """A request that is not carried out.

    Args:
        code: the error code, as RFC 6749 names it.
        description: what is wrong and, where it helps, what to send instead. ASCII without quotes and backslashes.
    """

    def __init__(self, code: str, description: str) -> None:
        super().__init__(description)
        self.description = description
        self.status = 401 if code == "invalid_client" else 400
        self.body = {"error": code, "error_description": description}


def invalid_request(description: str) -> SignInError:
    """Something is missing, sent twice, or cannot be read."""
    return SignInError("invalid_request", description)


class Parameters:
    """The parameters of a query or body. An empty value counts as not sent (RFC 6749, section 3.1).

    Args:
        content: ``application/x-www-form-urlencoded``.

    Raises:
        SignInError: invalid_request, there are too many parameters.
    """

    def __init__(self, content: bytes) -> None:
        text = content.decode("ascii", _CODEC)
        try:
            pairs = parse_qsl(text, keep_blank_values=True, errors=_CODEC, max_num_fields=_MOST)
        except ValueError as error:
            raise invalid_request("There are too many parameters.") from error
        self._values: dict[str, list[str]] = {}
        for name, value in pairs:
            self._values.setdefault(name, []).append(value)

    def get(self, name: str) -> str | None:
        """A parameter's value, None if it was not sent or is empty.

        Raises:
            SignInError: invalid_request, it was sent more than once.
        """
        values = self._values.get(name, [])
        if len(values) > 1:
            raise invalid_request(f"{name} was sent more than once.")
        return values[0] or None if values else None

    def need(self, name: str) -> str:
        """The value of a required parameter.

        Raises:
            SignInError: invalid_request, it was not sent, or more than once.
        """
        value = self.get(name)
        if value is None:
            raise invalid_request(f"{name} is missing.")
        return value


def with_parameters(address: str, parameters: dict[str, str]) -> str:
    """An allowed redirect address with parameters added to its query."""
    return f"{address}{'&' if '?' in address else '?'}{urlencode(parameters, errors=_CODEC)}"
