"""Shared git repositories: how git is run, what a hostile repository can do, and what is left when it cannot be reached."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

import pytest

from registry.sharing import git as git_module
from registry.sharing import git_copy
from registry.sharing.folder import MOST_BYTES, SharedFolder
from registry.sharing.folders import shared_files, shared_folders
from registry.sharing.git_copy import FRESH, NotUpdated, update, update_in_background
from registry.sharing.setting import MOST_SOURCES, SharedSource, shared
from tests.sharing.team import Repository, at_home, preset


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    at_home(tmp_path, monkeypatch)
    return tmp_path


@pytest.fixture
def repository(home: Path) -> Repository:
    found = Repository(home / "runbooks")
    found.commit(presets__good=preset("good"))
    return found


def folder_of(source: SharedSource) -> SharedFolder:
    (found,) = shared_folders({"CALLBOARD_SHARED": source.address + (f"#{source.branch}" if source.branch else "")})
    return found


def program(home: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put a program of this text in git's place."""
    folder = home / "bin"
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_of_a_hostile_repository_only_plain_files_come(repository: Repository, home: Path) -> None:
    secret = home / "secret"
    secret.write_text("MARKED", "utf-8")
    repository.plant("presets/link.json", str(secret).encode(), "120000")
    repository.plant("presets/module.json", b"", "160000")
    repository.plant("presets/a\x1b[2J.json", b"{}")
    repository.plant("presets/one/two/three.json", b"{}")
    repository.plant("presets/large.json", b" " * (MOST_BYTES + 1))
    repository.plant("presets/.hidden.json", b"{}")
    repository.plant("presets/run.json", preset("run").encode(), "100755")
    repository.plant("elsewhere/x.json", b"{}")
    repository.plant(".gitattributes", b"*.json filter=lfs diff=lfs merge=lfs -text ident\n")
    repository.plant(".gitmodules", b'[submodule "x"]\n path = presets/x\n url = ext::sh -c true\n')
    repository.keep()
    source = SharedSource("runbooks", repository.address, is_git=True)
    assert update(source).endswith(", 2 files")
    copy = folder_of(source)
    assert copy.path is not None
    found = sorted(copy.path.rglob("*"))
    assert [one.relative_to(copy.path).as_posix() for one in found] == ["presets", "presets/good.json", "presets/run.json"]
    assert all(not one.is_symlink() and one.stat().st_mode & 0o077 == 0 for one in found if one.is_file() or one.is_dir())
    assert not os.access(copy.path / "presets" / "run.json", os.X_OK)
    told = "\n".join(copy.notices)
    for name in ("link.json is a link", "module.json is a link", "two/three.json has a name", "large.json is too large"):
        assert name in told, told
    assert "\x1b" not in told
    assert len(list(copy.path.parent.iterdir())) == 3, "the copy, its state and its lock: nothing of git stays"


def test_a_newer_state_takes_the_place_of_the_older_at_once(repository: Repository) -> None:
    source = SharedSource("runbooks", repository.address, is_git=True)
    update(source)
    first = folder_of(source)
    repository.commit(presets__more=preset("more"))
    update(source)
    second = folder_of(source)
    assert first.path is not None
    assert second.path is not None
    assert (first.path.exists(), first.path != second.path) == (True, True), "somebody may still read it"
    repository.git("rm", "--quiet", "presets/good.json")
    repository.keep()
    update(source)
    third = folder_of(source)
    assert third.path is not None
    assert not first.path.exists()
    assert [one.name for one in third.path.rglob("*.json")] == ["more.json"]


def test_a_branch_is_followed_and_one_that_is_missing_is_told(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "night/shift")
    repository.commit(presets__night=preset("night"))
    repository.git("switch", "--quiet", "main")
    branch = SharedSource("runbooks", repository.address, is_git=True, branch="night/shift")
    update(branch)
    assert len(shared_files("presets", [folder_of(branch)]).files) == 2
    with pytest.raises(NotUpdated, match="no branch other"):
        update(SharedSource("runbooks", repository.address, is_git=True, branch="other"))


