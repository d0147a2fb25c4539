"""The account that the dashboard reads outside of the explorer: chosen by its name, and made ready to read."""

from __future__ import annotations

from pathlib import Path

from registry.accounts.ending import soon
from registry.accounts.problems import ConnectionSettingsError
from registry.catalog.loader import services
from registry.doors.common_options import checked_account
from registry.doors.output import fail
from registry.engine import Engine, open_engine
from registry.oncall.account import Account
from registry.oncall.model import TOOLKIT


def oncall_connection(name: str | None, engine: Engine | None = None) -> str:
    """The account with a name; without a name, the default one, else that of the environment, else the sandbox."""
    service = services()[TOOLKIT]
    engine = engine if engine is not None else open_engine()
    if engine.problem:
        fail(engine.problem)
    found = engine.connections
    if name is None:
        try:
            usual = engine.named(None, TOOLKIT)
        except ConnectionSettingsError as error:
            fail(str(error))
        return service.name if service.name in found and not usual.default else usual.name
    if name not in found:
        if name != service.name:
            checked_account(name, engine)
        fail(f"unknown account {name!r}; it needs {service.needs} in the environment; available: {', '.join(found)}")
    if TOOLKIT not in found[name].endpoints:
        fail(f"the account {name!r} does not serve incidents")
    return name


def account_of(engine: Engine, name: str, every: float, recordings: Path | None = None, until: float | None = None) -> Account:
    """The on-call account with a name, ready to read.

    Args:
        engine: what makes the calls.
        name: the account's name.
        every: seconds from the start of one refresh to the next.
        recordings: the folder for recordings; None to record nothing.
        until: when its reads must have ended, in seconds of the running loop's clock; None without a limit.
    """
    connection = engine.connection(name)
    mode = connection.endpoint(TOOLKIT).mode
    ends = lambda now: soon(engine.ending(connection, TOOLKIT), now)  # noqa: E731
    return Account(name, mode, engine.refreshing(lambda: connection), every, recordings, ends=ends, until=until)
