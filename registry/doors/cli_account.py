"""``callboard account``: the user's own accounts. Secrets are typed without echo, or read from standard input."""

import argparse
import sys
import time
from datetime import datetime
from getpass import getpass
from typing import Any

from msgspec.structs import replace

from registry.accounts.account import SIGN_IN, Account, AccountError
from registry.accounts.connection import CredentialProblem
from registry.accounts.links import open_in_browser
from registry.accounts.memory import ending_words
from registry.accounts.sign_in import signed_in, signed_in_again, signed_out
from registry.accounts.stores import SecretUnavailable
from registry.catalog.service import Service
from registry.doors import ending
from registry.doors.cli_doctor import source_of
from registry.doors.cli_parser import Options, option_of
from registry.doors.output import ExitCode, aligned, complain, confirmed, fail, remark, say, say_values
from registry.engine import Engine, open_engine
from registry.files.folders import is_local
from registry.files.threads import in_daemon
from registry.text.shown import counted, visible_line

_LONGEST_SECRET = 16_384
_NAMES = ("way", "user", "mode", "rule", "colour", "region", "base_url", "version", "on_behalf_of", "default")
"""The fields of an account that options set."""


OPTIONS: Options = {
    "account": {"add --name": {"required": True}, "--api-version": {"dest": "version"}, "--default": {"default": None}}
}


def run(options: argparse.Namespace) -> int:
    """Run the action; returns the exit code."""
    engine = open_engine()
    does = {"add": _add, "edit": _edit, "test": _test, "use": _use, "rename": _rename, "remove": _remove}
    does |= {"sign-in": _sign_in, "sign-out": _sign_out}
    try:
        return does.get(options.action, _list)(engine, options)
    except AccountError as error:
        code = ExitCode.LOCAL if is_local(error) else ExitCode.USAGE
        option = option_of("api-version" if error.field == "version" else error.field)
        has_options = error.field and options.action in ("add", "edit")
        way_out = f"callboard account {options.action} --help lists the options" if has_options else ""
        fail(str(error).rstrip("."), code, field=option if error.field else None, way_out=way_out)
    except CredentialProblem as error:
        code = ExitCode.LOCAL if isinstance(error, SecretUnavailable) else ExitCode.CONNECTION
        fail(f"{error.title}: {error.cause} {error.way_out}", code, title=error.title)


def _list(engine: Engine, options: argparse.Namespace) -> int:
    rows = [_described(engine, name) for name in engine.connections]
    if options.json:
        wrong = [{"name": name, "problem": words} for name, words in engine.account_problems.items() if name]
        say_values([*rows, *wrong])
    elif rows:
        names = ("name", "services", "mode", "rule")
        say("\n".join(aligned([[*(str(row[name]) for name in names), _state(engine, row)] for row in rows])))
    for words in filter(None, (*engine.account_wrongs, engine.problem)):
        complain(words)
    return ExitCode.USAGE if engine.account_problems or engine.problem else ExitCode.OK


def _described(engine: Engine, name: str) -> dict[str, Any]:
    """One account as it is listed, without secrets."""
    connection = engine.connections[name]
    endpoint = next(iter(connection.endpoints.values()))
    known = engine.account_memory.of(name)
    ending = engine.ending(connection, endpoint.service.toolkit)
    return {
        "name": name,
        "services": ", ".join(one.service.name for one in connection.endpoints.values()),
        "mode": endpoint.mode,
        "rule": connection.rule,
        "credential": f"credential {source_of(endpoint)}",
        "default": connection.default,
        "who": known.who,
        "account": known.where,
        "tested_at": known.at or None,
        "problem": known.problem or None,
        "expires_at": ending.at if ending is not None else None,
        "renews": ending is not None and ending.renews,
        "lacking": dict(known.lacking),
    }


def _state(engine: Engine, row: dict[str, Any]) -> str:
    """The credential and the state of an account, as the end of its line."""
    state = row["credential"] + (", default" if row["default"] else "")
    if row["problem"]:
        return f"{state}; failed: {row['problem']}"
    if not row["tested_at"]:
        return str(state)
    lacks = f", {counted(len(row['lacking']), 'tool')} without permission" if row["lacking"] else ""
    ends = f", {words}" if (words := _ends(engine, row["name"])) else ""
    when = datetime.fromtimestamp(row["tested_at"]).astimezone().strftime("%Y-%m-%d %H:%M %Z")
    return f"{state}; tested {when}{lacks}{ends}"


