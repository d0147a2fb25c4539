"""Images and other bytes that an MCP tool answers with are saved as they came, under an ending of ours."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from registry.doors.cli_save import FileOutlet
from registry.doors.output import ExitCode
from registry.results.formats import ExportOptions, NotExported, ending_of, named, save_files, wanted
from tests.mcp_client.desk import Desk, engine_of, kept
from tests.mcp_client.desk_server import PIXEL

PICTURE = base64.b64decode(PIXEL)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    yield from kept(monkeypatch, tmp_path, reads=("Picture", "picture"))


async def test_an_image_is_saved_by_the_name_that_asks_for_it(
    desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with engine_of(tmp_path) as engine:
        result = await engine.run("Picture")
    assert result.files == (("image/png", PICTURE),)
    assert PIXEL not in repr(result)
    assert PIXEL.encode() not in result.body

    def saved(name: str, *, replace: bool = False) -> int:
        return FileOutlet(ExportOptions("json"), tmp_path / name, replace).write_result(result)

    assert saved("a.png") == ExitCode.OK
    assert (tmp_path / "a.png").read_bytes() == PICTURE
    assert (tmp_path / "a.png").stat().st_mode & 0o077 == 0
    assert saved("a.png") == ExitCode.LOCAL  # it is there already
    assert saved("a.png", replace=True) == ExitCode.OK
    assert saved("a.json") == ExitCode.OK
    assert b"PNG" not in (tmp_path / "a.json").read_bytes(), "JSON is what was asked for"
    assert saved("a.gif") == ExitCode.SERVICE
    told = capsys.readouterr().err
    assert f"a.png, {len(PICTURE)} bytes" in told
    assert "The response has no .gif. It has .png." in told
    assert not (tmp_path / "a.gif").exists()


def test_endings_come_from_a_list_and_never_from_the_server(tmp_path: Path) -> None:
    for kind in ("image/svg+xml", "text/html", "application/x-sh", "image/png/../../x", "", "\x1b[2J"):
        assert ending_of(kind) == "bin"
        assert named((kind, b"")) == "other bytes"
    assert ending_of("IMAGE/JPEG; q=1") == "jpg"
    several = [("image/png", b"1"), ("image/jpeg", b"2"), ("image/png", b"3")]
    assert [content for _, content in wanted(several, Path("x.PNG"))] == [b"1", b"3"]
    assert wanted(several, Path("x.csv")) == []
    with pytest.raises(NotExported, match="no files"):
        wanted([], Path("x.png"))
    paths = [one.path.name for one in save_files(wanted(several, Path("x.png")), tmp_path / "x.png")]
    assert paths == ["x.png", "x-2.png"]
    assert (tmp_path / "x-2.png").read_bytes() == b"3"
