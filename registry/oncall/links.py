"""Links that may be copied or opened: pages of the account's own host, over https."""

from __future__ import annotations

from urllib.parse import urlsplit

from registry.oncall.facts import Facts


def own_link(url: str, facts: Facts) -> str:
    """The address if it is a page of the account; empty if it is not, or if the account's host is not known.

    The host comes from my profile's page, or from policies and services if the token has no profile. It never comes from links
    in incidents, because anybody may have written them.
    """
    pages = [*(one.url for one in facts.policies), *(one.url for one in facts.services)]
    if facts.me is not None and facts.me.url:
        pages = [facts.me.url]
    hosts = {urlsplit(page).hostname for page in pages if page}
    parts = urlsplit(url)
    return url if parts.scheme == "https" and len(hosts) == 1 and parts.hostname in hosts else ""
