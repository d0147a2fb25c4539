"""Signs identity tokens as the incident service does: RS256, with a public key to check them by.

The key is derived from the world's seed, so that anybody can work it out: it shows an application whether it checks
signatures rightly, and guards nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from registry.sandbox.world import World

_BITS = 2_048
_EXPONENT = 65_537
# How PKCS #1 v1.5 (RFC 8017, section 9.2) marks a SHA-256 digest.
_SHA256_MARK = bytes.fromhex("3031300d060960864801650304020105000420")
_SMALL_PRIMES = tuple(number for number in range(3, 1_000) if all(number % other for other in range(2, int(number**0.5) + 1)))


def public_keys(world: World) -> dict[str, Any]:
    """The key set (RFC 7517) that signatures of a world are checked by."""
    modulus, _ = _key(world.seed)
    key = {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": _key_id(world)}
    return {"keys": [{**key, "n": _number(modulus), "e": _number(_EXPONENT)}]}


def signed(world: World, claims: Mapping[str, Any]) -> str:
    """A signed JWT (RFC 7519) with these claims."""
    content = f"{_json({'alg': 'RS256', 'kid': _key_id(world), 'typ': 'JWT'})}.{_json(claims)}"
    digest = _SHA256_MARK + hashlib.sha256(content.encode()).digest()
    size = _BITS // 8
    padded = b"\x00\x01" + b"\xff" * (size - len(digest) - 3) + b"\x00" + digest
    modulus, private = _key(world.seed)
    signature = pow(int.from_bytes(padded, "big"), private, modulus)
    return f"{content}.{base64url(signature.to_bytes(size, 'big'))}"


def _key_id(world: World) -> str:
    return world.digits("signin/key", 10)


@lru_cache(maxsize=8)
def _key(seed: int) -> tuple[int, int]:
    """The modulus and private exponent of all worlds with a seed, kept because finding its primes takes about 0.2 s."""
    dice = World(seed, 0).dice("signin/key")
    one, other = _prime(dice), _prime(dice)
    return one * other, pow(_EXPONENT, -1, (one - 1) * (other - 1))


def base64url(content: bytes) -> str:
    """Base64url without padding, as JWTs are written."""
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _prime(dice: random.Random) -> int:
    """A prime of half the key's length, whose two highest bits are set so that the product has all of it."""
    bits = _BITS // 2
    while True:
        number = dice.getrandbits(bits) | 3 << (bits - 2) | 1
        if number % _EXPONENT != 1 and all(number % small for small in _SMALL_PRIMES) and pow(2, number - 1, number) == 1:
            return number


def _number(value: int) -> str:
    return base64url(value.to_bytes((value.bit_length() + 7) // 8, "big"))


def _json(value: Mapping[str, Any]) -> str:
    return base64url(json.dumps(value, separators=(",", ":")).encode())
