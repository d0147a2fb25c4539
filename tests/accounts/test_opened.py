"""Accounts as connections: the secret is fetched late, sent only where it belongs, and redacted; unusable ones are told."""

import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from registry.accounts.account import SIGN_IN, Account, SecretPlace
from registry.accounts.memory import AccountMemory, Known
from registry.accounts.oauth import Tokens
from registry.accounts.policy import NotAllowed
from registry.accounts.renewed import RenewedSecret
from registry.accounts.secrets import Secret
from registry.doors.cli_doctor import accounts
from registry.doors.oncall_print import oncall_connection
from registry.doors.output import ExitCode
from registry.engine import ConnectionSettingsError, Consent, Engine, Settings, open_engine
from tests.command_line import Run, runner

RESTRICTED = "rk_test_customer_read__account_read__charge_read"


class OwnEngine:
    """An engine with settings of its own, and a sandbox on a port."""

    def __init__(self, folder: Path, sandbox: str) -> None:
        self.folder = folder
        self.sandbox = sandbox
        self.environment = {"CALLBOARD_CONFIG": str(folder / "config.toml")}
        self.engines: list[Engine] = []
        self.engine = self.started()

    def started(self) -> Engine:
        """The program, started anew."""
        settings = Settings(environment=self.environment, state=self.folder / "state", downloads=self.folder)
        self.engines.append(open_engine(settings))
        return self.engines[-1]

    def add(self, name: str, secret: str = RESTRICTED, service: str = "payments", **fields: Any) -> Account:
        """An account whose secret a command prints."""
        path = {"payments": "payments", "incidents": "incidents", "crm": "crm"}[service]
        fields = {"mode": "test", "base_url": f"{self.sandbox}/{path}", **fields}
        file = self.folder / f"{name}.txt"
        file.write_text(secret)
        account = Account(name=name, service=service, secret=SecretPlace.of(f"command:cat '{file}'"), **fields)
        self.engine.account_book.add(account, None)
        self.engine.reload_accounts()
        return account


@pytest.fixture
async def own(tmp_path: Path, sandbox: str) -> AsyncIterator[OwnEngine]:
    """Nothing set up yet."""
    made = OwnEngine(tmp_path, sandbox)
    yield made
    for engine in made.engines:
        await engine.aclose()


async def test_the_secret_is_fetched_when_it_is_needed_and_no_sooner(own: OwnEngine) -> None:
    own.add("Fernway", version="2025-03-31.basil", on_behalf_of="")
    tool, connection = own.engine.tool("GetPaymentsAccountDetails"), own.engine.connections["Fernway"]
    endpoint = connection.endpoint("PaymentsApi")
    shown = own.engine.preview(tool, own.engine.validate(tool, {}), connection)
    assert endpoint.credential.reveal() == ""
    assert shown.headers["Authorization"] == "Bearer ••••••••"
    assert shown.headers["Stripe-Version"] == "2025-03-31.basil"
    result = await own.engine.run(tool, {}, connection)
    assert result.ok, result.failure
    assert endpoint.credential.reveal() == RESTRICTED
    assert RESTRICTED.encode() not in endpoint.hide(b"echo " + RESTRICTED.encode())
    others = own.engine.connections["sandbox"].endpoint("CrmUsersApi")
    assert RESTRICTED.encode() not in others.hide(RESTRICTED.encode()), "people paste them into the wrong places"


async def test_a_secret_that_was_replaced_is_read_again_after_a_401(own: OwnEngine) -> None:
    own.add("Fernway", "sk_test_expired_1")
    assert (await own.engine.run("GetPaymentsAccountDetails", {}, "Fernway")).status == 401
    (own.folder / "Fernway.txt").write_text("sk_test_fresh")
    second = await own.engine.run("GetPaymentsAccountDetails", {}, "Fernway")
    assert [one.status for one in second.exchanges] == [401, 200]


@pytest.mark.parametrize(
    ("secret", "cause"),
    [
        ("sk_live_1234", "mode is test, but the credential says that it is for live data"),
        ("two words", "characters that a credential"),
    ],
)
async def test_a_secret_that_does_not_fit_is_never_sent(own: OwnEngine, secret: str, cause: str) -> None:
    own.add("Fernway", secret)
    result = await own.engine.run("GetPaymentsAccountDetails", {}, "Fernway")
    assert result.failure is not None
    assert (result.failure.kind, result.status, result.exchanges) == ("authentication", None, ())
    assert cause in result.failure.cause
    assert 'callboard account edit "Fernway"' in result.failure.next_step
    assert secret not in str(result.failure)


