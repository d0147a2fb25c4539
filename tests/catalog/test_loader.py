"""A catalogue with mistakes: each is told with file, tool and field, and everything else loads."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from registry.catalog.listing import DATA, read_file, table_of_contents
from registry.catalog.loader import Catalog, load


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(DATA / "toolkits.json", tmp_path)
    shutil.copy(DATA / "crm_users.json", tmp_path)
    return tmp_path


def changed(folder: Path, change: Any) -> Catalog:
    content = json.loads((folder / "crm_users.json").read_text("utf-8"))
    change(content)
    (folder / "crm_users.json").write_text(json.dumps(content), "utf-8")
    read_file.cache_clear()
    return load(folder)


def tool(content: Any, name: str) -> Any:
    return next(one for group in content["groups"] for one in group["tools"] if one["name"] == name)


def told(catalog: Catalog) -> list[tuple[str, str, str]]:
    return [(problem.file, problem.tool, problem.field) for problem in catalog.problems]


def test_a_missing_field(folder: Path) -> None:
    catalog = changed(folder, lambda content: tool(content, "CreateCrmUser").pop("summary"))
    assert told(catalog) == [("crm_users.json", "CreateCrmUser", "summary")]
    assert len(catalog.tools) == 6
    assert "CreateCrmUser" not in catalog.tools


def test_a_wrong_value_in_a_parameter_is_laid_to_the_parameter_by_name(folder: Path) -> None:
    def change(content: Any) -> None:
        tool(content, "FetchCrmUsersList")["parameters"][1]["in"] = "trailer"

    catalog = changed(folder, change)
    assert told(catalog) == [("crm_users.json", "FetchCrmUsersList", "parameters.user_retrieval_limit.in")]


def test_an_unknown_key_is_a_mistake(folder: Path) -> None:
    catalog = changed(folder, lambda content: tool(content, "GetAccountRoles").update(sumary="x"))
    assert told(catalog) == [("crm_users.json", "GetAccountRoles", "sumary")]


def test_a_number_in_quotes_is_a_mistake(folder: Path) -> None:
    def change(content: Any) -> None:
        tool(content, "FetchCrmUsersList")["parameters"][1]["maximum"] = "100"

    assert told(changed(folder, change)) == [("crm_users.json", "FetchCrmUsersList", "parameters.user_retrieval_limit.maximum")]


def test_a_path_that_does_not_fit_its_parameters(folder: Path) -> None:
    catalog = changed(folder, lambda content: tool(content, "RemoveCrmUser").update(path="/settings/v3/users/{user}"))
    assert told(catalog) == [("crm_users.json", "RemoveCrmUser", "path")]
    assert "has ['user'], and the path parameters are ['userId']" in str(catalog.problems[0])


def test_the_same_name_twice(folder: Path) -> None:
    catalog = changed(folder, lambda content: content["groups"][0]["tools"].append(tool(content, "GetAccountRoles")))
    assert told(catalog) == [("crm_users.json", "GetAccountRoles", "name")]
    assert len(catalog.tools) == 7


def test_a_file_that_is_not_json_leaves_the_others(folder: Path) -> None:
    (folder / "broken.json").write_text('{"groups": [', "utf-8")
    catalog = load(folder)
    assert told(catalog) == [("broken.json", "", "")]
    assert len(catalog.tools) == 7
    assert len(table_of_contents(folder)) == 7


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"default": "7"}, "default"),
        ({"required": True, "default": 7}, "default"),
        ({"type": "string"}, "minimum"),
        ({"wire_enum": ["a"]}, "wire_enum"),
        ({"in": "local"}, "wire_name"),
        ({"help": ""}, "help"),
        ({"name": "Limit"}, "name"),
    ],
)
def test_contradictions_in_a_parameter(folder: Path, change: dict[str, Any], field: str) -> None:
    catalog = changed(folder, lambda content: tool(content, "FetchCrmUsersList")["parameters"][1].update(change))
    name = change.get("name", "user_retrieval_limit")
    assert told(catalog) == [("crm_users.json", "FetchCrmUsersList", f"parameters.{name}.{field}")]
    assert len(catalog.tools) == 6


def test_an_unknown_toolkit(folder: Path) -> None:
    catalog = changed(folder, lambda content: content.update(toolkit="Crm"))
    assert len(catalog.problems) == 7
    assert "there is no toolkit 'Crm'" in str(catalog.problems[0])


def test_no_toolkits_at_all(tmp_path: Path) -> None:
    assert told(load(tmp_path)) == [("toolkits.json", "", "")]


def test_finding_by_name() -> None:
    catalog = load()
    assert catalog.find("GetCustomerCards") is catalog.find("paymentsapi.getcustomercards")
    assert catalog.find("Incidents.GetCustomerCards") is None
    assert catalog.find("Nothing") is None
