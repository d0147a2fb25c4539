"""The faults in force: in the order in which they were added, each with an id and a count of how often it was applied."""

from __future__ import annotations

import random
import threading
from typing import NamedTuple

import msgspec

from registry.sandbox.faults.fault import Fault, Harm, Latency
from registry.sandbox.faults.specification import WrongFault, parse
from registry.sandbox.world import World

MOST = 100
"""How many faults may be in force at once."""


class Active(msgspec.Struct):
    """An active fault. It has its own random generator, so that a run can be repeated."""

    id: int
    fault: Fault
    dice: random.Random
    applied: int = 0

    @property
    def remaining(self) -> int | None:
        """To how many requests it will still be applied; None without an end."""
        return None if self.fault.count is None else self.fault.count - self.applied


class Treatment(NamedTuple):
    """What happens to one request: seconds to wait first, and the effect on it, if any."""

    delay: float
    effect: Harm | None


class Faults:
    """The faults of one sandbox. Safe to use from several threads.

    Args:
        world: where the dice come from.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._lock = threading.Lock()
        self._active: list[Active] = []
        self._given = 0

    def add(self, text: str) -> Active:
        """Put a fault in force.

        Raises:
            WrongFault: the text is not a fault, or there are `MOST` already.
        """
        fault = parse(text)
        with self._lock:
            if len(self._active) >= MOST:
                raise WrongFault(f"at most {MOST} faults can be active: remove some first")
            self._given += 1
            active = Active(self._given, fault, self._world.dice(f"fault/{self._given}"))
            self._active.append(active)
            return active

    def listing(self) -> list[Active]:
        """The faults in force, also those that are used up."""
        with self._lock:
            return list(self._active)

    def remove(self, id_: int) -> bool:
        """End one fault; False if there is none with that id."""
        with self._lock:
            left = [active for active in self._active if active.id != id_]
            found = len(left) < len(self._active)
            self._active = left
            return found

    def clear(self) -> int:
        """End all faults and give their number."""
        with self._lock:
            number = len(self._active)
            self._active = []
            return number

    def treatment(self, service: str, method: str, path: str) -> Treatment | None:
        """What happens to a request, counted as applied: all latencies that concern it, and the first of the other effects.

        None when no fault concerns it.
        """
        if not self._active:
            return None

        delay, concerned = 0.0, False
        effect: Harm | None = None
        with self._lock:
            for active in self._active:
                if active.remaining == 0 or not active.fault.concerns(service, method, path):
                    continue
                if isinstance(active.fault.effect, Latency):
                    delay += active.dice.uniform(active.fault.effect.shortest, active.fault.effect.longest)
                elif effect is None:
                    effect = active.fault.effect
                else:
                    continue
                concerned = True
                active.applied += 1
        return Treatment(delay, effect) if concerned else None
