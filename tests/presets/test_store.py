"""Presets are stored whole, in separate files that only their owner can read; errors in a file name the field and the rule."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from registry.catalog.loader import load
from registry.presets.preset import MOST_BYTES, Preset, PresetError, file_text, new_preset, read_file
from registry.presets.sharing import proposed_name, write_shared
from registry.presets.store import MOST_SETS, NameTaken, PresetStore, shared_file
from registry.results.export.formats import NotExported
from tests.hostile import STRINGS, forbidden_in_output
from tests.terminal import ROOT

TOOLS = load().tools
TOOL = TOOLS["ListIncidents"]
RAW = {"team_ids": ["A, B", "C"], "urgency": "high", "since": "", "limit": "007"}


def kept(name: str = "mine", raw: dict[str, Any] = RAW) -> Preset:
    return new_preset(TOOL, name, raw, 1_772_000_000.0)[0]


@pytest.fixture
def sets(tmp_path: Path) -> PresetStore:
    return PresetStore(tmp_path / "arguments")


def only_file(folder: Path, pattern: str = "arguments/*/*.json") -> Path:
    (file,) = folder.glob(pattern)
    return file


def test_saved_and_found_again_exactly(sets: PresetStore, tmp_path: Path) -> None:
    sets.save(TOOL, kept(" mine "))
    assert sets.of(TOOL).presets == (kept(),)
    assert sets.find(TOOL, "mine") == kept()
    assert sets.of(TOOLS["ListTeams"]).presets == ()
    assert kept().summary == "urgency high · team_ids A, B, C · since (empty) · limit 007"
    for path in (tmp_path / "arguments").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)
    with pytest.raises(PresetError, match=r"No preset “other” for ListIncidents\. Presets: “mine”"):
        sets.find(TOOL, "other")


def test_a_name_that_is_taken_stays_taken_unless_it_is_to_be_replaced(sets: PresetStore) -> None:
    sets.save(TOOL, kept())
    other = kept(raw={"limit": "5"})
    with pytest.raises(NameTaken, match="“mine” already exists"):
        sets.save(TOOL, other)
    assert sets.of(TOOL).presets == (kept(),)
    sets.save(TOOL, other, replaces=True)
    assert sets.of(TOOL).presets == (other,)
    # Names that a file's name cannot tell apart are names of their own.
    for name in ("Mine", "a/b", "a-b", "..", "ü", "東京"):
        sets.save(TOOL, kept(name))
    assert {one.name for one in sets.of(TOOL).presets} == {"mine", "Mine", "a/b", "a-b", "..", "ü", "東京"}


def test_renaming_and_deleting(sets: PresetStore) -> None:
    sets.save(TOOL, kept())
    sets.save(TOOL, kept("other"))
    with pytest.raises(NameTaken):
        sets.rename(TOOL, kept(), "other")
    assert {one.name for one in sets.of(TOOL).presets} == {"mine", "other"}
    assert sets.rename(TOOL, kept(), "mine") == kept()
    sets.rename(TOOL, kept(), " third ")
    assert sets.of(TOOL).presets == (kept("other"), kept("third"))
    sets.delete(TOOL, "other")
    sets.delete(TOOL, "other")
    assert sets.of(TOOL).presets == (kept("third"),)


@pytest.mark.parametrize(
    ("name", "rule"), [(" ", "needs a name"), ("x" * 61, "at most 60"), ("a\x1b[31m", "control"), ("a\u202eb", "invisible")]
)
def test_names(name: str, rule: str) -> None:
    with pytest.raises(PresetError, match=rule):
        kept(name)


def test_secrets_are_never_kept(sets: PresetStore, tmp_path: Path) -> None:
    tool = TOOLS["RetrievePaymentIntentDetails"]
    secret = {"payment_intent_client_secret": "MARKED"}
    one, left_out = new_preset(tool, "mine", {"payment_intent_id": "pi_1", **secret}, 0.0)
    assert left_out == ("payment_intent_client_secret",)
    sets.save(tool, one)
    assert "MARKED" not in only_file(tmp_path).read_text("utf-8")
    with pytest.raises(PresetError, match="Only payment_intent_client_secret is set, and secrets are never saved"):
        new_preset(tool, "mine", secret, 0.0)
    smuggled = file_text(tool, one).replace("payment_intent_id", "payment_intent_client_secret").encode()
    with pytest.raises(PresetError, match=r"`arguments\.payment_intent_client_secret` is a secret"):
        read_file(smuggled, TOOLS)


def test_damaged_files_are_put_aside_and_told_and_others_stay(sets: PresetStore, tmp_path: Path) -> None:
    sets.save(TOOL, kept("whole"))
    sets.save(TOOL, kept("torn"))
    torn = only_file(tmp_path, "arguments/*/torn-*.json")
    torn.write_bytes(torn.read_bytes()[:40])
    newer = torn.with_name("newer.json")
    newer.write_text(file_text(TOOL, kept("newer")).replace('"version": 1', '"version": 2'))
    os.mkfifo(torn.with_name("pipe.json"))
    found = sets.of(TOOL)
    assert [one.name for one in found.presets] == ["whole"]
    assert "\n".join(found.notices).count("\n") == 2
    assert "The file has version 2; this Callboard reads version 1. Update Callboard." in "\n".join(found.notices)
    aside = torn.with_suffix(".broken")
    assert f"{torn.name} is damaged" in "\n".join(found.notices)
    assert str(aside) in "\n".join(found.notices)
    assert aside.stat().st_size == 40
    assert newer.exists()
    assert len(sets.of(TOOL).notices) == 1, "what was put aside is told once"


def test_a_file_put_there_by_hand_counts_under_the_name_that_it_holds(sets: PresetStore, tmp_path: Path) -> None:
    folder = tmp_path / "arguments" / TOOL.name
    folder.mkdir(parents=True)
    (folder / "by-hand.json").write_text(file_text(TOOL, kept("hers")))
    assert [one.name for one in sets.of(TOOL).presets] == ["hers"]
    (folder / "again.json").write_text(file_text(TOOL, kept("hers", {"limit": "1"})))
    found = sets.of(TOOL)
    assert [one.raw for one in found.presets] == [RAW]
    assert found.notices == ("again.json cannot be used: Preset “hers” already exists. Choose another name, or overwrite it.",)
    assert (folder / "again.json").exists()
    sets.delete(TOOL, "hers")
    assert [one.raw for one in sets.of(TOOL).presets] == [{"limit": "1"}]


def members(**changes: object) -> bytes:
    whole = {"format": "callboard arguments", "version": 1, "tool": TOOL.name, "name": "mine", "arguments": {"limit": 5}}
    return json.dumps({name: value for name, value in (whole | changes).items() if value is not ...}).encode()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xff\xfe", "not valid UTF-8 .byte 1"),
        (b"{", "not JSON: line 1, column 2"),
        (b"[]", "must contain a JSON object"),
        (b"[" * 100_000, "nested too deeply"),
        (b" " * (MOST_BYTES + 1), "too large"),
        (members(format="other"), "`format` is missing or wrong"),
        (members(version=...), "`version` must be a whole number; got nothing"),
        (members(version="1"), '`version` must be a whole number; got "1"'),
        (members(version=2), "The file has version 2; this Callboard reads version 1. Update Callboard."),
        (members(extra=1), "`extra` is not a property of a preset file"),
        (members(name=5), "`name` must be text; got 5"),
        (members(name="\x1b[2J"), "`name` contains a control"),
        (members(name="x" * 1_000), "`name` has at most 60 characters"),
        (members(tool="ListIncident"), "did you mean ListIncidents."),
        (members(tool=["x"]), "`tool` must be text"),
        (members(saved="yesterday"), "`saved` must be a time"),
        (members(saved="9999-12-31T23:59:59-23:59"), "`saved` must be a time"),
        (members(arguments=[]), "`arguments` must be an object"),
        (members(arguments={"limt": 5}), "`arguments.limt` is not a parameter of ListIncidents; did you mean `limit`."),
        (members(arguments={"limit": [5]}), r"`arguments.limit` must be a whole number; got \[5\]"),
        (members(arguments={"team_ids": [{}]}), "`arguments.team_ids` must be a list of strings"),
        (members(arguments={"__class__": {}}), "`arguments.__class__` is not a parameter"),
        (b'{"format": "callboard arguments", "format": ""}', "`format` appears twice"),
        (members(version=float("nan")), "NaN is not a number"),
    ],
)
def test_hostile_files_are_refused_by_field_and_rule(content: bytes, told: str) -> None:
    with pytest.raises(PresetError, match=told) as refused:
        read_file(content, TOOLS)
    assert not forbidden_in_output(str(refused.value).encode())


def test_hostile_values_come_through_as_values(tmp_path: Path) -> None:
    for text in STRINGS:
        one = kept(raw={"since": text, "team_ids": [text]})
        assert read_file(file_text(TOOL, one).encode(), TOOLS) == one
        assert not forbidden_in_output(one.summary.encode("utf-8", "replace"))
        assert not forbidden_in_output(file_text(TOOL, one).encode())


def test_sharing_as_a_file(tmp_path: Path) -> None:
    assert proposed_name(kept("a/b c")) == "ListIncidents-a-b-c.json"
    file = write_shared(TOOL, kept(), "it.json", tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert shared_file(file, TOOLS) == kept()
    with pytest.raises(NotExported, match="already exists"):
        write_shared(TOOL, kept("x"), "it.json", tmp_path)
    write_shared(TOOL, kept("x"), "it.json", tmp_path, replaces=True)
    assert shared_file(file, TOOLS) == kept("x")
    with pytest.raises(PresetError, match="no such file"):
        shared_file(tmp_path / "none", TOOLS)
    with pytest.raises(PresetError, match="is a directory"):
        shared_file(tmp_path, TOOLS)


def test_what_cannot_be_written_is_told(sets: PresetStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PresetError, match="too large"):
        sets.save(TOOL, kept(raw={"since": "x" * MOST_BYTES}))
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(PresetError, match="Cannot save"):
        PresetStore(blocked).save(TOOL, kept())
    assert PresetStore(blocked).of(TOOL).presets == ()
    monkeypatch.setattr("registry.presets.store.MOST_SETS", 2)
    sets.save(TOOL, kept("1"))
    sets.save(TOOL, kept("2"))
    with pytest.raises(PresetError, match="already has 2 presets, the maximum"):
        sets.save(TOOL, kept("3"))
    sets.save(TOOL, replace(kept("2"), raw={"limit": "1"}), replaces=True)
    assert MOST_SETS > 2


_WRITER = """
import sys
from pathlib import Path
from registry.presets.preset import new_preset
from registry.presets.store import PresetStore, NameTaken
from registry.catalog.loader import load
tool, sets, won = load().tools["ListIncidents"], PresetStore(Path(sys.argv[1])), 0
for number in range(40):
    one = new_preset(tool, f"set {number}", {"since": sys.argv[2] * 1000}, 0.0)[0]
    try:
        sets.save(tool, one)
        won += 1
    except NameTaken:
        pass
print(won)
"""


def test_two_programs_at_once_never_spoil_or_lose_a_set(sets: PresetStore, tmp_path: Path) -> None:
    def run(who: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", _WRITER, str(tmp_path / "arguments"), who]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)

    programs = [run("a"), run("b")]
    won = [int(program.communicate(timeout=60)[0]) for program in programs]
    found = sets.of(TOOL)
    assert found.notices == ()
    assert len(found.presets) == 40
    owners = [str(one.raw["since"])[0] for one in found.presets]
    assert [owners.count("a"), owners.count("b")] == won, "each name belongs to whoever saved it first, whole"
