"""Saved calls: one call or a chain of calls with names for what they need, kept as files, own and shared, and run.

A `SavedCall` says which inputs it takes, which tools it calls with which arguments, and what its outputs are. Arguments are
templates (`registry.results.templates`): ``{customer}`` is an input, ``{@charges.data[0].id}`` a value of the response of step
``charges``. Data flow: a form, calls of the history, or a file → `SavedCall` → values for each run → `Engine.run`, one step
after the other → `RowRun`, with the outcome of every step.

This room makes no requests itself and knows neither screens nor services. Every step goes through the engine, which checks
changes before it sends them and asks the policy. A change that was made is never repeated, even if rows run again. A file
contains neither responses nor secrets.
"""
