"""A team for tests: homes of several people, and a folder that they share."""

import json
from pathlib import Path
from typing import Any

import pytest

TOOL = "GetCustomerCards"


def preset(name: str, tool: str = TOOL, **arguments: object) -> str:
    """The text of a preset's file."""
    kept = arguments or {"customer_id": "cus_1", "card_retrieval_limit": 2}
    return json.dumps({"format": "callboard arguments", "version": 1, "tool": tool, "name": name, "arguments": kept})


def playbook(name: str, *steps: tuple[str, dict[str, str]]) -> str:
    """The text of a playbook's file, whose input is a coupon."""
    listed = [{"id": f"step{number}", "tool": tool, "arguments": given} for number, (tool, given) in enumerate(steps, 1)]
    members = {"format": "callboard playbook", "version": 1, "name": name, "inputs": [{"name": "coupon"}]}
    return json.dumps({**members, "steps": listed, "outputs": {}})


READING = ("GetCouponDetails", {"coupon_id": "{coupon}"})
DELETING = ("DeletePaymentsCoupon", {"coupon_id": "{coupon}"})


def put(folder: Path, **files: str | bytes) -> None:
    """Write files, each named by its path with ``__`` for ``/``."""
    for name, content in files.items():
        file = folder / (name.replace("__", "/") + ".json")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())


def at_home(folder: Path, patch: pytest.MonkeyPatch, *sources: object) -> Path:
    """Go on as somebody with a home of their own and these shared sources."""
    for name in ("STATE", "CONFIG", "CACHE", "DATA"):
        patch.setenv(f"XDG_{name}_HOME", str(folder / name.lower()))
    patch.delenv("CALLBOARD_SHARED", raising=False)
    patch.delenv("CALLBOARD_CONFIG", raising=False)
    file = folder / "config" / "callboard" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"[team]\nshared = {json.dumps([str(one) for one in sources])}\n", "utf-8")
    return file


def everything_in(outcome: Any) -> str:
    """What a command wrote."""
    return str(outcome.out + outcome.err)