def _ends(engine: Engine, name: str) -> str:
    """When its token expires; empty if that is not known."""
    connection = engine.connections[name]
    return ending_words(engine.ending(connection, next(iter(connection.endpoints))), time.time())


def _add(engine: Engine, options: argparse.Namespace) -> int:
    book = engine.account_book
    service = book.service(options.service)
    place = book.place_for(_place(options), service)
    wanted = Account(name=options.name, service=service.name, secret=place, **_given(options))
    if options.sign_in:
        wanted = replace(wanted, way=SIGN_IN, client_id=options.client_id or "")
        book.check_new(wanted)
        book.secrets.store(wanted.secret).probe()
        secret = _unseen(f"Paste the secret of the client {wanted.client_id}, or Enter where it has none: ")
        done = ending.run(signed_in(wanted, service, book.secrets, secret, **_browser(engine, service, options)))
        if done.reduced:
            remark(done.reduced)
        account = book.add(wanted, done.tokens.as_json, options.mode, secret)
    else:
        account = book.add(wanted, lambda: _ask(wanted, service), options.mode)
    remark(f"Added {account.name}. Its secret is in {account.secret.words}.")
    if account.mode == "live":
        remark(
            "It reaches live data, and is read-only until you allow changes: --allow-writes for a call, F12 in the explorer."
        )
    code = ExitCode.OK if options.no_test else _test(engine, options)
    if code != ExitCode.OK:
        kept, name = f"{account.name} was kept", f'"{account.name}"'
        remark(f"{kept}. Correct it: callboard account edit {name}; or remove it: callboard account remove {name}.")
    return code


def _edit(engine: Engine, options: argparse.Namespace) -> int:
    book = engine.account_book
    before = book.read().named(options.name)
    service = book.service(before.service)
    wanted = replace(before, **_given(options))
    moved = options.secret is not None or options.insecure_storage
    if moved:
        wanted = replace(wanted, secret=book.place_for(_place(options), service))
    asks = options.new_secret or moved
    account = book.edit(before.name, wanted, (lambda: _ask(wanted, service)) if asks else None, options.mode)
    remark(f"Changed {account.name}.")
    if not asks:
        return ExitCode.OK
    engine.account_memory.forget(account.name)
    return _test(engine, options)


def _sign_in(engine: Engine, options: argparse.Namespace) -> int:
    account, service = _signs_in(engine, options.name, "add an account with --sign-in")
    done = ending.run(signed_in_again(account, service, engine.account_book.secrets, **_browser(engine, service, options)))
    if done.reduced:
        remark(done.reduced)
    remark(f"Signed in to {account.name}.")
    return _test(engine, options)


def _sign_out(engine: Engine, options: argparse.Namespace) -> int:
    account, service = _signs_in(engine, options.name, f'callboard account remove "{options.name}" deletes it')
    ended = ending.run(signed_out(account, service, engine.account_book.secrets))
    engine.account_memory.forget(account.name)
    there = "and the service has ended them" if ended else "and end at the service by themselves"
    return remark(f"Signed out of {account.name}. Its tokens are deleted here, {there}.")


def _signs_in(engine: Engine, name: str, way_out: str) -> tuple[Account, Service]:
    """An account that signs in, and its service; fails for one that does not."""
    account = engine.account_book.read().named(name)
    if not account.signs_in:
        fail(f"{account.name} uses a stored credential, not a sign-in", way_out=way_out)
    return account, engine.account_book.service(account.service)


def _browser(engine: Engine, service: Service, options: argparse.Namespace) -> dict[str, Any]:
    """How a user signs in: `show` opens the address, `paste` asks for the final one; and the `tools` that need permissions."""

    async def show(address: str) -> None:
        remark(f"Sign in at: {address}" if options.no_browser else f"Sign in with the browser. It opens {address}")
        if not options.no_browser:
            await open_in_browser(address)

    async def paste(wrong: str) -> str:
        remark(wrong or "Paste the address that the browser was sent to, also where the page could not be opened:")
        line: str = await in_daemon(sys.stdin.readline, "waits for a line")
        if not line:
            fail("no address was pasted", way_out="run it again, and paste the address that the browser was sent to")
        return line.strip()

    tools = [tool for tool in engine.catalog.tools.values() if tool.toolkit == service.toolkit]
    return {"show": show, "paste": paste if options.no_browser else None, "tools": tools}


