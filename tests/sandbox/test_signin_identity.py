"""Identity tokens and what the incident service says about itself: who signed in, and how an application can be sure."""

import base64
import hashlib
import json
from typing import Any

import pytest

from tests.sandbox.signing_in import HOST, NOW, TERMINAL, Sandbox, given

CONFIGURATION = "/identity/incidents/global/oauth/anonymous/.well-known/openid-configuration"


@pytest.fixture
def sandbox() -> Sandbox:
    return Sandbox()


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def verified(token: str, keys: dict[str, Any]) -> dict[str, Any]:
    """The claims of a token whose signature is right, checked as RFC 8017 says (RSASSA-PKCS1-v1_5 with SHA-256)."""
    head, body, signature = token.split(".")
    header = json.loads(decoded(head))
    assert header["alg"] == "RS256"
    (key,) = [one for one in keys["keys"] if one["kid"] == header["kid"]]
    modulus, exponent = (int.from_bytes(decoded(key[name]), "big") for name in ("n", "e"))
    assert modulus.bit_length() == 2048
    opened = pow(int.from_bytes(decoded(signature), "big"), exponent, modulus).to_bytes(256, "big")
    digest = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(f"{head}.{body}".encode()).digest()
    assert opened == b"\x00\x01" + b"\xff" * (256 - 3 - len(digest)) + b"\x00" + digest
    claims: dict[str, Any] = json.loads(decoded(body))
    return claims


async def test_the_configuration_leads_to_everything(sandbox: Sandbox) -> None:
    told = (await sandbox.http.get(CONFIGURATION)).json()
    assert told["issuer"] + "/.well-known/openid-configuration" == HOST + CONFIGURATION
    assert told["code_challenge_methods_supported"] == ["S256"]
    assert told["id_token_signing_alg_values_supported"] == ["RS256"]
    assert {"openid", "read", "write", "incidents.read"} <= set(told["scopes_supported"])
    assert (await sandbox.http.get(told["authorization_endpoint"])).status_code == 400
    assert (await sandbox.http.post(told["token_endpoint"])).json()["error"] == "invalid_request"
    assert (await sandbox.http.get(told["jwks_uri"])).json()["keys"]


async def test_the_identity_token(sandbox: Sandbox) -> None:
    told = (await sandbox.http.get(CONFIGURATION)).json()
    code = await sandbox.code(person="zoe.martin", nonce="a nonce")
    sandbox.clock.advance(20)
    response = given(await sandbox.exchange(code))
    claims = verified(response["id_token"], (await sandbox.http.get(told["jwks_uri"])).json())
    me = (await sandbox.call("/incidents/users/me", response["access_token"])).json()["user"]
    assert me["name"] == "Zoé Martin"
    assert claims["user_id"] == claims["sub"] == me["id"]
    assert (claims["subdomain"], claims["region"]) == ("fernway", "UnitedStates")
    assert claims["iss"] == told["issuer"]
    assert claims["aud"] == [f"{HOST}/incidents", TERMINAL]
    assert claims["azp"] == TERMINAL
    assert claims["nonce"] == "a nonce"
    assert (claims["auth_time"], claims["iat"], claims["exp"]) == (NOW, NOW + 20, NOW + 20 + 3_600)
    half = hashlib.sha256(response["access_token"].encode()).digest()[:16]
    assert decoded(claims["at_hash"]) == half
