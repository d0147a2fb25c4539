"""Regular expressions from data, matched in linear time for any pattern and text."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache


class PatternError(ValueError):
    """A regular expression that cannot be compiled; the text says why."""


@cache
def matcher(pattern: str) -> Callable[[str], bool]:
    """A function that returns whether a text matches somewhere. Look-around and back references are not supported.

    Raises:
        PatternError: the pattern is invalid, or too large when compiled.
    """
    from pydantic_core import SchemaError, SchemaValidator, core_schema  # few tools have a pattern

    try:
        validator = SchemaValidator(core_schema.str_schema(pattern=pattern, strict=True))
    except SchemaError as error:
        raise PatternError(str(error).strip().splitlines()[-1].strip()) from None
    return lambda text: validator.isinstance_python(text)
