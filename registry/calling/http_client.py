"""The httpx client for requests over the network, without the parts that slow down many large responses."""

from __future__ import annotations

import importlib.util
import sys
from http.cookiejar import CookieJar

import httpcore
import httpx

_READ_AT_ONCE = 262_144


class HttpClient(httpx.AsyncClient):
    """Sends requests and stores no cookies: every request carries its credential, and no other state is shared."""

    @property  # type: ignore[misc] # nothing is kept, so nothing can be set
    def cookies(self) -> httpx.Cookies:
        """None, whatever services set."""
        return _NO_COOKIES


class _NoCookies(httpx.Cookies):
    def extract_cookies(self, response: httpx.Response) -> None:
        """Leave them."""


_NO_COOKIES = _NoCookies(CookieJar())

# A page comes in a few pieces and not in dozens; each goes through the whole stack.
httpcore.AsyncHTTP11Connection.READ_NUM_BYTES = _READ_AT_ONCE
# httpcore asks four times a request which loop it runs on, and each time looks for this package on the disk.
if importlib.util.find_spec("sniffio") is None:
    sys.modules["sniffio"] = None  # type: ignore[assignment]
