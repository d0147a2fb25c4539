"""Path templates: ``/customers/{customer}``, ``/files/{id}.json``, ``/compare/{base}..{head}``; and patterns of strings."""

import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from urllib.parse import quote

_PLACEHOLDER = re.compile(r"\{([^{}/]*)\}")
_FIXED = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@%/-]*")
_STEPS = (".", "..")
_LONGEST = 500


def placeholders(template: str) -> list[str]:
    """The names in braces, in order."""
    return _PLACEHOLDER.findall(template)


def fault_of(template: str) -> str:
    """The error in a template; empty if it is valid."""
    if not template.startswith("/"):
        return "must start with a slash"
    fixed = _PLACEHOLDER.sub("", template)
    if "{" in fixed or "}" in fixed:
        return "has an unmatched brace"
    if not _FIXED.fullmatch(fixed):
        return "has a character that a path cannot have, such as a space, `?` or `#`"
    if any(segment in _STEPS for segment in template.split("/")):
        return "has a segment `.` or `..`"
    return ""


def filled(template: str, values: Mapping[str, str], encoded: Collection[str] = ()) -> str:
    """The path, with each value percent-encoded completely; a placeholder without a value stays.

    Args:
        template: the path with its placeholders.
        values: the values of the placeholders, by name.
        encoded: the names whose values are already percent-encoded.
    """
    quoted = {name: value if name in encoded else quote(value, safe="") for name, value in values.items()}
    return _PLACEHOLDER.sub(lambda found: quoted.get(found[1], found[0]), template)


def step_in(template: str, values: Mapping[str, str]) -> str | None:
    """The last placeholder of a segment that the values turn into ``.`` or ``..``; None if there is none.

    Clients and servers resolve such segments before routing: the request would reach another path.
    """
    for segment in template.split("/"):
        names = placeholders(segment)
        if names and filled(segment, values) in _STEPS:
            return names[-1]
    return None


@cache
def matcher(pattern: str) -> Callable[[str], bool]:
    """A function that returns whether a text matches somewhere. Look-around and back references are not supported.

    Raises:
        ValueError: the pattern is invalid, or too large when compiled.
    """
    if len(pattern) > _LONGEST:
        raise ValueError(f"it has more than {_LONGEST} characters")
    from pydantic_core import SchemaError, SchemaValidator, core_schema  # only toolkits from elsewhere have patterns

    try:
        validator = SchemaValidator(core_schema.str_schema(pattern=pattern, strict=True))
    except SchemaError as error:
        raise ValueError(str(error).strip().splitlines()[-1].strip()) from None
    return lambda text: validator.isinstance_python(text)
