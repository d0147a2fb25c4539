"""Playbooks: chains of calls that pass values to later calls, kept as files and run once, per CSV row or per object.

A `Playbook` says which inputs it takes, which tools it calls with which arguments, and what its outputs are. Arguments are
templates (`registry.pages.templates`): ``{customer}`` is an input, ``{@charges.data[0].id}`` a value of the response of step
``charges``. Data flow: a file or calls of the history → `Playbook` → values for each run → `Engine.run`, one step after the
other → `RowRun`, with the outcome of every step.

This room makes no requests itself and knows neither screens nor services. Every step goes through the engine, which checks
changes before it sends them and asks the policy. A change that was made is never repeated, even if rows run again. A playbook's
file contains neither responses nor secrets.
"""
