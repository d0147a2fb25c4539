"""The check for output that is not made safe finds every planted write. `make check` runs it over the product."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.unsafe_output import files, unsafe_writes

PLANTED = [
    "print(body)",
    "import sys\nsys.stdout.write(body)",
    "import sys\nsys.stdout.buffer.write(body)",
    "import sys as s\ns.stderr.writelines(body)",
    "from sys import stdout\nstdout.write(body)",
    "import sys\nout = sys.__stdout__",
    "import sys\nprint(body, file=sys.stderr)",
    "import sys\ngetattr(sys, 'stdout').write(body)",
    "import os\nos.write(1, body)",
    "app.write_to_terminal(body)",
    "app.copy_to_clipboard(body)",
    "open(name, 'w').write(body)",
    "open(name, mode='ab')",
    "path.open('x')",
    "import os\nos.fdopen(handle, 'wb')",
    "import os\nos.open(name, os.O_WRONLY | os.O_CREAT)",
    "path.write_text(body)",
    "path.write_bytes(body)",
    "replace_text(path, body)",
    "with unnamed_file(folder, stem) as one: pass",
    "import tempfile\ntempfile.NamedTemporaryFile()",
    "import shutil\nshutil.copyfile(one, other)",
    "import asyncio\nasyncio.create_subprocess_exec(*program)",
    "import subprocess\nsubprocess.run(program, input=body)",
    "from subprocess import run\nrun(program, input=body)",
    "import subprocess as s\ns.run(program)",
    "import os as o\no.write(1, body)",
    "from os import write\nwrite(1, body)",
    "import os\nos.execve(program, words, environment)",
    "import os\nos.spawnv(os.P_NOWAIT, program, words)",
    "import webbrowser\nwebbrowser.open(address)",
    "import asyncio, webbrowser\nasyncio.to_thread(webbrowser.open, address)",
    "say = print\nsay(body)",
    "path.open(mode=how)",
    "from shutil import copyfile",
    "from sqlite3 import connect\nconnect(file)",
    "import sqlite3\nsqlite3.connect(file)",
    "database.execute('INSERT INTO t VALUES (?)', (body,))",
    "database.executemany(statement, rows)",
    "import logging\nlogging.info(body)",
    "from logging import getLogger",
    "import warnings\nwarnings.warn(body)",
]


ROOMS = (
    *("registry/accounts", "registry/openapi", "registry/saved"),
    *("registry/doors/line_mode", "registry/doors/mcp", "tui/walks", "tui/dialogs"),
)


def test_every_package_is_checked() -> None:
    """A write that is planted into a room is found; so nothing of a room is left out."""
    for room in ROOMS:
        assert [*unsafe_writes(f"{room}/planted.py", "print(body)")], room
    listed = set(files())
    assert {file for room in ROOMS for file in map(str, Path(room).rglob("*.py"))} <= listed


@pytest.mark.parametrize("code", PLANTED)
def test_a_planted_write_is_found(code: str) -> None:
    assert [*unsafe_writes("registry/oncall/planted.py", code)], code
    assert [*unsafe_writes("tui/widgets/planted.py", code)], code


@pytest.mark.parametrize(
    "code", ["import sys\nsys.stdout.isatty()", "open(name, 'rb').read()", "path.open()", "file.read_text('utf-8')"]
)
def test_reading_is_not_output(code: str) -> None:
    assert not [*unsafe_writes("registry/oncall/planted.py", code)]


def test_a_module_may_write_only_to_its_own_targets() -> None:
    assert not [*unsafe_writes("registry/doors/output.py", "import sys\nsys.stdout.write(text)")]
    assert [*unsafe_writes("registry/doors/output.py", "path.write_text(body)")]
