"""Decodes JSON text for queries, with exact numbers, and encodes it again.

Whole numbers are ints, all others are decimals. Of duplicate properties the last one counts, as in every JSON library; their
number is reported. Secrets are redacted: only a query that names the property gets its value.
"""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from registry.accounts.secrets import MASK
from registry.calling.sensitive import MEMBERS, is_sensitive
from registry.json_text.reading import NotJson, no_constant

_ENCODER = msgspec.json.Encoder(decimal_format="number", enc_hook=str)


class RedactedText(str):
    """A redacted secret. `inside` is its value."""

    __slots__ = ("inside",)

    inside: str

    def __new__(cls, inside: str) -> RedactedText:
        """The mask of a value."""
        one = super().__new__(cls, MASK)
        one.inside = inside
        return one


class JsonSource:
    """A document that can be queried.

    Attributes:
        value: the root value.
        twice: how many objects have a duplicate property.
    """

    def __init__(self, text: bytes | bytearray) -> None:
        """Read a JSON text; for a large one this takes seconds: do it in a thread.

        Raises:
            NotJson: it is not JSON, nested too deeply, or has a number that no library can calculate with.
        """
        self.twice = 0
        try:
            self.value = literal(text.decode("utf-8", errors="replace"), self._object)
        except RecursionError:
            raise NotJson("it is nested too deeply to be queried") from None
        except InvalidOperation:
            raise NotJson("it has a number that is too large to be queried") from None
        except ValueError as error:
            raise NotJson(str(error)) from None

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        self.twice += len(members) != len(pairs)
        for name in MEMBERS & members.keys():
            if isinstance(members[name], str) and is_sensitive(f'"{name}"', f'"{members[name]}"'):
                members[name] = RedactedText(members[name])
        return members


def literal(text: str, pairs: Any = None) -> Any:
    """The value of a JSON text.

    Args:
        text: the JSON.
        pairs: makes an object from its properties; by default a dictionary.

    Raises:
        ValueError: it is not JSON.
        InvalidOperation: a number has too long an exponent.
    """
    return json.loads(text, parse_float=Decimal, parse_constant=no_constant, object_pairs_hook=pairs)


def written(value: Any) -> bytes:
    """A value as JSON text.

    Raises:
        RecursionError: it is nested too deeply.
    """
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can hold
        return json.dumps(value, default=float).encode()
