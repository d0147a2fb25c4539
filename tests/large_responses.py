"""A service on loopback. The id in the address sets the size of the response.

``/v1/customers/1100000/cards`` has that many bytes, ``/v1/customers/rows1000000/cards`` that many small items.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from http.server import BaseHTTPRequestHandler

from tests.loopback import listening

LAST = "Needle_At_The_End"
_ITEMS = 2_000

sent_at: list[float] = []
"""When the last byte of each response was sent, by `time.perf_counter`."""


@contextmanager
def large_responses() -> Iterator[str]:
    """Serves while the context lasts and yields the base URL."""
    with listening(_Answering) as address:
        yield address


def environment(address: str) -> dict[str, str]:
    """Environment variables with which a program uses the server as its payments service."""
    return {"PAYMENTS_API_KEY": "sk_test_1", "PAYMENTS_BASE_URL": address}


def first_of(size: int) -> str:
    """The id of the first object in a page of `size` bytes."""
    return f"cus_of_{size}"


@lru_cache(maxsize=4)
def response_of(size: int) -> bytes:
    """A page of customers as JSON without white space, at least `size` bytes long.

    Its first id is `first_of(size)`, which tells its rows from those of another page. Its last value is `LAST`.
    """
    block = [json.dumps(_customer(number), separators=(",", ":"), ensure_ascii=bool(number % 2)) for number in range(_ITEMS)]
    items = [json.dumps(_customer(0) | {"id": first_of(size)}, separators=(",", ":"))]
    length = len(items[0]) + 1
    while length < size:
        items.append(block[len(items) % _ITEMS])
        length += len(items[-1]) + 1
    return b'{"object":"list","data":[%s],"has_more":false,"last":"%s"}' % (",".join(items).encode(), LAST.encode())


@lru_cache(maxsize=1)
def rows_of(count: int) -> bytes:
    """A page of `count` small cards as JSON. Its last value is `LAST`."""
    items = (f'{{"id":"card_{number:07}","amount":{number * 7919 % 100_003},"brand":"visa"}}' for number in range(count))
    return b'{"object":"list","data":[%s],"has_more":false,"last":"%s"}' % (",".join(items).encode(), LAST.encode())


class _Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        parts = self.path.partition("?")[0].split("/")
        rows = next((part[4:] for part in parts if part.startswith("rows")), None)
        body = rows_of(int(rows)) if rows else response_of(int(next(filter(str.isdecimal, parts), "1")))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
            sent_at.append(time.perf_counter())
        except OSError:
            self.close_connection = True  # the client has left


def _customer(number: int) -> dict[str, object]:
    return {
        "id": f"cus_{number * 7919:x}",
        "object": "customer",
        "address": {"city": "Zürich", "country": "CH", "line1": None, "postal_code": str(8000 + number % 90)},
        "balance": number % 10_000 - 5_000,
        "created": 1_700_000_000 + number,
        "currency": "usd",
        "delinquent": False,
        "email": f"user{number}@example.com",
        "invoice_settings": {"custom_fields": None, "default_payment_method": None, "footer": None},
        "livemode": False,
        "metadata": {"order": str(number), "tags": "a,b"},
        "name": f"Customer {number}",
        "preferred_locales": ["en", "de"],
        "tax_exempt": "none",
        "tax_ids": [],
    }
