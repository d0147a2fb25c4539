"""Form parameters of a request, from a query or a body: each at most once, and returned unchanged.

Bytes that are not UTF-8 survive (as surrogates), so that a `state` goes back to its sender unchanged.
"""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from registry.sandbox.signin.errors import invalid_request

_MOST = 64
_CODEC = "surrogateescape"


class Parameters:
    """The parameters of a query or body. An empty value counts as not sent (RFC 6749, section 3.1).

    Args:
        text: ``application/x-www-form-urlencoded``.

    Raises:
        SignInError: invalid_request, there are too many parameters.
    """

    def __init__(self, text: str) -> None:
        try:
            pairs = parse_qsl(text, keep_blank_values=True, errors=_CODEC, max_num_fields=_MOST)
        except ValueError as error:
            raise invalid_request("There are too many parameters.") from error
        self._values: dict[str, list[str]] = {}
        for name, value in pairs:
            self._values.setdefault(name, []).append(value)

    @classmethod
    def of_body(cls, content: bytes) -> Parameters:
        """The parameters of a body."""
        return cls(content.decode("ascii", _CODEC))

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


def encoded(parameters: dict[str, str]) -> str:
    """Parameters as a query holds them."""
    return urlencode(parameters, errors=_CODEC)
