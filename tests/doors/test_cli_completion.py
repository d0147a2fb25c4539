"""Completion for shells, made from the parser; names are asked of the program."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def test_names(run: Any) -> None:
    assert "ListTeams" in run("completion", "--names", "tools").out.splitlines()
    assert run("completion", "--names", "accounts").out.splitlines() == ["sandbox"]
    assert run("completion").code == 2
    run("call", "GetCustomerCards", "--customer-id", "cus_4R5QLgZDZXPlou")
    assert "cus_4R5QLgZDZXPlou" in run("completion", "--names", "ids").out.splitlines()
    run("saved", "record", "Weekly drafts", "--last", "1")
    assert run("completion", "--names", "saved").out.splitlines() == ["Weekly-drafts"]
    assert run("run", "Weekly-drafts", "--with", "customer=cus_4R5QLgZDZXPlou").out == "cards: 2\n"


def test_zsh_asks_for_names_only_where_they_go(run: Any) -> None:
    """A command in the text of an argument would run at each Tab, for all arguments."""
    assert ":($(" not in run("completion", "zsh").out


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_a_tool(run: Any, tmp_path: Path) -> None:
    program = tmp_path / "callboard"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tui "$@"\n')
    program.chmod(0o700)
    (tmp_path / "completion").write_text(run("completion", "bash").out)
    script = (
        "source completion; COMP_WORDS=(callboard call GetCustomerCards); COMP_CWORD=2; _shtab_callboard; echo ${COMPREPLY[@]}"
    )
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path), "PYTHONPATH": str(Path.cwd())}
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["GetCustomerCards"], done.stderr
