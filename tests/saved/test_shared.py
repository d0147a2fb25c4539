"""What a team shares: listed beside one's own with whose it is, never changed, and never in the way."""

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from registry.catalog.loader import Catalog, load
from registry.catalog.shared_folders import MOST_BYTES, shared_setting
from registry.doors.output import ExitCode
from registry.pages.definition import pages_of
from registry.saved.making import saved_form
from registry.saved.saved_call import Input, SavedCall, Step, files_named
from registry.saved.store import usual_store
from tests.cases import cases_beside
from tests.saved.team import DELETING, READING, TOOL, at_home, everything_in, playbook, preset, put
from tests.workshop import only, parameter, tool

CASES = cases_beside(__file__)

ADA = "cus_4R5QLgZDZXPlou"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A shared folder called ops, and somebody at home who has it in their settings."""
    shared = tmp_path / "ops"
    shared.mkdir()
    at_home(tmp_path / "ada", monkeypatch, shared)
    monkeypatch.chdir(tmp_path)
    return shared


def keep(name: str, **raw: str) -> None:
    usual_store(load()).save(saved_form(load().tools[TOOL], name, raw or {"customer_id": "cus_own"}))


def test_two_homes_share_folders(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared, clone = tmp_path / "ops", tmp_path / "runbooks"
    (shared / "saved").mkdir(parents=True, mode=0o775)
    put(clone, playbooks__look=playbook("Look at a coupon", READING), presets__x__y=preset("two cards"))
    ada, bob = tmp_path / "ada", tmp_path / "bob"

    at_home(ada, monkeypatch, shared, clone)
    keep("of Ada", customer_id="cus_ada")
    file = shared / "saved" / "of Ada.json"
    assert run("saved", "export", "of Ada", str(file)).code == 0
    again = run("saved", "export", "of Ada", str(file))
    assert (again.code, "already exists" in again.err) == (ExitCode.USAGE, True)
    assert run("saved", "export", "of Ada", str(file), "--replace").code == 0
    assert file.stat().st_mode & 0o777 == file.parent.stat().st_mode & 0o666, "others of the team read it"

    at_home(bob, monkeypatch, shared, clone)
    assert [line.split("  ")[:2] for line in run("saved").out.splitlines()] == [
        ["Look at a coupon", "from runbooks · GetCouponDetails · coupon_id {coupon}"],
        ["of Ada", f"from ops · {TOOL} · customer_id cus_ada"],
        ["two cards", f"from runbooks · {TOOL} · customer_id cus_1 · card_retrieval_limit 2"],
    ]
    assert {one["shared"] for one in map(json.loads, run("saved", "--json").out.splitlines())} == {"ops", "runbooks"}
    request = run("call", TOOL, "--saved", "of Ada", "--dry-run")
    assert "/customers/cus_ada/cards" in request.out
    clone.rename(tmp_path / "away")
    assert "runbooks: cannot be read" in run("saved").err


def test_the_setting(tmp_path: Path) -> None:
    other = tmp_path / "other" / "ops"
    named = f"{tmp_path}/ops, {other}, ops, https://ada:MARKED@h/x.git, git@h:x.git"
    folders, problems = shared_setting({"CALLBOARD_SHARED": named})
    assert [(one.name, one.path) for one in folders] == [("ops", tmp_path / "ops"), ("ops-2", other)]
    assert [words.partition(" is not the full path of a folder; clone")[0] for words in problems] == [
        "CALLBOARD_SHARED: ops",
        "CALLBOARD_SHARED: https://…@h/x.git",
        "CALLBOARD_SHARED: git@h:x.git",
    ]


def test_of_one_name_ones_own_counts_and_both_are_reachable(run: Any, folder: Path) -> None:
    put(folder, presets__a=preset("two cards"))
    keep("two cards")
    assert ["from ops" in line for line in run("saved").out.splitlines()] == [False, True]
    assert "/cus_own/" in run("call", TOOL, "--saved", "two cards", "--dry-run").out
    assert "/cus_1/" in run("call", TOOL, "--saved", "ops/two cards", "--dry-run").out
    assert run("saved", "delete", "two cards").code == 0
    assert "/cus_1/" in run("call", TOOL, "--saved", "two cards", "--dry-run").out
    for name in ("two cards", "ops/two cards"):
        kept = run("saved", "delete", name)
        assert (kept.code, "“two cards” is shared from ops and cannot be deleted here" in kept.err) == (ExitCode.USAGE, True)
    assert [one.name for one in folder.rglob("*.json")] == ["a.json"], "nothing there was changed"


def test_a_deletion_that_somebody_else_wrote_is_confirmed_by_the_id_each_time(run: Any, folder: Path) -> None:
    deletion = "DeletePaymentsCoupon"
    put(folder, presets__d=preset("old", deletion, coupon_id="PARTNER15"), playbooks__d=playbook("Clean", READING, DELETING))
    put(folder.parent, own=playbook("Own", READING, DELETING))
    refused = run("call", deletion, "--saved", "old", "--yes")
    assert (refused.code, "it is shared from ops. Add --confirm PARTNER15" in refused.err) == (ExitCode.USAGE, True)
    refused = run("run", "Clean", "--with", "coupon=PARTNER15", "--yes")
    assert (refused.code, "the saved call is shared from ops." in refused.err) == (ExitCode.USAGE, True)
    assert "Add --confirm ID to confirm" in refused.err
    other = run("run", "Clean", "--with", "coupon=PARTNER15", "--confirm", "SOMETHING")
    assert (other.code, "not sent: add --confirm PARTNER15" in other.err) == (ExitCode.SERVICE, True)
    done = run("run", "Clean", "--with", "coupon=PARTNER15", "--confirm", "PARTNER15")
    assert (done.code, "1 change made" in done.err) == (0, True)
    own = run("run", "own.json", "--with", "coupon=PARTNER15", "--yes")
    assert own.code == 0, "of one's own, --yes is enough in the sandbox"
    assert run("run", "old", "--confirm", "PARTNER15").code == 0


def test_what_is_wrong_is_named_and_the_rest_goes_on(run: Any, folder: Path) -> None:
    secret = folder.parent / "secret.json"
    secret.write_text(preset("MARKEDname", customer_id="cus_MARKED"), "utf-8")
    secrets = {"payment_intent_id": "pi_1", "payment_intent_client_secret": "pi_1_secret_MARKED"}
    put(
        folder,
        saved__good=playbook("good", READING),
        saved__odd=playbook("odd", ("NoSuchTool", {})),
        saved__torn='{"format": "callboard saved call"',
        saved__deep="[" * 100_000,
        saved__large=b" " * (MOST_BYTES + 1),
        saved__escape=playbook("a\x1b[31mb", READING),
        saved__bytes=b'{"tool": "\xff"}',
        presets__secret=preset("s", "RetrievePaymentIntentDetails", **secrets),
        presets__unknown=preset("u", customer="cus_1"),
        presets__number=preset("n").replace('"version": 1', '"version": 2'),
    )
    (folder / "saved" / "link.json").symlink_to(secret)
    (folder / "saved" / "out").symlink_to(folder.parent, target_is_directory=True)
    os.mkfifo(folder / "saved" / "pipe.json")
    listed = run("saved")
    assert (listed.code, [line.split("  ")[0] for line in listed.out.splitlines()]) == (0, ["good", "s"])
    for words in (
        "ops: torn.json cannot be used: The file is not valid JSON",
        "ops: deep.json cannot be used: The file is not valid JSON",
        "ops: large.json is larger than 262,144 bytes",
        "ops: odd.json cannot be used: `steps.step1.tool` names the tool “NoSuchTool”",
        "ops: escape.json cannot be used: `name` must have",
        "ops: unknown.json cannot be used: `arguments.customer`",
        "ops: number.json cannot be used: `version` is 2",
        "ops: bytes.json cannot be used: The file is not valid UTF-8",
        "ops: link.json is a link, and links are not followed",
        "ops: pipe.json is not a file",
    ):
        assert words in listed.err, words
    report = run("doctor", "--offline", "--json")
    assert "ops: large.json is larger than 262,144 bytes" in report.json["problems"]
    (told,) = report.json["shared"]
    assert (told["name"], told["files"]["saved"]) == ("ops", 6)
    assert "cus_MARKED" not in everything_in(run("find", "MARKEDname"))
    shown = "".join(map(everything_in, (listed, report, run("saved", "show", "s"))))
    assert "MARKED" not in shown


def test_a_page_of_a_type_without_one_and_on_request_also_where_there_is_one(run: Any, folder: Path) -> None:
    ours = {"title": ["{id}"], "headline": [{"show": "Ours: {id}", "tone": "good"}], "facts": ["{id} of ours"]}
    section = {"id": "s", "title": "S", "tool": "DeletePaymentsCoupon", "arguments": {"coupon_id": "{id}"}}
    objects = {"coupon": {**ours, "sections": [section]}, "customer": ours, "odd": {"title": 3}}
    put(folder, pages__PaymentsApi=json.dumps({"objects": objects, "more": 1}))
    has_own = pages_of("PaymentsApi").objects
    assert ("coupon" in has_own, "customer" in has_own) == (False, True)
    coupon = run("page", "PARTNER15", "--type", "coupon", "--json")
    assert (coupon.json["head"]["headline"], coupon.json["shared"]) == ("Ours: PARTNER15", "ops")
    assert coupon.json["head"]["facts"] == ["PARTNER15 of ours", "page from ops"]
    assert "S: No read-only tool DeletePaymentsCoupon." in coupon.err, "a page reads, whoever wrote it"
    assert "/ops/pages/PaymentsApi.json: more: is not a field here; there are: states, objects" in coupon.err
    assert "PaymentsApi.json: objects.odd.title" in coupon.err
    assert "shared" not in run("page", ADA, "--json").json, "one's own counts"
    assert run("page", ADA, "--pages", "ops", "--json").json["head"]["headline"] == f"Ours: {ADA}"
    assert "no shared folder 'other'" in run("page", "PARTNER15", "--pages", "other").err


@pytest.mark.parametrize(("given", "default", "is_named"), CASES["paths of files"])
def test_b5_the_path_of_a_file_to_send_is_asked_for(given: str, default: str | None, is_named: bool, tmp_path: Path) -> None:
    upload = tool("Upload", "POST", "/files", parameter("file", "string", "body", format="file"), body="multipart")
    catalog = cast(Catalog, SimpleNamespace(find={"Upload": only(tmp_path, upload)}.get))
    call = SavedCall("send", inputs=(Input("file", default=default),), steps=(Step("send", "Upload", {"file": given}),))
    assert [one.place for one in files_named(call, catalog)] == (["steps.send.arguments.file"] if is_named else [])