async def test_what_is_allowed_is_the_accounts_own(own: OwnEngine) -> None:
    for name, rule in (("a", "confirm"), ("b", "typed-id"), ("c", "read-only")):
        own.add(name, rule=rule)
    engine, tool = own.engine, own.engine.tool("DeletePaymentsCustomer")
    kinds = {name: engine.policy.decide(tool, engine.connections[name]).kind for name in "abc"}
    assert kinds == {"a": "confirm", "b": "type", "c": "refuse"}
    with pytest.raises(NotAllowed, match="c is set to read-only"):
        await engine.run(tool, {tool.subject.name if tool.subject else "": "cus_1"}, "c", consent=Consent.TYPED)
    live = {name: own.add(name, "sk_live_1", mode="live", rule=rule) for name, rule in (("d", "confirm"), ("e", "read-only"))}
    for name in live:
        engine.policy.open_writing(engine.connections[name], tool.toolkit)
    assert {name: engine.policy.decide(tool, engine.connections[name]).kind for name in live} == {"d": "type", "e": "refuse"}


async def test_a_default_is_where_calls_go(own: OwnEngine) -> None:
    assert own.engine.usual("PaymentsApi").name == "sandbox"
    own.add("Fernway", default=True)
    own.add("Team", "token", service="crm")
    assert [own.engine.usual(kit).name for kit in ("PaymentsApi", "CrmUsersApi")] == ["Fernway", "sandbox"]
    assert own.started().usual("PaymentsApi").name == "Fernway"


async def test_accounts_and_the_environment_live_side_by_side(tmp_path: Path, sandbox: str) -> None:
    (tmp_path / "config.toml").write_text(
        '[accounts.crm]\nservice = "crm"\nsecret = "env:X"\n[accounts.bad]\nservice = "no"\nsecret = "env:X"\n'
    )
    environment = {"CALLBOARD_CONFIG": str(tmp_path / "config.toml"), "CRM_ACCESS_TOKEN": "t", "CRM_BASE_URL": f"{sandbox}/crm"}
    engine = open_engine(Settings(environment=environment, state=tmp_path))
    assert list(engine.connections) == ["sandbox", "crm"]
    assert engine.connections["crm"].endpoint("CrmUsersApi").credential.reveal() == "t"
    assert "environment already makes an account crm" in engine.account_problems["crm"]
    with pytest.raises(ConnectionSettingsError, match="service: there is no 'no'"):
        engine.connection("bad")


async def test_a_test_says_whose_it_is_and_which_permissions_are_missing(own: OwnEngine) -> None:
    own.add("Fernway")
    known = await own.engine.test_account("Fernway")
    assert (known.who, known.where[:5], known.problem) == ("Fernway Software", "acct_", "")
    assert known.lacking["GetTerminalReaders"] == "rak_terminal_read"
    assert known.lacking["RetrieveTerminalReader"] == "rak_terminal_read", "it asks for the same permission"
    assert {"SearchPaymentsCustomers", "DeletePaymentsCustomer"}.isdisjoint(known.lacking)
    assert AccountMemory(own.folder / "state").of("Fernway") == known
    own.add("Sam", "token", service="incidents")
    assert (await own.engine.test_account("Sam")).who == "Sam Ode"
    own.add("Team", "restricted-1", service="crm")
    crm = await own.engine.test_account("Team")
    assert crm.where == "18065135"
    assert crm.lacking["FetchCrmUsersList"] == crm.lacking["RetrieveCrmUserById"]
    assert crm.lacking["FetchCrmUsersList"] in own.engine.tool("FetchCrmUsersList").scopes


async def test_a_credential_that_is_refused_keeps_what_was_known(own: OwnEngine) -> None:
    own.add("Sam", "token", service="incidents")
    await own.engine.test_account("Sam")
    (own.folder / "Sam.txt").write_text("unknown-1")
    own.engine = own.started()
    known = await own.engine.test_account("Sam")
    assert (known.who, "not accept" in known.problem or "rejected" in known.problem) == ("Sam Ode", True), known


async def test_a_refused_call_greys_its_tools_and_one_that_works_again_does_not(own: OwnEngine) -> None:
    own.add("Fernway")
    refused = await own.engine.run("GetTerminalReaders", {}, "Fernway")
    assert refused.failure is not None
    assert refused.failure.permission == "rak_terminal_read"
    assert own.engine.account_memory.of("Fernway").lacking == {"GetTerminalReaders": "rak_terminal_read"}
    (own.folder / "Fernway.txt").write_text("sk_test_all")
    again = own.started()
    again.account_memory.load()
    assert (await again.run("GetTerminalReaders", {}, "Fernway")).ok
    assert again.account_memory.of("Fernway").lacking == {}


