"""The catalogue that ships: complete, right, and in words; titles of tools: the resource, then what is done with it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from registry.catalog.folders import BUILT_IN, SHIPPED, Found, forget
from registry.catalog.listing import ToolTitle, titles_of
from registry.catalog.loader import load
from registry.catalog.model import Returns, Tool
from registry.catalog.schema import json_schema
from tests.sampled import further
from tests.tools.toolkit_schemas import schemas

CATALOG = load()
TOOLS = list(CATALOG.tools.values())


def test_every_tool_is_there_and_nothing_is_wrong() -> None:
    assert CATALOG.problems == ()
    counts = {name: sum(tool.toolkit == name for tool in TOOLS) for name in CATALOG.toolkits}
    assert counts == {"PaymentsApi": 220, "Incidents": 14, "CrmUsersApi": 7}


def test_operation_names_follow_from_method_and_path() -> None:
    """The platform derives operation identifiers from method and path, with some words renamed. A wrong path shows here."""
    renamed = (("apple_pay", "wallet_pay"), ("radar", "fraud"), ("sigma", "analytics"))
    for tool in (tool for tool in TOOLS if tool.toolkit == "PaymentsApi"):
        path = tool.path.removeprefix("/v1")
        for old, new in renamed:
            path = path.replace(old, new)
        words = re.findall(r"[a-z0-9]+", path.replace("{", "").replace("}", ""))
        assert tool.operation.lower() == (tool.method + "".join(words)).lower()


def test_words_and_json_schema() -> None:
    for tool in TOOLS:
        assert tool.summary.endswith("."), tool.name
        assert len(tool.summary) <= 110, tool.name
        assert all(one.help.endswith((".", "…")) and "\n" not in one.help for one in tool.parameters), tool.name
        assert not (tool.use_instead and tool.use_instead[0].isupper()) or tool.use_instead in CATALOG.tools
        schema = json_schema(tool)
        assert set(schema["properties"]) == {parameter.name for parameter in tool.parameters}
        assert set(schema["required"]) == {parameter.name for parameter in tool.parameters if parameter.required}


def test_references_point_to_types_that_some_tool_answers_with_or_that_are_known_to_have_none() -> None:
    answered = {kind for tool in TOOLS for kind in tool.returns.objects}
    referred = {kind for tool in TOOLS for parameter in tool.parameters for kind in parameter.refers_to}
    assert referred - answered == {"application", "financial_connections.account_ownership"}


def test_what_stands_beside_the_data_is_up_to_date() -> None:
    for name, content in schemas().items():
        assert json.loads((BUILT_IN / name).read_text("utf-8")) == content, "run python -m tests.tools.toolkit_schemas"


def test_the_catalogue_that_ships_is_right_and_the_same_when_it_is_checked() -> None:
    checked = load(Found(tuple(folder._replace(trusted=False) for folder in SHIPPED.folders)))
    assert dict(checked.toolkits) == dict(CATALOG.toolkits)
    assert list(checked.tools.items()) == list(CATALOG.tools.items())
    assert checked.problems == CATALOG.problems == ()


_TWO_THREADS = """
import sys, threading
from dataclasses import make_dataclass
from registry.catalog.folders import converted, decoded

sys.setswitchinterval(1e-6)
for _ in range(int(sys.argv[1])):
    inner = [make_dataclass(f"Inner{n}", [("a", int), ("b", int)]) for n in range(10)]
    outer = make_dataclass("Outer", [(f"f{n}", one) for n, one in enumerate(inner)])
    value = {f"f{n}": {"a": 1, "b": n} for n in range(10)}
    together = threading.Barrier(2)

    def read():
        together.wait()
        assert converted(value, outer).f3.b == 3

    threads = [threading.Thread(target=read) for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
print("done")
"""


@pytest.mark.parametrize("types", [60, *further(300)])
def test_two_threads_may_meet_a_type_at_once(types: int) -> None:
    """In a process of its own: where this fails, the process ends with a segmentation fault within 20 types."""
    done = subprocess.run(
        [sys.executable, "-c", _TWO_THREADS, str(types)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


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
