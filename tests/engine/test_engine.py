"""What an engine is opened with, what it keeps and where; `docs/python.md` runs; nothing else makes an engine's parts."""

import ast
import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import registry.engine.api
from registry.accounts.connection import ConnectionSettingsError
from registry.accounts.policy import Consent
from registry.engine import Presenter, Settings, Spool, UnknownTool, open_engine
from registry.journal.entries import SearchQuery
from tests.changes.world import TOOLS
from tests.opened import opened
from tests.test_every_tool import examples

COUPON = {"coupon_id": "PARTNER15"}


async def test_tools_and_connections_by_name() -> None:
    async with opened() as engine:
        assert (await engine.run("whoami")).tool == "Whoami"
        assert (await engine.run("Incidents.Whoami", {}, "sandbox")).ok
        with pytest.raises(UnknownTool, match=r"did you mean .*DeletePaymentsCoupon"):
            await engine.run("DeletePaymentCoupon")
        with pytest.raises(ConnectionSettingsError, match="account 'payments' is not set up: set PAYMENTS_API_KEY"):
            await engine.run("Whoami", connection="payments")
    named = opened(environment={"PAYMENTS_API_KEY": "sk_test_1"})
    assert list(named.connections) == ["sandbox", "payments"]
    with pytest.raises(ConnectionSettingsError, match="serves PaymentsApi, not Incidents"):
        await named.run("Whoami", connection="payments")


async def test_every_method_takes_names_as_well_as_objects() -> None:
    async with opened() as engine:
        tool, there = engine.tool("FetchCrmUsersList"), engine.connection("sandbox")
        assert engine.validate("FetchCrmUsersList", {"user_retrieval_limit": "5"}).values == {"user_retrieval_limit": 5}
        arguments = engine.validate(tool, {})
        shown = engine.preview(tool, arguments, there)
        assert engine.preview("FetchCrmUsersList", arguments, "sandbox") == shown
        assert engine.preview("FetchCrmUsersList", arguments) == shown, "the usual account"
        several = await engine.run_several("FetchCrmUsersList", {}, ["sandbox"])
        assert (several.ok, several.accounts) == (True, ("sandbox",))
        with Spool() as spool:
            fetched = await engine.fetch_all("FetchCrmUsersList", {}, "sandbox", spool, most=3).run()
            assert (fetched.count, len(spool), fetched.capped) == (3, 3, True)
        with Spool() as spool:
            assert (await engine.fetch_all(tool, {}, None, spool, most=3).run()).connection.name == "sandbox"
        (deleted,) = await engine.delete_many("DeletePaymentsCoupon", [COUPON], "sandbox", Consent.CONFIRMED)
        assert deleted.outcome is not None
        assert deleted.outcome.became == "done"
        assert engine.ending("sandbox", tool.toolkit) is None
        with pytest.raises(UnknownTool):
            engine.validate("Nothing", {})
        with Spool() as spool, pytest.raises(UnknownTool):
            engine.fetch_all("Nothing", {}, "sandbox", spool)
        for call in (engine.run_several(tool, {}, ["nowhere"]), engine.delete_many(tool, [], "nowhere", Consent.NONE)):
            with pytest.raises(ConnectionSettingsError, match="unknown account 'nowhere'"):
                await call


async def test_an_environment_that_cannot_be_used() -> None:
    async with opened(environment={"PAYMENTS_API_KEY": "sk_test_1", "PAYMENTS_BASE_URL": "http://example.com"}) as engine:
        assert "PAYMENTS_BASE_URL must start with https://" in engine.problem
        assert list(engine.connections) == ["sandbox"]
        with pytest.raises(ConnectionSettingsError, match="PAYMENTS_BASE_URL"):
            await engine.run("Whoami")
        assert (await engine.run("Whoami", connection=engine.connections["sandbox"])).ok, "what the explorer goes on with"