async def test_when_a_signed_in_account_ends_and_where_its_tokens_travel(own: OwnEngine) -> None:
    at = own.engine.account_book.new_place("file", "crm")
    account = Account(
        name="Signed in", service="crm", secret=at, way=SIGN_IN, client_id="c", mode="test", base_url="https://crm.example",
    )  # fmt: skip
    ends = time.time() + 1_400
    tokens = Tokens(Secret("MARKED-a"), None, ends, ("oauth",))
    own.engine.account_book.add(account, tokens.as_json, "test")
    own.engine.reload_accounts()
    connection = own.engine.connections["Signed in"]
    assert own.engine.ending(connection, "CrmUsersApi") is None, "nothing is read for it"
    endpoint = connection.endpoint("CrmUsersApi")
    assert isinstance(endpoint.credential, RenewedSecret)
    await endpoint.credential.ready()
    assert own.engine.ending(connection, "CrmUsersApi") == (ends, False)
    [told] = accounts([connection], usable=False)
    assert [one["address"] for one in told["hosts"]] == ["https://crm.example", "https://api.hubapi.com"]
    # Another program knows it from the last test.
    memory = own.engine.account_memory
    memory.note("Signed in", Known(at=1.0, ends=ends))
    again = own.started()
    assert again.ending(again.connections["Signed in"], "CrmUsersApi") == (ends, False)


WHO = ("call", "GetPaymentsAccountDetails")
BROKEN = '[accounts.Fernway]\nservice = "payments"\nsecret = env:X"\n'
WRONG = '[accounts.Fernway]\nservice = "payments"\nsecret = "env:X"\nmode = "lvie"\ndefault = {}\n'


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "config.toml"
    monkeypatch.setenv("CALLBOARD_CONFIG", str(file))
    return file


@pytest.mark.parametrize("content", [b"# \xe9\n", BROKEN.encode(), b"x" * 100_001])
def test_a_file_that_cannot_be_read(run: Run, config: Path, content: bytes) -> None:
    config.write_bytes(content)
    refused = run(*WHO)
    assert (refused.code, refused.out) == (ExitCode.USAGE, "")
    assert f"the default account is not known: {config}" in refused.err
    assert "--account sandbox" in refused.err
    assert run("page", "cus_4R5QLgZDZXPlou", "--text").code == ExitCode.USAGE
    assert run(*WHO, "--account", "sandbox").code == ExitCode.OK
    named = run(*WHO, "--account", "Fernway")
    assert named.code == ExitCode.USAGE
    assert f"the account 'Fernway' cannot be used: {config}" in named.err


@pytest.mark.parametrize("default", ["true", '"yes"'])
def test_a_default_account_that_is_wrong(run: Run, config: Path, default: str) -> None:
    config.write_text(WRONG.format(default))
    refused = run(*WHO)
    assert (refused.code, refused.out) == (ExitCode.USAGE, "")
    assert "the default account 'Fernway' cannot be used: " in refused.err
    assert run("call", "GetAccountRoles").code == ExitCode.OK, "another service has nothing to do with it"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[keys",
        WRONG.format("false"),
        f'{WRONG.format("true")}[accounts.B]\nservice = "crm"\nsecret = "env:X"\ndefault = true\n',
    ],
)
def test_calls_go_on_where_the_default_is_known(run: Run, config: Path, content: str) -> None:
    config.write_text(content)
    tool = "GetAccountRoles" if "accounts.B" not in content else "Whoami"
    assert run("call", tool).code == ExitCode.OK


def test_an_account_whose_toolkit_was_removed_stops_no_other_and_can_be_removed(run: Run, config: Path) -> None:
    config.write_text('[accounts.Mine]\nservice = "billing"\nsecret = "env:X"\ndefault = true\n')
    assert run(*WHO).code == ExitCode.OK
    assert "Mine: service: there is no 'billing'" in run("account", "list").err
    assert run("account", "remove", "Mine", "--yes").code == ExitCode.OK
    assert "Mine" not in config.read_text()


@pytest.mark.parametrize(
    ("content", "token", "name"),
    [
        ("", "t0ken", "incidents"),
        ('[accounts.Night]\nservice = "incidents"\nsecret = "env:INCIDENTS_ACCESS_TOKEN"\ndefault = true\n', "t0ken", "Night"),
        ('[accounts.Night]\nservice = "incidents"\nsecret = "env:INCIDENTS_ACCESS_TOKEN"\n', "t0ken", "incidents"),
    ],
)
def test_the_dashboard_is_that_of_the_default_account(
    config: Path, monkeypatch: pytest.MonkeyPatch, content: str, token: str, name: str
) -> None:
    monkeypatch.setenv("INCIDENTS_ACCESS_TOKEN", token)
    config.write_text(content)
    assert oncall_connection(None, open_engine()) == name
