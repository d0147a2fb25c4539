"""The check for output that is not made safe finds every planted write. `make check` runs it over the product."""

import pytest

from tests.cases import cases_beside
from tests.tools.unsafe_output import unsafe_writes

CASES = cases_beside(__file__)

PLANTED = CASES["planted writes"]


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
