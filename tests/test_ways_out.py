"""The check that finds what is written around the gate: it sees every planted write, and none in the product."""

from __future__ import annotations

import pytest

from tests.tools.ways_out import around_the_gate, main

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
    "app._driver.write(body)",
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
    "import sqlite3\nsqlite3.connect(file)",
    "database.execute('INSERT INTO t VALUES (?)', (body,))",
    "database.executemany(statement, rows)",
    "import logging\nlogging.info(body)",
    "from logging import getLogger",
    "import warnings\nwarnings.warn(body)",
]


@pytest.mark.parametrize("code", PLANTED)
def test_a_planted_write_is_found(code: str) -> None:
    assert [*around_the_gate("registry/oncall/planted.py", code)], code
    assert [*around_the_gate("tui/widgets/planted.py", code)], code


@pytest.mark.parametrize(
    "code", ["import sys\nsys.stdout.isatty()", "open(name, 'rb').read()", "path.open()", "file.read_text('utf-8')"]
)
def test_what_only_reads_is_none(code: str) -> None:
    assert not [*around_the_gate("registry/oncall/planted.py", code)]


def test_a_module_may_write_only_in_its_own_ways() -> None:
    assert not [*around_the_gate("registry/doors/output.py", "import sys\nsys.stdout.write(text)")]
    assert [*around_the_gate("registry/doors/output.py", "path.write_text(body)")]


def test_the_product_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0, capsys.readouterr().err
