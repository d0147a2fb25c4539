"""A key in a real system keyring: added, used, used again after a restart, and removed.

It is in no file, no process list and no output.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from registry.sandbox.server import application
from tests.sandbox.serving import served

SECRET = "sk_test_MARKED9f2c"
MISSING = [name for name in ("dbus-run-session", "gnome-keyring-daemon", "ps") if shutil.which(name) is None]

SCRIPT = """
eval "$(printf pw | gnome-keyring-daemon --unlock --components=secrets 2>/dev/null)" || exit 90
callboard() { "$PYTHON" -m tui "$@"; code=$?; echo "== $1 $2 $code"; }
KEPT=$SECRET; unset SECRET
printf '%s\\n' "$KEPT" | "$PYTHON" -m tui account add payments --name Fernway --base-url "$URL/payments"; echo "== added $?"
callboard call GetPaymentsAccountDetails --account Fernway
LISTS="command:sh -c 'ps axww -o args >$SEEN; echo sk_test_other'"
callboard account add payments --name Seen --base-url "$URL/payments" --secret "$LISTS"
callboard account test Fernway --json
callboard doctor --offline
callboard account remove Fernway --yes
callboard account test Fernway
callboard account list --json
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[str]:
    with served(application(seed=1)) as address:
        yield address


@pytest.mark.long
@pytest.mark.skipif(bool(MISSING), reason=f"a secret service needs {', '.join(MISSING)}, which this machine does not have")
def test_a_key_in_the_system_keyring(tmp_path: Path, sandbox: str) -> None:
    for name in ("home", "config", "state", "data", "cache"):
        (tmp_path / name).mkdir()
    environment = {
        "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(tmp_path / "home"), "PYTHON": sys.executable, "URL": sandbox,
        "SECRET": SECRET, "SEEN": str(tmp_path / "seen"), **{f"XDG_{name.upper()}_HOME": str(tmp_path / name)
        for name in ("config", "state", "data", "cache")},
    }  # fmt: skip
    done = subprocess.run(
        ["dbus-run-session", "--", "sh", "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=300,
        cwd=Path(__file__).parents[2], check=False,
    )  # fmt: skip
    out, err = done.stdout, done.stderr
    if "== added" not in out:
        pytest.skip(f"no secret service could be started here: {err[-200:]}")
    codes = re.findall(r"^== (.+) (\d+)$", out, re.MULTILINE)
    assert codes == [
        ("added", "0"), ("call GetPaymentsAccountDetails", "0"), ("account add", "0"), ("account test", "0"),
        ("doctor --offline", "0"), ("account remove", "0"), ("account test", "2"), ("account list", "0"),
    ], out + err  # fmt: skip
    assert "Fernway: works · test · Fernway Software" in out
    assert "credential from the system keyring" in out
    assert "Removed Fernway and its secret in the system keyring." in err
    listed = json.loads(out[out.rindex("\n[") : out.rindex("== account list")])
    assert [one["name"] for one in listed] == ["sandbox", "Seen"]
    seen = (tmp_path / "seen").read_text()
    assert "account add payments --name Seen" in seen, "the process list shows the command"
    holding = [file for file in tmp_path.rglob("*") if file.is_file() and b"MARKED" in file.read_bytes()]
    assert holding == []
    assert (tmp_path / "data" / "keyrings").is_dir()
    assert "MARKED" not in out + err + seen
