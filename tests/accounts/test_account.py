"""The fields of accounts, and the file that they are in: what is refused, and that nothing else in the file changes."""

import stat
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from registry.accounts.account import Account, AccountError, SecretPlace, account_of, address_of, checked
from registry.accounts.book import AccountBook
from registry.accounts.stores import SecretUnavailable
from registry.catalog.loader import load
from tests.cases import cases_beside

CASES = cases_beside(__file__)

KEY = "rk_test_fernway_1"
OWN = """# my settings
[look]
theme = "night"   # dark

# accounts of the team
[accounts."Fernway EU"]
service = "payments"
secret = "env:FERNWAY_KEY"
mode = "test"

# keys
[keys]
run = "f5"
"""


def account(**fields: object) -> Account:
    values = {"name": "Fernway", "service": "payments", "secret": SecretPlace.of("env:FERNWAY_KEY"), "mode": "test", **fields}
    return Account(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(("fields", "field", "words"), CASES["fields that cannot be used"])
def test_a_field_that_cannot_be_used_is_named_with_its_rule(fields: dict[str, object], field: str, words: str) -> None:
    known = {one.name: one for one in load().toolkits.values()}
    properties = {"service": "payments", "secret": "env:FERNWAY_KEY", **fields}
    with pytest.raises(AccountError) as error:
        checked(account_of("Fernway", properties), known[str(properties["service"])])
    assert (error.value.field, words in str(error.value)) == (field, True), str(error.value)
    assert "sk_live_oops" not in str(error.value)
    assert "me:pw" not in str(error.value)


@pytest.mark.parametrize("name", ["", " x", "x" * 41, "a\nb", "sandbox", "Sandbox", "-x", 'a"b', "a/b", "payments"])
def test_names_that_no_account_can_have(book: AccountBook, name: str) -> None:
    with pytest.raises(AccountError, match="name") as error:
        book.check_new(account(name=name))
    assert error.value.field == "name"


def test_an_address_of_its_own_stands_for_every_host() -> None:
    payments = load().toolkits["PaymentsApi"]
    here = account(base_url="http://127.0.0.1:8210/payments")
    assert [address_of(here, payments, host) for host in ("api", "files")] == [
        "http://127.0.0.1:8210/payments",
        "http://127.0.0.1:8210/files",
    ]
    proxy = account(base_url="https://gateway.example/v")
    assert {address_of(proxy, payments, host) for host in payments.hosts} == {"https://gateway.example/v"}
    european = account(service="incidents", region="eu")
    assert address_of(european, load().toolkits["Incidents"]) == "https://api.eu.pagerduty.com"


def test_only_its_own_section_of_the_file_changes(book: AccountBook) -> None:
    book.file.write_text(OWN)
    assert list(book.read().found) == ["Fernway EU"]
    book.edit("fernway eu", replace(book.read().named("fernway eu"), name="Fernway „1“ ✓"))
    book.add(account(name="US", version="2026-10-28", rule="typed-id", default=True), None)
    text = book.file.read_text()
    assert stat.S_IMODE(book.file.stat().st_mode) == 0o600
    for line in ("# my settings", 'theme = "night"   # dark', "# accounts of the team", "# keys", 'run = "f5"'):
        assert line in text
    assert list(book.read().found) == ["Fernway „1“ ✓", "US"]
    assert book.read().found["US"] == account(name="US", version="2026-10-28", rule="typed-id", default=True)
    book.remove("US")
    book.remove("Fernway „1“ ✓")
    assert tomllib.loads(book.file.read_text()) == {"look": {"theme": "night"}, "keys": {"run": "f5"}}


@pytest.mark.parametrize("text", ["accounts = 3\n", "[accounts\n", "\xff accounts", "accounts" + "x" * 100_001])
def test_a_file_that_cannot_be_read_is_told_and_not_written(book: AccountBook, text: str) -> None:
    book.file.write_bytes(text.encode("latin-1"))
    assert str(book.file) in book.read().problems[""]
    with pytest.raises(AccountError):
        book.add(account(), None)
    assert book.file.read_bytes() == text.encode("latin-1")


def test_what_is_wrong_with_one_account_leaves_the_others(book: AccountBook) -> None:
    book.file.write_text(OWN.replace('mode = "test"', 'mode = "test"\n[accounts.bad]\nservice = "payments"\nsecret = "x"'))
    read = book.read()
    assert list(read.found) == ["Fernway EU"]
    assert "secret must be" in read.problems["bad"]
    with pytest.raises(AccountError, match="bad: secret must be"):
        read.named("bad")
    with pytest.raises(AccountError, match="there are Fernway EU"):
        read.named("nobody")


def test_of_two_that_write_at_once_none_is_lost(book: AccountBook) -> None:
    def write(number: int) -> None:
        one = AccountBook(book.file, load().toolkits, book.secrets)
        one.add(account(name=f"account {number}"), None)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, range(24)))
    assert sorted(book.read().found) == sorted(f"account {number}" for number in range(24))


