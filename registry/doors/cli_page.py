"""``callboard page ID``: everything about an object, as text, JSON or Markdown.

In a terminal the explorer shows the page; without one, or with ``--json``, ``--markdown``, ``--text`` or a limit, it is
printed.
"""

import argparse
import asyncio
from collections.abc import Callable

from registry.accounts.connection import Connection
from registry.catalog.shared_folders import shared_folders
from registry.doors.cli_parser import Options, application_of, limits_of
from registry.doors.ending import Ending
from registry.doors.output import ExitCode, complain, fail, is_terminal, print_failure, remark, say, say_values
from registry.engine import Engine, Settings, open_engine
from registry.pages.definition import SharedPages
from registry.pages.loading import PageLoad
from registry.pages.page import ObjectPage, as_json, as_lines, as_markdown
from registry.pages.subjects import NoPage, PageRequest, subjects_of

OPTIONS: Options = {"page": {"--type": {"default": ""}, "--of": {"default": ""}, "--pages": {"default": ""}}}


def run(options: argparse.Namespace) -> int:
    """Open the page in the explorer, or print it; returns the exit code."""
    application, explore = application_of(options), options.screens.get("explore")
    printed = options.json or options.markdown or options.text or options.pages
    printed = printed or any(one is not None for one in (options.timeout, options.deadline, options.max_size))
    if explore is not None and not printed and is_terminal():
        wanted = PageRequest(options.id, options.type, options.of, options.connection or "")
        return int(explore(application, read_only=options.read_only, page=wanted))
    limits, ending = limits_of(options)
    engine = open_engine(Settings(sandbox=application, journal=False, tell=remark, limits=limits))
    page = ending.run(_load(options, engine, ending), engine)
    if page.failure is not None:
        status = page.head.status if page.head is not None else None
        return print_failure(page.failure, f"status {status}" if status is not None else None)
    if options.json:
        say_values(as_json(page))
    elif options.markdown:
        say(as_markdown(page).rstrip("\n"))
    else:
        say("\n".join(as_lines(page)))
    failed = [one for one in page.sections if one.state == "failed"]
    for one in failed:
        complain(f"{one.title}: {one.reason}")
    return ExitCode.INCOMPLETE if failed else ExitCode.OK


def page_load(engine: Engine, connection: Callable[[str], Connection], shared: SharedPages) -> PageLoad:
    """Loads a page with the accounts that `connection` returns for toolkits."""
    names, clock = (lambda toolkit: connection(toolkit).name), engine.settings.clock
    return PageLoad(engine.reading(connection), engine.catalog, engine.routes, clock, connection=names, shared=shared)


async def _load(known: argparse.Namespace, engine: Engine, ending: Ending) -> ObjectPage:
    shared = SharedPages(shared_folders, known.pages)
    if known.pages and known.pages not in (there := [one.name for one in shared_folders()]):
        fail(f"--pages: no shared folder {known.pages!r}", way_out=f"shared folders: {', '.join(there) or 'none'}")
    try:
        subjects = subjects_of(known.id, engine.routes, type_=known.type, owner=known.of)
    except NoPage as error:
        fail(str(error))
    for toolkit in {engine.catalog.tools[one.tool].toolkit for one in subjects}:
        engine.named(known.connection, toolkit)
    named = engine.connections.get(known.connection or "")
    if named is not None:  # prefer the account's objects if another toolkit has ids like this
        subjects = [one for one in subjects if engine.catalog.tools[one.tool].toolkit in named.endpoints] or subjects

    def connection(toolkit: str) -> Connection:
        return named if named is not None and toolkit in named.endpoints else engine.usual(toolkit)

    load = page_load(engine, connection, shared)
    loading = asyncio.create_task(load.load(subjects))
    try:
        with ending.settling(loading.cancel):
            page = await loading
    except asyncio.CancelledError:
        page = load.cut_short(f"not loaded within {ending.passed.seconds:g} s (--deadline)")
        if any(ending.came) or page.object is None:  # a signal, or there is nothing to print
            raise
    for problem in shared.problems:
        complain(problem)
    if known.pages and page.object is not None and not page.shared:
        complain(f"{known.pages} has no page for {page.subject.type}; this is the usual one")
    return page
