"""How a sandbox behaves: the options that every command with a sandbox has, and the sandbox made of them."""

import argparse
from collections.abc import Callable
from typing import Any

from registry.doors.output import fail
from registry.sandbox.faults.specification import WrongFault, parse
from registry.sandbox.scenario_state import DEFAULT_SCENARIO, SCENARIOS


def application_of(known: argparse.Namespace) -> Callable[..., Any]:
    """A function that creates the sandbox for the options; it takes a kept world or creates its own."""
    for text in known.fault:
        try:
            parse(text)
        except WrongFault as error:
            fail(f"--fault: {error}")
    if known.scenario is not None and known.scenario not in SCENARIOS:
        fail(f"--scenario: unknown scenario {known.scenario!r}; available: {', '.join(SCENARIOS)}")

    def made(kept: Any = None) -> Any:
        from registry.sandbox.server import application  # only when it is asked for something: it is half of the program

        return application(
            kept=kept,
            faults=known.fault,
            scenario=known.scenario or DEFAULT_SCENARIO,
            limits=not known.no_limits,
            strict_keys=getattr(known, "strict_keys", False),  # an option of sandboxes that are served
            rough=known.world == "rough",
        )

    return made