def test_one_default_for_each_service(book: AccountBook) -> None:
    for name, service in (("a", "payments"), ("b", "payments"), ("c", "crm")):
        book.add(account(name=name, service=service), None)
    book.use("payments", "a")
    book.use("crm", "c")
    book.use("payments", "B")
    assert {one.name: one.default for one in book.read().found.values()} == {"a": False, "b": True, "c": True}
    book.use("payments", None)
    assert {one.name: one.default for one in book.read().found.values()} == {"a": False, "b": False, "c": True}


def test_the_store_is_tried_before_the_secret_is_asked_for(book: AccountBook, tmp_path: Path) -> None:
    (tmp_path / "secrets").write_text("a file where the folder should be")

    def ask() -> str:
        raise AssertionError("the secret was asked for")

    with pytest.raises(SecretUnavailable, match="cannot be written"):
        book.add(account(secret=book.new_place("file", "payments")), ask, None)
    assert not book.read().found


def test_the_mode_is_what_the_secret_says(book: AccountBook) -> None:
    for number, (secret, said, mode) in enumerate(
        (("sk_live_1", None, "live"), ("rk_test_1", None, "test"), ("other", None, "live"), ("other", "test", "test"))
    ):
        wanted = account(name=f"{number}", secret=book.new_place("file", "payments"))
        assert book.add(wanted, lambda secret=secret: secret, said).mode == mode  # type: ignore[misc, arg-type]
    for secret, said in (("sk_live_1", "test"), ("sk_test_1", "live"), ("sk_test_1", "sandbox")):
        wanted = account(name="x", secret=book.new_place("file", "payments"), base_url="http://localhost:1/payments")
        with pytest.raises(AccountError, match="mode is") as error:
            book.add(wanted, lambda secret=secret: secret, said)  # type: ignore[misc, arg-type]
        assert secret not in str(error.value)
    for secret in ("", "two words", "žluť", "a\nb"):
        with pytest.raises(AccountError):
            book.add(account(name="x", secret=book.new_place("file", "payments")), lambda secret=secret: secret, None)  # type: ignore[misc]
    assert len(list(book.secrets.folder.glob("*.secret"))) == 4


def test_another_secret_takes_the_place_of_the_first(book: AccountBook) -> None:
    made = book.add(account(secret=book.new_place("file", "payments")), lambda: KEY, None)
    changed = book.edit("fernway", replace(made, name="EU", rule="read-only"), lambda: "rk_test_2", None)
    assert changed.secret != made.secret
    assert book.secrets.read(book.read().named("EU").secret) == "rk_test_2"
    assert [file.read_text() for file in book.secrets.folder.glob("*.secret")] == ["rk_test_2"]
    assert book.edit("EU", replace(changed, rule="confirm")).secret == changed.secret
    book.remove("EU")
    assert not list(book.secrets.folder.glob("*.secret"))