def test_git_can_ask_nothing_and_run_nothing_else(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(home, monkeypatch, f'env > {home}/env; printf "%s\\n" "$@" > {home}/words; echo "fatal: no $6" >&2; exit 128')
    for name in ("GIT_DIR", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_EXTERNAL_DIFF", "SSH_ASKPASS", "GIT_CONFIG_PARAMETERS"):
        monkeypatch.setenv(name, "planted")
    source = SharedSource("ops", "ssh://git@host.example/ops.git", is_git=True, branch="main")
    with pytest.raises(NotUpdated, match="fatal: no"):
        update(source)
    words = (home / "words").read_text("utf-8").splitlines()
    assert words[-4:] == ["ls-remote", "--", source.address, "refs/heads/main"]
    for one in ("core.hooksPath=/dev/null", "core.symlinks=false", "submodule.recurse=false"):
        assert words[words.index(one) - 1] == "-c"
    lines = (home / "env").read_text("utf-8").splitlines()
    environment = dict(line.split("=", 1) for line in lines if "=" in line)
    assert environment["GIT_TERMINAL_PROMPT"] == "0"
    assert environment["GIT_ALLOW_PROTOCOL"] == "https:ssh:file"
    planted = {name for name, value in environment.items() if value == "planted"}
    assert planted == {"GIT_SSH_COMMAND"}, "how ssh is run is the user's own"


def test_what_takes_too_long_or_grows_too_large_is_ended(
    repository: Repository, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = SharedSource("runbooks", repository.address, is_git=True)
    update(source)
    repository.commit(presets__blob=os.urandom(200_000))
    with monkeypatch.context() as patch:
        patch.setattr(git_module, "MOST_BYTES", 100_000)
        with pytest.raises(NotUpdated, match="too large"):
            update(source)
    assert [one.path.name for one in shared_files("presets", [folder_of(source)]).files] == ["good.json"]
    program(home, monkeypatch, f"echo $$ > {home}/pid; sleep 600 & wait")
    monkeypatch.setattr(git_module, "LONGEST", 0.3)
    with pytest.raises(NotUpdated, match="took longer"):
        update(source)
    with pytest.raises(ProcessLookupError):
        os.kill(int((home / "pid").read_text("utf-8")), 0)


def test_without_git_or_a_state_that_can_be_read_it_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = SharedSource("ops", "file:///nowhere/ops.git", is_git=True)
    with pytest.raises(NotUpdated):
        update(source)
    assert "the last update failed: fatal:" in folder_of(source).notices[0]
    state = git_copy._folder(source) / "current.json"
    for content in (
        "",
        "[]",
        json.dumps({"copy": "../../..", "commit": "", "updated": 1, "tried": 1, "failed": "", "skipped": []}),
    ):
        state.write_text(content, "utf-8")
        assert folder_of(source).path is None
    monkeypatch.setenv("PATH", str(home))
    with pytest.raises(NotUpdated, match="git is not installed"):
        update(source)


def test_old_copies_are_updated_in_the_background_once_an_hour_and_nothing_waits(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = SharedSource("runbooks", repository.address, is_git=True)
    go_on, real = threading.Event(), git_module.git

    def held(*words: str, folder: Path, fed: bytes = b"") -> bytes:
        assert go_on.wait(20)
        return real(*words, folder=folder, fed=fed)

    monkeypatch.setattr(git_copy, "git", held)
    thread = update_in_background([folder_of(source)])
    assert thread is not None
    assert folder_of(source).path is None, "it is under way, and the lists are there already"
    assert update_in_background([folder_of(source)]) is None, "one at a time"
    go_on.set()
    thread.join()
    assert folder_of(source).path is not None
    assert update_in_background([folder_of(source)]) is None
    assert update_in_background([folder_of(source)], lambda: time.time() + FRESH - 60) is None
    later = update_in_background([folder_of(source)], lambda: time.time() + FRESH)
    assert later is not None
    later.join()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("relative/folder", "is neither the full path of a folder nor a git address"),
        ("ext::sh -c 'touch x'", "is neither the full path"),
        ("http://host.example/ops.git", "must begin with https://, ssh://, file:// or user@host:"),
        ("git://host.example/ops.git", "must begin with"),
        ("https://ada:MARKED@host.example/ops.git", "holds a credential"),
        ("https://MARKED@host.example/ops.git", "holds a credential"),
        ("ssh://ada:MARKED@host.example/ops.git", "holds a credential"),
        ("ssh://-oProxyCommand=x/ops.git", "names no host"),
        ("https:///ops.git", "names no host"),
        ("https://host.example/ops.git?x=1", "is not a git address"),
        ("https://host.example/ops.git#--upload-pack=x", "names a branch that git does not allow"),
        ("https://host.example/ops.git#a..b", "names a branch"),
        ("https://host.example:99999/ops.git", "is not a valid address"),
        ("/folder\x1b[2J", "printable characters"),
        ("", "printable characters"),
    ],
)
def test_what_is_no_folder_and_no_git_address_is_refused_with_the_rule(text: str, words: str, home: Path) -> None:
    file = home / "config" / "callboard" / "config.toml"
    file.write_text(f"[team]\nshared = [{json.dumps(text)}, '/srv/ops']\n", "utf-8")
    found = shared({"CALLBOARD_CONFIG": str(file)})
    assert [one.name for one in found.sources] == ["ops"], "the others count"
    assert words in found.problems[0]
    assert "MARKED" not in found.problems[0]
    assert "\x1b" not in found.problems[0]


def test_names_are_short_and_unlike() -> None:
    texts = ["/srv/ops", "https://host.example/team/ops.git#main", "git@host.example:team/ops.git", "ssh://git@h/x%20y/", "/"]
    found = shared({"CALLBOARD_SHARED": ",".join(texts)})
    assert [(one.name, one.is_git, one.branch) for one in found.sources] == [
        ("ops", False, ""),
        ("ops-2", True, "main"),
        ("ops-3", True, ""),
        ("x-20y", True, ""),
        ("shared", False, ""),
    ]
    assert shared({"CALLBOARD_SHARED": ""}) == ((), ())
    many = shared({"CALLBOARD_SHARED": ",".join(f"/srv/f{number}" for number in range(30))})
    assert (len(many.sources), "only the first 20" in many.problems[0]) == (MOST_SOURCES, True)


@pytest.mark.parametrize("content", ["[team", "[team]\nshared = '/srv/ops'", "[team]\nshared = [1]", "team = 1", "", "\xff"])
def test_a_damaged_setting_shares_nothing(content: str, home: Path) -> None:
    file = home / "config" / "callboard" / "config.toml"
    file.write_bytes(content.encode("latin-1"))
    assert shared({"CALLBOARD_CONFIG": str(file)}).sources == ()
