"""Codes and their names: countries (ISO 3166-1 alpha-2) and currencies (ISO 4217, in active use).

They are in ``codes.json``, which is read on first use: country codes in upper case, currency codes in lower case, as
the services write them. Metals, funds, units of account and test codes are left out.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("codes.json")


def countries() -> Mapping[str, str]:
    """The names of countries by their two-letter codes."""
    return _read()["countries"]


def currencies() -> Mapping[str, str]:
    """The names of currencies by their three-letter codes."""
    return _read()["currencies"]


@cache
def _read() -> dict[str, dict[str, str]]:
    codes: dict[str, dict[str, str]] = json.loads(_FILE.read_text("utf-8"))
    return codes
