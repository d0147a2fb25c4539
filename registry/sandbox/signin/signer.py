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
from typing import Any, NamedTuple

from registry.sandbox.world import World

_BITS = 2_048
_EXPONENT = 65_537
# How PKCS #1 v1.5 (RFC 8017, section 9.2) marks a SHA-256 digest.
_SHA256_MARK = bytes.fromhex("3031300d060960864801650304020105000420")
_SMALL_PRIMES = tuple(number for number in range(3, 1_000) if all(number % other for other in range(2, int(number**0.5) + 1)))


class _Key(NamedTuple):
    modulus: int
    private: int


class Signer:
    """Signs for one world. The key is made when it is first needed."""

    def __init__(self, world: World) -> None:
        self._world = world

    @property
    def key_id(self) -> str:
        """What the key is called."""
        return self._world.digits("signin/key", 10)

    def public_keys(self) -> dict[str, Any]:
        """The key set (RFC 7517) that signatures are checked by."""
        key = {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": self.key_id}
        return {"keys": [{**key, "n": _number(self._key.modulus), "e": _number(_EXPONENT)}]}

    def token(self, claims: Mapping[str, Any]) -> str:
        """A signed JWT (RFC 7519) with these claims."""
        header = {"alg": "RS256", "kid": self.key_id, "typ": "JWT"}
        content = f"{_json(header)}.{_json(claims)}"
        digest = _SHA256_MARK + hashlib.sha256(content.encode()).digest()
        size = _BITS // 8
        padded = b"\x00\x01" + b"\xff" * (size - len(digest) - 3) + b"\x00" + digest
        signature = pow(int.from_bytes(padded, "big"), self._key.private, self._key.modulus)
        return f"{content}.{base64url(signature.to_bytes(size, 'big'))}"

    @property
    def _key(self) -> _Key:
        return _key_of(self._world.seed)


@lru_cache(maxsize=8)
def _key_of(seed: int) -> _Key:
    """The key of all worlds with a seed, kept because finding its primes takes about 0.2 s."""
    dice = World(seed, 0).dice("signin/key")
    one, other = _prime(dice), _prime(dice)
    return _Key(one * other, pow(_EXPONENT, -1, (one - 1) * (other - 1)))


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