@pytest.mark.parametrize(
    ("journal", "environment", "kept"),
    [(True, {}, ["DeletePaymentsCoupon", "Whoami"]), (False, {}, []), (True, {"CALLBOARD_NO_JOURNAL": "1"}, [])],
)
async def test_what_is_kept_and_where(tmp_path: Path, journal: bool, environment: dict[str, str], kept: list[str]) -> None:
    settings = Settings(environment, downloads=tmp_path / "files", journal=journal, state=tmp_path / "state")
    async with open_engine(settings) as engine:
        await asyncio.to_thread(engine.load)
        assert (await engine.run("Whoami")).ok
        assert (await engine.run("DeletePaymentsCoupon", COUPON, consent=Consent.CONFIRMED)).became == "done"
        assert (await engine.run("Whoami", remember=False)).became is None, "nothing becomes of a read"
        quote = await engine.run("DownloadQuotePdf", examples(TOOLS["DownloadQuotePdf"]))
        assert [file.parent for file in (tmp_path / "files").iterdir()] == [tmp_path / "files"] * quote.ok
    assert [(change.tool, change.state) for change in engine.audit.changes()] == [("DeletePaymentsCoupon", "done")]
    names = [entry.tool for entry in engine.history.search(SearchQuery()) if entry.tool != "DownloadQuotePdf"]
    assert names == kept, "the reads of a look are not among them"
    assert {file.name.partition("-")[0] for file in (tmp_path / "state").iterdir()} == {
        "changes.db",
        *(["journal.db"] if kept else []),
    }


ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text()
FIRST, FETCHING, ASKING = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_the_ten_lines() -> None:
    # The sandbox in memory is not closed: it lasts as long as the program. Python 3.13 warns of that.
    warnings = ("-W", "error", "-W", "ignore:unclosed database:ResourceWarning")
    done = subprocess.run([sys.executable, *warnings, "-c", FIRST], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    *customers, email, became = done.stdout.splitlines()
    assert len(customers) == 10
    assert all(line.startswith("cus_") for line in customers)
    assert "@" in email
    assert became == "done"
    body = FIRST[FIRST.index("async def main") : FIRST.index("asyncio.run")].strip().splitlines()
    assert len(body) <= 10


async def test_a_whole_list(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    exec(FETCHING, names)
    async with opened() as engine:
        await names["print_all"](engine)
    count, complete, first = capsys.readouterr().out.split(maxsplit=2)
    assert int(count) > 100, "more than one page"
    assert (complete, '"id"' in first) == ("True", True)


def test_the_presenter() -> None:
    names: dict[str, object] = {}
    exec(ASKING, names)
    made = names["Terminal"]
    assert isinstance(made, type)
    assert issubclass(made, Presenter)


def test_what_the_page_names_is_there() -> None:
    named = set(re.findall(r"`([A-Z]\w+)`", PAGE))
    assert {"Result", "ArgumentError", "UnknownTool", "ConnectionSettingsError", "NotAllowed", "Presenter"} <= named
    for name in named:
        assert name in registry.engine.api.__all__, name
    for name in ("ArgumentError", "ConnectionSettingsError", "Result"):
        assert getattr(registry.engine, name).__name__ == name


ASSEMBLED = {"Audit", "ToolClient", "History", "CallRecorder", "Network", "Policy", "Traces"}
# A class of the same name that is data: an escalation policy.
OTHERS = {("registry/oncall/reading.py", "Policy")}


def made(source: str) -> Iterator[str]:
    """The names of `ASSEMBLED` that a module calls, also by way of a module or a class method."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            parts, function = list[str](), node.func
            while isinstance(function, ast.Attribute):
                parts.append(function.attr)
                function = function.value
            if isinstance(function, ast.Name):
                parts.append(function.id)
            yield from ASSEMBLED.intersection(parts)


@pytest.mark.parametrize("code", ["Network()", "policy.Policy.of({})", "x = [calling.client.ToolClient(a, b)]"])
def test_what_is_made_is_found(code: str) -> None:
    assert list(made(code))


def test_only_the_engine_makes_the_parts() -> None:
    makers: dict[str, set[str]] = {}
    for package in ("registry", "tui"):
        for file in sorted((ROOT / package).rglob("*.py")):
            name = file.relative_to(ROOT).as_posix()
            source = file.read_text()
            if not any(part in source for part in ASSEMBLED):
                continue  # what is called is named
            for part in made(source):
                if (name, part) not in OTHERS and not name.startswith("registry/sandbox/"):
                    makers.setdefault(part, set()).add(name)
    reading = {part: {"registry/engine/reading.py"} for part in ASSEMBLED}
    assert makers == reading | {part: {"registry/engine/engine.py"} for part in ("Audit", "History", "Policy")}
