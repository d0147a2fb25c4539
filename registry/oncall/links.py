"""Links that may be copied or opened: pages of the account's own host, over https."""

from __future__ import annotations

from urllib.parse import urlsplit

from registry.oncall.facts import Facts


def own_link(url: str, facts: Facts) -> str:
    """An address if it is a page of the account; empty when it is not, or the account's host is not known.

    The host is that of my own profile's page, or of policies and services where the token has no profile. Links in incidents
    are not used to decide, because anybody may have written them.
    """
    pages = [*(one.url for one in facts.policies), *(one.url for one in facts.services)]
    if facts.me is not None and facts.me.url:
        pages = [facts.me.url]
    hosts = {urlsplit(page).hostname for page in pages if page}
    parts = urlsplit(url)
    return url if parts.scheme == "https" and len(hosts) == 1 and parts.hostname in hosts else ""
