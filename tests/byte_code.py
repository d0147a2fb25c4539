"""Compiles a fresh clone once, each worker a share: otherwise every worker would compile all of it, which takes long."""

from __future__ import annotations

import sys
from compileall import compile_file
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import PYC_TAIL, _read_pyc, _rewrite_test, _write_pyc, assertstate_key, get_cache_dir

_ROOT = Path(__file__).parent.parent


def make_share(config: pytest.Config) -> None:
    """Compile this worker's share of the modules without byte code; the workers take about equally long."""
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
    """Compile a module of tests as pytest does when it imports one."""
    cached = get_cache_dir(path) / f"{path.stem}{PYC_TAIL}"
    if _read_pyc(path, cached) is None:
        cached.parent.mkdir(exist_ok=True)
        source_hash, code = _rewrite_test(path, config)
        _write_pyc(config.stash[assertstate_key], code, source_hash, cached)
