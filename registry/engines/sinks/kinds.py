"""The kind of column that holds a JSON value exactly, and the kind that holds the values of two kinds.

======  ==================================================  ======================  ==================  =======================
kind    values                                              PostgreSQL              DuckDB              Parquet
======  ==================================================  ======================  ==================  =======================
none    nothing but null so far                             text                    VARCHAR             string
bool    true, false                                         boolean                 BOOLEAN             bool
int53   whole numbers that a double holds as well           bigint                  BIGINT              int64
int64   whole numbers of 64 bits                            bigint                  BIGINT              int64
int38   whole numbers of up to 38 digits                    numeric                 DECIMAL(38,0)       decimal128(38, 0)
double  numbers that a double holds as they are written     double precision        DOUBLE              double
number  all other numbers, and mixtures                     numeric                 VARCHAR (digits)    string (digits)
text    strings                                             text                    VARCHAR             string
json    objects, lists, and values of several JSON types    jsonb                   JSON                string (JSON)
======  ==================================================  ======================  ==================  =======================
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Literal

Kind = Literal["none", "bool", "int53", "int64", "int38", "double", "number", "text", "json"]

_WHOLE: tuple[Kind, ...] = ("int53", "int64", "int38")
_NUMBERS: tuple[Kind, ...] = (*_WHOLE, "double", "number")
_EXACT_IN_A_DOUBLE = 2**53
_MOST_DIGITS = 38
_EXPONENT = re.compile(rb"[eE]([+-]?[0-9]+)$")
_LONGEST, _LARGEST_EXPONENT = 1_000, 1_000


def kind_of(raw: bytes) -> Kind:
    """The kind of one JSON value, given as its text."""
    match raw[:1]:
        case b'"':
            return "text"
        case b"{" | b"[":
            return "json"
        case b"t" | b"f":
            return "bool"
        case b"n":
            return "none"
    return _number(raw)


def both(one: Kind, other: Kind) -> Kind:
    """The kind that holds the values of two kinds exactly."""
    if one == other or other == "none":
        return one
    if one == "none":
        return other
    if one not in _NUMBERS or other not in _NUMBERS:
        return "json"
    if one in _WHOLE and other in _WHOLE:
        return max(one, other, key=_WHOLE.index)
    return "double" if {one, other} == {"int53", "double"} else "number"


def is_extreme(raw: bytes) -> bool:
    """Whether a number is longer or larger than any column of numbers accepts."""
    exponent = _EXPONENT.search(raw[-20:])
    return len(raw) > _LONGEST or (exponent is not None and abs(int(exponent[1])) > _LARGEST_EXPONENT)


def _number(raw: bytes) -> Kind:
    if raw.isdigit() or (raw[:1] == b"-" and raw[1:].isdigit() and raw != b"-0"):
        digits = len(raw) - (raw[:1] == b"-")
        if digits <= 15:
            return "int53"
        if digits > _MOST_DIGITS:
            return "json" if is_extreme(raw) else "number"
        number = int(raw)
        if abs(number) <= _EXACT_IN_A_DOUBLE:
            return "int53"
        return "int64" if -(2**63) <= number < 2**63 else "int38"
    if is_extreme(raw):
        return "json"
    number_as_float = float(raw)
    try:
        exact = Decimal(repr(number_as_float)) == Decimal(raw.decode())
    except InvalidOperation:  # beyond a double: infinity
        exact = False
    return "double" if exact and number_as_float - number_as_float == 0 else "number"
