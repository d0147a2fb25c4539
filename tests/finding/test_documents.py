"""Which pasted texts are taken for the path or address of a document."""

from __future__ import annotations

from registry.finding.links import document_in

DOCUMENTS = {
    "/home/me/openapi.json": ("/home/me/openapi.json", True),
    "  ~/api.yaml ": ("~/api.yaml", True),
    "petstore.YML": ("petstore.YML", True),
    "./my docs/api.json": ("./my docs/api.json", True),
    "'/home/me/my api.json'": ("/home/me/my api.json", True),
    r"/home/me/my\ api.json": ("/home/me/my api.json", True),
    "file:///home/me/api.json": ("/home/me/api.json", True),
    r"C:\docs\api.json": (r"C:\docs\api.json", True),
    "https://vendor.example/v1/openapi": ("https://vendor.example/v1/openapi", True),
    "https://vendor.example/reference": ("https://vendor.example/reference", False),
    **dict.fromkeys(("", "failed payments.json yesterday.json", ".json", "cus_4R5QLgZDZXPlou", "ada@romero.example")),
    **dict.fromkeys(("curl https://vendor.example/openapi.json", "see https://vendor.example/openapi.json")),
    **dict.fromkeys(("'/home/me/a.json", "/home/me/a.json\x1b[2J.json", "https://[::1/openapi.json")),
}


def test_what_is_a_document() -> None:
    assert {text: document_in(text) for text in DOCUMENTS} == DOCUMENTS
