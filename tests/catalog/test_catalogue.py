"""The catalogue that ships: complete, right, and in words; and JSON as values of a type, in several threads at once."""

import json
import re
import subprocess
import sys

import pytest

from registry.catalog.folders import BUILT_IN, Found, built_in
from registry.catalog.loader import load
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
    checked = load(Found(tuple(folder._replace(trusted=False) for folder in built_in().folders)))
    assert dict(checked.toolkits) == dict(CATALOG.toolkits)
    assert list(checked.tools.items()) == list(CATALOG.tools.items())
    assert checked.problems == CATALOG.problems == ()


_TWO_THREADS = """
import sys, threading
from dataclasses import make_dataclass
from registry.catalog.reading import converted, decoded

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
