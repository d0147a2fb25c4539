"""The check for output that is not made safe finds every planted write. `make check` runs it over the product."""

import pytest

from tests.tools.unsafe_output import unsafe_writes

PLANTED = [
    "print(body)",
    "import sys\nsys.stdout.write(body)",
    "from sys import stdout\nstdout.write(body)",
    "import sys\nprint(body, file=sys.stderr)",
    "import sys\ngetattr(sys, 'stdout').write(body)",
    "import os\nos.write(1, body)",
    "app.write_to_terminal(body)",
    "open(name, 'w').write(body)",
    "import os\nos.fdopen(handle, 'wb')",
    "import os\nos.open(name, os.O_WRONLY | os.O_CREAT)",
    "path.write_text(body)",
    "replace_text(path, body)",
    "with unnamed_file(folder, stem) as one: pass",
    "import tempfile\ntempfile.NamedTemporaryFile()",
    "import shutil\nshutil.copyfile(one, other)",
    "import asyncio\nasyncio.create_subprocess_exec(*program)",
    "import subprocess\nsubprocess.run(program, input=body)",
    "import os\nos.execve(program, words, environment)",
    "import webbrowser\nwebbrowser.open(address)",
    "say = print\nsay(body)",
    "from shutil import copyfile",
    "import sqlite3\nsqlite3.connect(file)",
    "database.execute('INSERT INTO t VALUES (?)', (body,))",
    "database.executemany(statement, rows)",
    "import logging\nlogging.info(body)",
    "import warnings\nwarnings.warn(body)",
]


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