def _test(engine: Engine, options: argparse.Namespace) -> int:
    engine.reload_accounts()  # it may have just been added or changed
    name = {one.casefold(): one for one in engine.connections}.get(options.name.casefold(), options.name)
    known = ending.run(engine.test_account(name), engine)
    if options.json:
        say_values(_described(engine, name))
    if known.problem:
        return complain(f"{name}: {known.problem}", code=ExitCode.CONNECTION)
    if not options.json:
        mode = next(iter(engine.connections[name].endpoints.values())).mode
        say(f"{name}: {' · '.join(filter(None, ('works', mode, known.who, known.where, _ends(engine, name))))}")
        for permission in dict.fromkeys(known.lacking.values()):
            tools = [tool for tool, lacked in known.lacking.items() if lacked == permission]
            rest = f" and {len(tools) - 3} more" if len(tools) > 3 else ""
            say(f"  ✗ missing permission {permission}: {', '.join(tools[:3])}{rest}")
    return ExitCode.OK


def _use(engine: Engine, options: argparse.Namespace) -> int:
    book = engine.account_book
    if options.name == "sandbox":
        names = [book.service(options.service).name] if options.service else [one.service for one in book.read().found.values()]
        for name in dict.fromkeys(names):
            book.use(name, None)
        return remark("Calls go to the sandbox when no account is named.")
    account = book.read().named(options.name)
    book.use(account.service, account.name)
    return remark(f"Calls of {book.service(account.service).title} go to {account.name} when no account is named.")


def _rename(engine: Engine, options: argparse.Namespace) -> int:
    before = engine.account_book.read().named(options.name)
    account = engine.account_book.edit(before.name, replace(before, name=options.new))
    engine.account_memory.rename(before.name, account.name)
    return remark(f"{before.name} is called {account.name} now. History and audit log keep the former name.")


def _remove(engine: Engine, options: argparse.Namespace) -> int:
    account = engine.account_book.read().named(options.name)
    secret = f" and its secret in {account.secret.words}" if account.secret.is_ours else ""
    if not confirmed(f"Remove {account.name}{secret}?", yes=options.yes):
        return remark("Nothing was removed.")
    engine.account_book.remove(account.name)
    engine.account_memory.forget(account.name)
    return remark(f"Removed {account.name}{secret}.")


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """The fields that the options set."""
    return {name: value for name in _NAMES if (value := getattr(options, name)) is not None}


def _place(options: argparse.Namespace) -> str:
    """The place of the secret, from the options."""
    wanted = "file" if options.insecure_storage else options.secret or "keyring"
    if wanted not in ("file", "keyring") and wanted.partition(":")[0] not in ("env", "command", "value"):
        # The text is not repeated: it may be the secret itself.
        fail(
            "--secret names the place of the secret and never holds it: keyring, env:NAME, command:WORDS or value:FILE#PATH",
            way_out="leave it out to be asked for the secret; if this was the secret, replace it: others may have seen it",
        )
    return wanted


def _ask(account: Account, service: Service) -> str:
    """The secret, typed without echo, or the first line of standard input."""
    title = account.authentication(service).title or "the credential"
    text = _unseen(f"Paste {title} for {account.name} (it is not shown): ")
    if not 0 < len(text) <= _LONGEST_SECRET:
        fail("no secret was given", way_out="paste it, or send it to standard input")
    return text


def _unseen(words: str) -> str:
    """A line typed without echo, or the first one of standard input; the end of the input at a terminal ends the command."""
    if not sys.stdin.isatty():
        return sys.stdin.readline(_LONGEST_SECRET + 1).strip()
    try:
        return getpass(visible_line(words), stream=sys.stderr).strip()
    except EOFError:
        remark("")  # the question's line ends
        fail("no secret was given", way_out="paste it, or send it to standard input")
