"""Which pasted texts are taken for the path or address of a document."""

from __future__ import annotations

import pytest

from registry.finding.links import document_in


@pytest.mark.parametrize(
    ("text", "source", "sure"),
    [
        ("/home/me/openapi.json", "/home/me/openapi.json", True),
        ("  ~/api.yaml ", "~/api.yaml", True),
        ("petstore.YML", "petstore.YML", True),
        ("./my docs/api.json", "./my docs/api.json", True),
        ("'/home/me/my api.json'", "/home/me/my api.json", True),
        (r"/home/me/my\ api.json", "/home/me/my api.json", True),
        ("file:///home/me/api.json", "/home/me/api.json", True),
        (r"C:\docs\api.json", r"C:\docs\api.json", True),
        ("https://vendor.example/v1/openapi", "https://vendor.example/v1/openapi", True),
        ("https://vendor.example/spec.yaml?raw=1", "https://vendor.example/spec.yaml?raw=1", True),
        ("https://vendor.example/reference", "https://vendor.example/reference", False),
    ],
)
def test_what_is_a_document(text: str, source: str, sure: bool) -> None:
    assert document_in(text) == (source, sure)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "customers",
        "failed payments.json yesterday.json",
        ".json",
        "curl https://vendor.example/openapi.json",
        "see https://vendor.example/openapi.json",
        "cus_4R5QLgZDZXPlou",
        "ada@romero.example",
        "'/home/me/a.json",
        "/home/me/a.json\x1b[2J.json",
        "https://[::1/openapi.json",
    ],
)
def test_what_is_none(text: str) -> None:
    assert document_in(text) is None
