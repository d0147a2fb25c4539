"""The byte code of a fresh clone is made once, in shares: otherwise every worker would make all of it, which takes long."""

from __future__ import annotations

import sys
from compileall import compile_file
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import PYC_TAIL, _read_pyc, _rewrite_test, _write_pyc, assertstate_key, get_cache_dir

_ROOT = Path(__file__).parent.parent


def make_share(config: pytest.Config) -> None:
    """Make this worker's share of the byte code that is missing; the workers take equally long, and then find all of it."""
    told = getattr(config, "workerinput", None)
    if told is None or sys.dont_write_bytecode:
        return
    mine, workers = int(told["workerid"].removeprefix("gw")), told["workercount"]
    folders = [_ROOT / "registry", _ROOT / "tui", *(Path(word.partition("::")[0]) for word in config.args)]
    for path in sorted({path for folder in folders for path in folder.rglob("*.py")})[mine::workers]:
        if path.name.startswith("test_"):
            _rewrite(path.absolute(), config)
        else:
            compile_file(path, quiet=2)


def _rewrite(path: Path, config: pytest.Config) -> None:
    """As pytest does when it imports a module of tests."""
    cached = get_cache_dir(path) / f"{path.stem}{PYC_TAIL}"
    if _read_pyc(path, cached) is None:
        cached.parent.mkdir(exist_ok=True)
        source_hash, code = _rewrite_test(path, config)
        _write_pyc(config.stash[assertstate_key], code, source_hash, cached)
