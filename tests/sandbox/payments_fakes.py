"""A small payments world for tests: a few objects of the kinds that the rules are about, which `fakes.json` holds."""

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount

from registry.sandbox.payments.service import services
from registry.sandbox.payments.shapes import Builder, Dataset, identifier
from registry.sandbox.world import DAY, World
from tests.sandbox.direct import Direct

NOW = 1_760_000_000 // DAY * DAY
WORLD = World(1, NOW)
SECRET_KEY = "sk_test_51Fernway"
Said = dict[str, Any]
Refusal = tuple[int, Said]
_HELD: dict[str, dict[str, list[Any]]] = json.loads(Path(__file__).with_name("fakes.json").read_text("utf-8"))
"""By kind and key: when it was created, its fields, and its id where that does not follow from the key."""
_ID, _MOMENT = re.compile(r"\{([a-z_.]+)/([^{}]+)\}"), re.compile(r"now([+-][0-9]+)")


def id_of(kind: str, key: str) -> str:
    return identifier(WORLD, kind, key)


def application(*datasets: Dataset) -> Starlette:
    api, files = services(WORLD, datasets or FAKES)
    return Starlette(routes=[Mount("/payments", app=api), Mount("/files", app=files)])


def fresh(*datasets: Dataset) -> Direct:
    """A client of a small world of its own, which may be changed."""
    return Direct(application(*datasets), "http://sandbox/payments", Authorization=f"Bearer {SECRET_KEY}")


@cache
def _shared() -> Starlette:
    return application()


@cache
def small(key: str = SECRET_KEY, host: str = "payments") -> Direct:
    """A client of the small world of all tests that only read: writing it takes longer than most of them."""
    return Direct(_shared(), f"http://sandbox/{host}", **({"Authorization": f"Bearer {key}"} if key else {}))


def get(path: str, **params: Any) -> Any:
    """What the small world responds with."""
    return small().get(path, **params)


def ids(path: str, **params: Any) -> list[str]:
    """The ids on a page of a list of the small world."""
    return [one["id"] for one in get(path, **params)["data"]]


def refusal(path: str, method: str = "GET", api: Direct | None = None, **headers: str) -> Refusal:
    """The status and the body of an error."""
    response = (api or small()).send(method, path, headers={name.replace("_", "-"): one for name, one in headers.items()})
    body = response.json()
    assert list(body) == ["error"], body
    assert None not in body["error"].values()
    assert response.headers["Request-Id"].startswith("req_")
    return response.status_code, body["error"]


def delete(api: Direct, path: str) -> Any:
    """What a deletion that succeeds responds with."""
    response = api.send("DELETE", path)
    assert response.status_code == 200, response.text
    return response.json()


def new(builder: Builder, kind: str, key: str, created: int = NOW - DAY, **fields: Any) -> str:
    """Add an object; what the test does not care about, it lacks."""
    return builder.new(kind, key, created, **fields)


def _said(value: Any) -> Any:
    """A value of `fakes.json`, with ids for what is in braces, and moments for what is counted from now."""
    if isinstance(value, dict):
        return {name: _said(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_said(one) for one in value]
    if not isinstance(value, str):
        return value
    if moment := _MOMENT.fullmatch(value):
        return NOW + int(moment[1])
    return _ID.sub(lambda found: id_of(found[1], found[2]), value)


def _write(builder: Builder) -> None:
    for kind, rows in _HELD.items():
        for key, (created, fields, *id_) in rows.items():
            if kind.startswith("_"):
                builder.note(kind, key, _said(created), _said(fields))
            else:
                builder.new(kind, key, _said(created), id=_said(id_[0]) if id_ else None, **_said(fields))


def dataset(write: Callable[[Builder], None], *kinds: str) -> Dataset:
    return Dataset(frozenset(kinds), write)


FAKES: tuple[Dataset, ...] = (dataset(_write, *_HELD),)
