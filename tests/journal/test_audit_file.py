"""A copy of the audit log in a file of the user's; and settings that earlier versions read, told once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from registry.engine import Consent, Settings, open_engine
from registry.files.gone_settings import gone_settings
from registry.journal.store import AUDIT_VARIABLE as VARIABLE

TOOL = "CreateCrmUser"


def environment(tmp_path: Path, settings: str) -> dict[str, str]:
    file = tmp_path / "callboard" / "config.toml"
    file.parent.mkdir()
    file.write_text(settings)
    return {"XDG_CONFIG_HOME": str(tmp_path), "CALLBOARD_CONFIG": str(file)}


@pytest.mark.parametrize("where", ["settings", "variable"])
async def test_each_change_is_a_line(tmp_path: Path, where: str) -> None:
    file = tmp_path / "audit.ndjson"
    file.write_text("a line of before\n")
    variables = environment(tmp_path, f'[audit]\nfile = "{file}"\n' if where == "settings" else "")
    variables |= {VARIABLE: str(file)} if where == "variable" else {}
    async with open_engine(Settings(variables, state=tmp_path / "state")) as engine:
        for name in ("Ada", "Lin"):
            assert (await engine.run(TOOL, {"user_email": f"{name}@shop.example"}, consent=Consent.CONFIRMED)).ok
        kept = engine.audit.changes()
    first, *lines = file.read_text().splitlines()
    assert first == "a line of before"
    assert [json.loads(line) for line in lines] == [json.loads(one.as_line()) for one in reversed(kept)]
    assert [json.loads(line)["arguments"]["user_email"] for line in lines] == ["Ada@shop.example", "Lin@shop.example"]


async def test_a_file_that_cannot_be_written_is_told_once_and_stops_nothing(tmp_path: Path) -> None:
    told: list[str] = []
    variables = {VARIABLE: str(tmp_path)}
    async with open_engine(Settings(variables, state=tmp_path / "state", tell=told.append)) as engine:
        for name in ("Ada", "Lin"):
            assert (await engine.run(TOOL, {"user_email": f"{name}@shop.example"}, consent=Consent.CONFIRMED)).ok
    assert len(told) == 1
    assert told[0].startswith("The audit file cannot be written: ")


def test_settings_that_are_gone_are_told_once(tmp_path: Path) -> None:
    variables = environment(
        tmp_path,
        '[team]\naudit = "postgresql://h/d"\n[accounts.live]\nservice = "payments"\nsecret = "env:A"\nrule = "approve"\n',
    )
    told = gone_settings(variables, tmp_path / "state")
    assert [words.partition(": ")[2].partition(":")[0] for words in told] == ["[team] audit", '[accounts."live"] rule']
    assert gone_settings(variables, tmp_path / "state") == []
