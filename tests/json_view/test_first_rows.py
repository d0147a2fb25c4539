"""The first rows of a program's first response stand before the libraries are loaded that only the rest of it needs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.terminal import ROOT

_LATER = ("numpy", "registry.results.tables", "tui.table", "tui.json_view.links", "tui.json_view.folds")
_REFERENCES = ("registry.references.routes", "registry.references.targets")

_PROGRAM = """
import asyncio, json, sys
from tests.large_responses import environment, large_responses
from tests.tui.app import desk
from tui.json_view.view import JsonView

tool, size = sys.argv[1:3]
loaded = []
strips_of = JsonView.render_lines

def drawn(self, crop):
    strips = strips_of(self, crop)
    if self.line_count and crop.height > 1:
        loaded.append(sorted(sys.modules))
    return strips

async def run():
    with large_responses() as address:
        async with desk(environment=environment(address)) as one:
            await one.open(tool)
            if size:
                one.app.session.chosen["PaymentsApi"] = next(name for name in one.app.session.connections if name != "sandbox")
                one.screen.form.fill({"customer_id": size})
            await one.run()
            view = one.screen.result.view
            leads = [row for row in range(30) if view.links.leads(view.document, row)]
            print(json.dumps([loaded[0], sorted(sys.modules), len(leads)]))

JsonView.render_lines = drawn
asyncio.run(run())
"""


@pytest.mark.parametrize(
    ("tool", "size"),
    [("Whoami", ""), pytest.param("GetCustomerCards", "3000", marks=pytest.mark.long), ("GetCustomerCards", "1100000")],
)
def test_what_the_first_rows_do_without(tool: str, size: str) -> None:
    command = [sys.executable, "-c", _PROGRAM, tool, size]
    ended = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    first, last, leads = json.loads(ended.stdout)
    later = _LATER if size else (*_LATER, *_REFERENCES)  # the form's field for an id needs references itself
    assert [one for one in first if one.startswith(later)] == []
    assert {"numpy", "tui.json_view.links"} <= {*last}, "they are loaded behind the first rows"
    assert leads, "and the rows lead where they did"
