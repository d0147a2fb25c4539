"""Scopes compared with what tools need."""

from __future__ import annotations

from registry.accounts.sign_in import lacking, not_granted
from registry.catalog.loader import load, services
from registry.catalog.service import SignIn
from tests.accounts.file_store import INCIDENTS
from tests.accounts.people import CRM


def declared(toolkit: str) -> SignIn:
    return next(way.sign_in for way in services()[toolkit].authentication if way.sign_in is not None)


def tools(toolkit: str) -> list[str]:
    return [name for name, tool in load().tools.items() if tool.toolkit == toolkit]


def lacking_in(toolkit: str, *granted: str) -> tuple[str, ...]:
    return lacking((load().tools[name] for name in tools(toolkit)), granted, declared(toolkit))


def test_what_is_asked_for_is_enough_for_every_tool() -> None:
    for toolkit in (INCIDENTS, CRM):
        assert lacking_in(toolkit, *declared(toolkit).scopes) == ()
    assert lacking_in(INCIDENTS, *declared(INCIDENTS).scopes_without_secret) == ()
    assert lacking_in(INCIDENTS, "write") == ()


def test_what_was_asked_for_and_not_given() -> None:
    incidents = declared(INCIDENTS)
    assert not_granted(["openid", "incidents.read", "users.read"], ["incidents.read"], incidents) == ("users.read",)
    assert not_granted(["incidents.read"], ["read"], incidents) == ()
