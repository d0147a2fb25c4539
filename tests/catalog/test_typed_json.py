"""JSON becomes values of a type, also in two threads that meet the type at the same time."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.sampled import further

_TWO_THREADS = """
import sys, threading
from dataclasses import make_dataclass
from registry.catalog.reading import converted, decoded

sys.setswitchinterval(1e-6)
for _ in range(int(sys.argv[1])):
    inner = [make_dataclass(f"Inner{n}", [("a", int), ("b", int)]) for n in range(10)]
    outer = make_dataclass("Outer", [(f"f{n}", one) for n, one in enumerate(inner)])
    value = {f"f{n}": {"a": 1, "b": n} for n in range(10)}
    together = threading.Barrier(2)

    def read():
        together.wait()
        assert converted(value, outer).f3.b == 3

    threads = [threading.Thread(target=read) for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
print("done")
"""


@pytest.mark.parametrize("types", [60, *further(300)])
def test_two_threads_may_meet_a_type_at_once(types: int) -> None:
    """In a process of its own: where this fails, the process ends with a segmentation fault within 20 types."""
    done = subprocess.run(
        [sys.executable, "-c", _TWO_THREADS, str(types)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
