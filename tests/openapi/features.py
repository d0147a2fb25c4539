"""Small documents of our own, one for each feature, from ``features.yaml``; and operations for other tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.openapi.making import document

STRINGS = {"type": "array", "items": {"type": "string"}}
MULTIPART = "multipart/form-data"


class Feature(NamedTuple):
    """One feature: what an operation says, what a caller gives, and path with query, and body, of the request."""

    name: str
    operation: dict[str, Any]
    given: dict[str, Any]
    sent: list[str]
    method: str = "get"
    path: str = "/things"
    version: str = "3.1.0"
    document: dict[str, Any] = {}

    @property
    def whole(self) -> dict[str, Any]:
        """A document with the operation."""
        more = {name: value for name, value in self.document.items() if name != "paths"}
        item = self.document.get("paths", {}).get(self.path, {})
        return document({self.path: {**item, self.method: self.operation}}, self.version, **more)


class Refusal(NamedTuple):
    """A value that a schema does not take, and what is said of it."""

    name: str
    schema: dict[str, Any]
    given: Any
    words: str
    version: str = "3.1.0"


_DATA = yaml.safe_load(Path(__file__).with_name("features.yaml").read_text("utf-8"))
FEATURES = [Feature(**one) for one in _DATA["features"]]
REFUSALS = [Refusal(**one) for one in _DATA["refusals"]]


def query(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An operation with one query parameter."""
    return {"parameters": [{"name": "q", "in": "query", "schema": schema, **more}]}


def path_parameter(schema: dict[str, Any]) -> dict[str, Any]:
    """An operation with one path parameter."""
    return {"parameters": [{"name": "id", "in": "path", "required": True, "schema": schema}]}


def body(schema: dict[str, Any], media_type: str = "application/json") -> dict[str, Any]:
    """An operation with a body."""
    return {"requestBody": {"required": True, "content": {media_type: {"schema": schema}}}}
