"""The versions of the API that a request may name in its ``Stripe-Version`` header.

A version is a date; since September 2024 it carries the name of its release as well, and one that is misspelt, or that lacks
its name, is refused. Responses have the shapes of `SHAPES` for every version: what the sandbox proves is that a client
names a version which exists, and one that has the operation.
"""

from __future__ import annotations

import re
from datetime import date

from registry.sandbox.payments.errors import ApiError, refused

SHAPES = "2025-09-30.clover"
"""The version of the responses' shapes; fields that later versions added are there as well, since they replace nothing."""

SEARCHABLE_SINCE = "2020-08-27"

_DATES = (
    "2011-01-01 2011-06-21 2011-06-28 2011-08-01 2011-09-15 2011-11-17 2012-02-23 2012-03-25 2012-06-18 2012-06-28 "
    "2012-07-09 2012-09-24 2012-10-26 2012-11-07 2013-02-11 2013-02-13 2013-07-05 2013-08-12 2013-08-13 2013-10-29 "
    "2013-12-03 2014-01-31 2014-03-13 2014-03-28 2014-05-19 2014-06-13 2014-06-17 2014-07-22 2014-07-26 2014-08-04 "
    "2014-08-20 2014-09-08 2014-10-07 2014-11-05 2014-11-20 2014-12-08 2014-12-17 2014-12-22 2015-01-11 2015-01-26 "
    "2015-02-10 2015-02-16 2015-02-18 2015-03-24 2015-04-07 2015-06-15 2015-07-07 2015-07-13 2015-07-28 2015-08-07 "
    "2015-08-19 2015-09-03 2015-09-08 2015-09-23 2015-10-01 2015-10-12 2015-10-16 2016-02-03 2016-02-19 2016-02-22 "
    "2016-02-23 2016-02-29 2016-03-07 2016-06-15 2016-07-06 2016-10-19 2017-01-27 2017-02-14 2017-04-06 2017-05-25 "
    "2017-06-05 2017-08-15 2017-12-14 2018-01-23 2018-02-05 2018-02-06 2018-02-28 2018-05-21 2018-07-27 2018-08-23 "
    "2018-09-06 2018-09-24 2018-10-31 2018-11-08 2019-02-11 2019-02-19 2019-03-14 2019-05-16 2019-08-14 2019-09-09 "
    "2019-10-08 2019-10-17 2019-11-05 2019-12-03 2020-03-02 2020-08-27 2022-08-01 2022-11-15 2023-08-16 2023-10-16 "
    "2024-04-10 2024-06-20"
)
"""The versions without a name."""

_RELEASES = (
    ("acacia", "2024-09-30"),
    ("basil", "2025-03-31"),
    ("clover", "2025-09-30"),
    ("dahlia", "2026-03-25"),
    ("endive", "2026-09-30"),
)
"""The named releases and the day of each one's first version; a release has a version every month until the next one."""

_NAMED = re.compile(r"(\d{4}-\d{2}-\d{2})\.([a-z]+)", re.ASCII)


def check_version(named: str | None, *, searches: bool) -> None:
    """Check the version that a request names, if it names one.

    Args:
        named: the header's value.
        searches: whether the request is a search, which older versions do not have.

    Raises:
        ApiError: 400.
    """
    if named is None:
        return
    if named not in _DATES.split() and not _is_named(named):
        raise _unknown(named)
    if searches and named < SEARCHABLE_SINCE:
        raise refused(f"Searches need API version {SEARCHABLE_SINCE} or later; this request names {named}.")


def _is_named(version: str) -> bool:
    found = _NAMED.fullmatch(version)
    if not found or not _is_date(found[1]):
        return False
    begun = [name for name, first in _RELEASES if first <= found[1]]
    return begun[-1:] == [found[2]] or (bool(begun) and found[2] == "preview")


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _unknown(version: str) -> ApiError:
    return refused(f"Invalid API version: {version}")
