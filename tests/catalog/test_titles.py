"""Titles of tools: the resource, then what is done with it; no two alike, deletions last."""

import json
from pathlib import Path

from registry.catalog.listing import ToolTitle, titles_of
from registry.catalog.model import Returns, Tool
from registry.catalog.reading import forget


def tool(name: str, path: str, kind: str = "object", method: str = "GET") -> Tool:
    returns = Returns(kind=kind, objects=())  # type: ignore[arg-type]
    facts = {"toolkit": "T", "operation": "o", "group": "g", "effect": "read", "summary": "s"}
    return Tool(**facts, name=name, path=path, method=method, returns=returns)  # type: ignore[arg-type]


def made(folder: Path, *tools: Tool, **data: object) -> dict[str, ToolTitle]:
    (folder / "titles.json").write_text(json.dumps(data), "utf-8")
    forget()
    return titles_of(tools, folder)


def test_titles_are_made_for_any_toolkit(tmp_path: Path) -> None:
    titles = made(
        tmp_path,
        tool("a", "/api/2.0/tickets", "list"),
        tool("b", "/api/2.0/tickets/{ticketId}"),
        tool("c", "/api/2.0/tickets/{ticketId}/auditEntries", "list"),
        tool("d", "/api/2.0/tickets/{ticketId}/auditEntries/{id}"),
        tool("e", "/api/2.0/tickets", method="POST"),
        tool("f", "/api/2.0/tickets/{ticketId}", "deletion", "DELETE"),
        tool("g", "/{anything}"),
        tool("h", ""),
    )
    expected = "Tickets · list|Ticket · get|Ticket · audit entries|Ticket · audit entry|Tickets · create|Ticket · delete"
    assert [titles[name].text for name in "abcdef"] == expected.split("|")
    assert sorted("abcdef", key=lambda name: titles[name].place) == ["a", "b", "c", "d", "e", "f"]


def test_a_post_creates_updates_or_does_what_its_path_ends_with(tmp_path: Path) -> None:
    posts = {
        "/v1/customers": "Customers · create",
        "/v1/customers/{id}": "Customer · update",
        "/v1/customers/{id}/sources": "Customer · create source",
        "/v1/customers/{id}/sources/{source}": "Customer · update source",
        "/v1/customers/{id}/verify_deposits": "Customer · verify deposits",
        "/crm/2025-09/objects/{type}": "Object · create",
        "/crm/2025-09/objects/{type}/{id}/merge": "Object · merge",
        "/crm/2025-09/objects/{type}/search": "Object · search",
    }
    reads = [
        tool("A", "/v1/customers/{id}"),
        tool("B", "/v1/customers/{id}/sources", "list"),
        tool("C", "/crm/2025-09/objects/{type}/{id}"),
        tool("D", "/crm/2025-09/objects/{type}", "list"),
    ]
    titles = made(tmp_path, *reads, *(tool(path, path, method="POST") for path in posts))
    assert {path: titles[path].text for path in posts} == posts
    assert titles["D"].text == "Object · list"


def test_of_a_put_and_a_patch_the_put_replaces_and_alone_it_updates(tmp_path: Path) -> None:
    puts = [tool("A", "/apis/v1/pods/{id}", method="PUT"), tool("B", "/apis/v1/jobs/{id}", method="PUT")]
    titles = made(tmp_path, tool("C", "/apis/v1/pods/{id}", method="PATCH"), *puts)
    assert [titles[name].text for name in "ABC"] == ["Pod · replace", "Job · update", "Pod · update"]


def test_equal_titles_get_the_tools_own_names_and_namespaces_tell_resources_apart(tmp_path: Path) -> None:
    lists = [tool("A", "/card/rates", "list"), tool("B", "/tax/rates", "list")]
    titles = made(tmp_path, tool("Old", "/x/{id}"), tool("New", "/x/{id}"), *lists)
    assert {titles["Old"].text, titles["New"].text} == {"X · get (Old)", "X · get (New)"}
    assert (titles["A"].text, titles["B"].text) == ("Card rates · list", "Tax rates · list")


def test_what_a_toolkit_says_itself_comes_first_and_other_shapes_are_passed_over(tmp_path: Path) -> None:
    tools = tool("a", "/boxes/{id}"), tool("b", "/jars", "list")
    own: dict[str, object] = {
        "titles": {"a": "Box · look into it"},
        "resources": {"b": "Glasses"},
        "words": {"boxes": "crates"},
    }
    titles = made(tmp_path, *tools, **own, first=["Glasses"])
    assert titles["a"] == ToolTitle("Box · look into it", "Crates", "look into it", titles["a"].place)
    assert titles["b"].text == "Glasses · list"
    assert titles["b"].place < titles["a"].place
    assert made(tmp_path, *tools, titles=3, resources=[], words={"boxes": 3}, first="x")["a"].text == "Box · get"
