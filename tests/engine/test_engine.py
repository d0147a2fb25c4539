"""What an engine is opened with, what it keeps and where, and doors of other kinds that ask through a presenter."""

import asyncio
from pathlib import Path

import pytest

from registry.accounts.connection import ConnectionSettingsError
from registry.accounts.policy import Consent
from registry.engine import Settings, Spool, UnknownTool, open_engine
from registry.journal.schema import SearchQuery
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
