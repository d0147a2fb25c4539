"""Where toolkits are found, and that nothing is run to find them."""

import sys
from pathlib import Path

import pytest

from registry.catalog.folders import SHIPPED, Found, forget, toolkit_folders
from registry.catalog.loader import load
from tests.tickets.service import TOOLKIT


@pytest.fixture(autouse=True)
def fresh_catalog(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    forget()


def added(found: Found) -> list[Path]:
    """The folders that do not ship."""
    assert found.folders[: len(SHIPPED.folders)] == SHIPPED.folders
    return [folder.path for folder in found.folders if not folder.built_in]


def toolkit(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "service.json").write_text((TOOLKIT / "service.json").read_text("utf-8"), "utf-8")
    return folder


def distribution(site: Path, name: str, entry: str) -> None:
    folder = site / f"{name}-1.0.dist-info"
    folder.mkdir(parents=True)
    text = f"[console_scripts]\nx = {name}:main\n\n[callboard.toolkits]\n{name} = {entry}\n\n[other]\ny = z\n"
    (folder / "entry_points.txt").write_text(text, "utf-8")


def package(site: Path, name: str) -> Path:
    """A package that tells when it is executed."""
    folder = site / name
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise SystemExit('executed')\n", "utf-8")
    return folder


def test_without_anything_there_are_those_that_ship() -> None:
    assert toolkit_folders({}) == SHIPPED
    assert [folder.path.name for folder in SHIPPED.folders] == ["crm_users", "incidents", "payments"]


def test_folders_of_the_environment_and_of_the_settings(tmp_path: Path) -> None:
    one, many = toolkit(tmp_path / "one"), tmp_path / "many"
    below = [toolkit(many / "a"), toolkit(many / "b")]
    (many / "notes").mkdir()
    toolkit(many / ".hidden")
    (tmp_path / "link").symlink_to(one)
    mine = toolkit(tmp_path / "config" / "callboard" / "toolkits" / "mine")
    found = toolkit_folders({"CALLBOARD_TOOLKITS": f"{one}:{many}::{tmp_path / 'link'}"})
    assert (added(found), found.problems) == ([one, *below, mine], ())


def test_names_that_lead_nowhere_are_told(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    found = toolkit_folders({"CALLBOARD_TOOLKITS": f"{tmp_path / 'no'}:{tmp_path / 'empty'}:{toolkit(tmp_path / 'one')}"})
    assert added(found) == [tmp_path / "one"]
    assert [str(problem) for problem in found.problems] == [
        f"{tmp_path}/no: CALLBOARD_TOOLKITS: cannot be read: No such file or directory",
        f"{tmp_path}/empty: CALLBOARD_TOOLKITS: has no service.json, and none of its folders has one",
    ]
    assert load(found).problems == found.problems


@pytest.mark.parametrize("entry", ["acme", "acme.kits", "acme:kits", "acme:some-kits"])
def test_distributions_bring_toolkits_without_being_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    site = tmp_path / "site"
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    folder = package(site, "acme") / entry.removeprefix("acme").strip(".:")
    folder.mkdir(exist_ok=True)
    (folder / "service.json").write_text((TOOLKIT / "service.json").read_text("utf-8"), "utf-8")
    distribution(site, "acme", entry)
    found = toolkit_folders({})
    assert (added(found), found.problems) == ([folder], ())
    assert "acme" not in sys.modules
    assert "Tickets" in load(found).toolkits


@pytest.mark.parametrize("entry", ["nothing", "acme.nothing", "acme:../../etc", "acme:", "", "os.path", "/etc"])
def test_entry_points_that_lead_nowhere_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str) -> None:
    site = tmp_path / "site"
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    package(site, "acme")
    distribution(site, "acme", entry)
    found = toolkit_folders({})
    assert added(found) == []
    [problem] = found.problems
    assert problem.message == "is not a folder with a service.json"
    assert (problem.file, problem.field) == ("acme", entry)
