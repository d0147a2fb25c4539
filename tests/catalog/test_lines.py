"""The line of a mistake: of the value that is wrong, or of the object that lacks a field."""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from typing import Any

import pytest

from registry.catalog import lines
from registry.catalog.folders import Found, ToolkitFolder, built_in
from registry.catalog.lines import Lines
from registry.catalog.loader import load
from registry.catalog.reading import forget
from tests.catalog.test_loader import folder as folder
from tests.catalog.test_loader import loaded, tool

TEXT = """
{
  "groups": [
    {
      "name": "People", "tools": [
        {"name": "GetUser", "a.b": {
          "c": 1
        }, "parameters": [
          {"name": "limit",
           "maximum": "10",
           "properties": [
             {"name": "inner",
              "type": 1}]}]},
        {"name": "GetUser",
         "path": "/"}
      ]
    }
  ],
  "same": 1,
  "same": 2
}
"""


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ("", 2),
        ("missing", 2),
        ("groups.0.name", 5),
        ("groups[0].name", 5),
        ("groups.People.tools.GetUser.a.b.c", 7),
        ("groups.0.tools.0.a.b.missing", 6),
        ("groups.0.tools.0.parameters.limit.maximum", 10),
        ("groups.0.tools.0.parameters.limit.minimum", 9),
        ("groups.0.tools.0.parameters.limit.inner.type", 13),
        ("groups.0.tools.1.path", 15),
        ("groups.7", 3),
        ("groups.0.name.further.on", 5),
        ("same", 20),
        ("groups" + ".x" * 1_000, 3),
    ],
)
def test_the_line_of_a_field(field: str, line: int) -> None:
    assert Lines(TEXT).of(field) == line


def test_lines_are_the_same_in_every_encoding_of_json(tmp_path: Path) -> None:
    for content in (codecs.BOM_UTF8 + TEXT.encode(), TEXT.encode("utf-16"), TEXT.encode("utf-32-le")):
        assert json.loads(content)
        (tmp_path / "a.json").write_bytes(content)
        forget()
        assert lines.lines_of(tmp_path / "a.json").of("same") == 20


def test_of_tools_with_the_same_name_the_last_is_meant() -> None:
    assert (Lines(TEXT).of_tool("GetUser", "path"), Lines(TEXT).of_tool("GetUser", "name")) == (15, 14)


def test_nothing_is_left_of_a_text_that_is_too_deep() -> None:
    assert Lines("[" * 100_000).of("0.0") == 0


def test_places_inside_a_value() -> None:
    text = '{"a": [1, {"b": "x"}]}'
    assert Lines(text).inside(0, ("a", 1, "b")) == text.index('"x"')
    assert Lines(text).inside(0, ("a", 7, "b")) == text.index("[")
    assert Lines(text).inside(text.index("["), (0,)) == text.index("1")


def test_each_part_of_a_text_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of mistakes in one file cost no more than a few: a folder from elsewhere must not hold the program up."""
    found = Lines(json.dumps({"groups": [{"tools": [{"name": f"T{number}"} for number in range(3_000)]}]}))
    read: list[int] = []
    decoder = json.JSONDecoder()

    class Counting:
        def raw_decode(self, text: str, at: int) -> tuple[Any, int]:
            read.append(at)
            return decoder.raw_decode(text, at)

    monkeypatch.setattr("registry.catalog.lines._DECODER", Counting())
    for number in range(3_000):
        found.of(f"groups.0.tools.{number}.method")
    assert len(read) < 5 * 3_000


def written(folder: Path, content: Any, file: str) -> list[str]:
    """The problems of a folder with another content of a file, without the folder's name."""
    (folder / file).write_text(json.dumps(content, indent=1), "utf-8")
    return [str(problem).removeprefix(f"{folder}/") for problem in loaded(folder).problems]


def line_in(folder: Path, file: str, text: str) -> int:
    """The line of the first occurrence of a text in a file."""
    return (folder / file).read_text("utf-8").split(text)[0].count("\n") + 1


TOOLS = "tools/crm_users.json"


def test_a_misspelt_field_of_a_service_is_told_before_what_it_lacks(folder: Path) -> None:
    content = json.loads((folder / "service.json").read_text("utf-8"))
    content = {("toolkitt" if key == "toolkit" else key): value for key, value in content.items()}
    told = written(folder, content, "service.json")
    assert told == [
        f"service.json:{line_in(folder, 'service.json', 'toolkitt')}: toolkitt: is not a field here (did you mean toolkit?)",
        "service.json:1: toolkit: is required",
    ]


def test_the_lines_of_a_tool(folder: Path) -> None:
    content = json.loads((folder / TOOLS).read_text("utf-8"))
    wrong = tool(content, "FetchCrmUsersList")
    wrong["parameters"][1] |= {"in": "trailer", "maximun": 3}
    del wrong["summary"]
    tool(content, "GetAccountRoles")["host"] = "nowhere"
    content["groups"][0]["tools"] += [tool(content, "CreateCrmUser") | {"path": "/b"}, 7]
    content["groups"] += [{"name": "Empty", "tool": []}, {"tools": []}, 3]
    content["group"] = []
    first = len(content["groups"]) - 3
    told = written(folder, content, TOOLS)
    lines_of_file = (folder / TOOLS).read_text("utf-8").splitlines()
    by_words = {one.split(": ", 1)[1]: int(one.split(":")[1]) for one in told}
    assert by_words.keys() == {
        "group: is not a field here (did you mean groups?)",
        f"groups.{first}.tool: is not a field here (did you mean tools?)",
        f"groups.{first}.tools: is required",
        f"groups.{first + 1}.name: is required",
        f"groups.{first + 2}: must be an object",
        "must be an object",
        "FetchCrmUsersList: parameters.user_retrieval_limit.maximun: is not a field here (did you mean maximum?)",
        "FetchCrmUsersList: parameters.user_retrieval_limit.in: must be path, query, header, cookie, body, local or inside",
        "FetchCrmUsersList: summary: is required",
        "GetAccountRoles: host: must be one of the service's hosts: api",
        "CreateCrmUser: name: is already in the toolkit",
    }
    for words, beginning in (
        (
            "FetchCrmUsersList: parameters.user_retrieval_limit.maximun: is not a field here (did you mean maximum?)",
            '"maximun"',
        ),
        ("GetAccountRoles: host: must be one of the service's hosts: api", '"host": "nowhere"'),
        (f"groups.{first}.tool: is not a field here (did you mean tools?)", '"tool"'),
        ("must be an object", "7"),
        (f"groups.{first + 2}: must be an object", "3"),
        ("FetchCrmUsersList: summary: is required", "{"),
    ):
        assert lines_of_file[by_words[words] - 1].strip().startswith(beginning), words
    last = max(number for number, line in enumerate(lines_of_file, 1) if '"name": "CreateCrmUser"' in line)
    assert by_words["CreateCrmUser: name: is already in the toolkit"] == last


def test_a_service_that_takes_the_name_of_another_is_told_with_the_line(folder: Path) -> None:
    forget()
    (problem,) = load(Found((*built_in().folders, ToolkitFolder(folder)))).problems
    assert problem.line == line_in(folder, "service.json", '"toolkit"')


def test_no_line_is_looked_up_for_a_folder_that_is_right(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "Lines", None)
    assert loaded(folder).problems == ()
