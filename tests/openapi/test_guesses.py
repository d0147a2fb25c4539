"""What a document does not say: which path is an object's own, what is only a reference, and which words are no ids."""

import json
from pathlib import Path
from typing import Any

import pytest

from registry.catalog.loader import load
from registry.journal.seen import ids_in
from registry.openapi import store
from registry.pages.build import link_to
from registry.pages.page import ObjectLink
from registry.references.routes import Routes
from tests.added_toolkits import added_toolkits
from tests.openapi.making import document, made, tools, written
from tui.json_view.document import Document, Links

TEXT = {"type": "string"}


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def get(operation: str, answer: dict[str, Any], *places: str) -> dict[str, Any]:
    parameters = [{"name": one, "in": "path", "required": True, "schema": TEXT} for one in places]
    content = {"application/json": {"schema": answer}}
    return {"get": {"operationId": operation, "parameters": parameters, "responses": {"200": {"content": content}}}}


def named(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def kind(name: str) -> dict[str, Any]:
    return {"type": "string", "enum": [name]}


DESK = document(
    {
        "/reports/raw/tickets/{id}": get("rawTicket", named("RawTicket"), "id"),
        "/tickets": get("listTickets", schema(tickets={"type": "array", "items": named("Ticket")})),
        "/tickets/{id}": get("getTicket", schema(ticket=named("Ticket")), "id"),
        "/tickets/{ticket_id}/queue": get("ticketQueue", schema(queue=named("QueueReference")), "ticket_id"),
        "/queues/{id}": get("getQueue", schema(queue=named("Queue")), "id"),
        "/rules/{id}/queues/{queue_id}": get("ruleQueue", named("QueueReference"), "id", "queue_id"),
        "/rules/{id}": get("getRule", schema(rule=named("Rule")), "id"),
        "/types/{id}": get("getType", schema(type=named("Type")), "id"),
    },
    components={
        "schemas": {
            "RawTicket": schema(id=TEXT, seconds=TEXT, queue_id=TEXT, first=TEXT, last=TEXT, ticket_name=TEXT, cost=TEXT),
            "Ticket": schema(id=TEXT, type=kind("ticket"), title=TEXT, rule_id=TEXT, queue=named("QueueReference")),
            "Queue": schema(id=TEXT, type=kind("queue"), title=TEXT),
            "QueueReference": schema(id=TEXT, type=kind("queue_reference"), summary=TEXT),
            "Rule": schema(id=TEXT, type=kind("rule"), severity={"type": "string", "enum": ["low", "high"]}, type_id=TEXT),
            "Type": schema(id=TEXT, name=TEXT),
        }
    },
)


def test_numbers_are_ids_of_what_a_service_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row leads to its object, and from there to the object whose number it holds, though both have the same number."""
    number = {"type": "integer"}
    schemas = {"Pet": schema(id=number, ownerId=number), "Owner": schema(id=number, name=TEXT)}
    paths = {
        "/pets": get("listPets", {"type": "array", "items": named("Pet")}),
        "/pets/{petId}": get("getPet", named("Pet"), "petId"),
        "/owners/{ownerId}": get("getOwner", named("Owner"), "ownerId"),
    }
    with added_toolkits(monkeypatch, tmp_path):
        store.keep_prepared(store.prepared(str(written(tmp_path, document(paths, components={"schemas": schemas})))))
        catalog = load()
        links, rows = Links(catalog.tools["ListPets"], {}, Routes(catalog)), Document(b'[{"id": 7, "ownerId": 7}]')
        assert {(one.type, one.id) for one in ids_in(b'[{"id": 7, "ownerId": 7}]', catalog.tools["ListPets"])} == {
            ("pet", "7"),
            ("owner", "7"),
        }
        assert links.object_at(rows, 2) == ObjectLink("Things", "pet", "7")
        assert links.object_at(rows, 3) == ObjectLink("Things", "owner", "7", (("pet", "7"),))
        assert link_to({"id": 7, "ownerId": 7}, "Things", "pet") == ObjectLink("Things", "pet", "7", (("owner", "7"),))


def test_the_shortest_path_is_an_objects_own_and_others_are_views_of_it() -> None:
    known = tools(made(DESK))
    assert known["GetTicket"].returns.objects == ("ticket",)
    assert known["ListTickets"].returns.objects == ("ticket",)
    assert known["RawTicket"].returns.objects == ("raw_ticket",)
    assert known["RawTicket"].parameters[0].refers_to == ("ticket",), "a view takes the id of what it shows"
    assert known["RuleQueue"].returns.objects == ("rule_queue",)
    assert [one.refers_to for one in known["RuleQueue"].parameters] == [("rule",), ("queue",)]


def test_references_lead_to_what_they_refer_to_and_words_lead_nowhere() -> None:
    found = json.loads(made(DESK).files["references.json"])
    assert (found["type_in"], found["reference_suffix"]) == ("type", "_reference")
    objects = found["objects"]
    assert objects["ticket"] == {"refers": {"rule_id": "rule"}, "holds": {"queue": "queue"}}
    assert objects["rule"] == {"refers": {"type_id": "type"}}
    assert not [name for name in objects if name.endswith("_reference")]


def test_a_document_without_references_says_nothing_of_them() -> None:
    plain = document(
        {"/tickets/{id}": get("getTicket", named("Ticket"), "id")}, components={"schemas": {"Ticket": schema(id=TEXT)}}
    )
    assert "reference_suffix" not in json.loads(made(plain).files["references.json"])


def test_ids_that_are_paths_are_no_names_and_paths_that_are_methods_are_titles() -> None:
    fields = {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "required": ["b"]}
    write = {"requestBody": {"content": {"application/json": {"schema": fields}}}}
    operations = {
        "/objects/{kind}": {"get": {"operationId": "get-/objects/{kind}_/objects/{kind}"}},
        "/chat.postMessage": {"post": {"operationId": "chat_postMessage", **write}},
    }
    found = made(document(operations))
    known = tools(found)
    assert json.loads(found.files["titles.json"]) == {"titles": {"ChatPostMessage": "Chat post message"}}
    assert "GetObjectsByKind" in known
    first, second, _ = known["ChatPostMessage"].parameters
    assert (first.name, first.required, first.help) == ("b", False, "Required in a body.")
    assert second.help == ""
