"""Tests."""

import os

# Modules of tests read the catalogue while they are collected, before any fixture: what the user added does not belong into it.
for _name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
    os.environ[_name] = os.path.join(os.path.dirname(__file__), "no-home")
