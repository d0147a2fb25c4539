"""Playbooks: chains of calls whose values flow from one to the next, kept as files and run once, per CSV line or per object.

A `Playbook` says which inputs it takes, which tools it calls with which arguments, and what its outputs are. Arguments are
templates (`registry.pages.templates`): ``{customer}`` is an input, ``{@charges.data[0].id}`` a value of the response of step
``charges``. Data flow: a file or calls of the history → `Playbook` → values for each run → `Engine.run`, one step after the
other → `RowRun`, with the outcome of every step.

It makes no request of its own and knows neither screens nor services. Every step goes through the engine, which checks changes
before it sends them and asks the policy. A change that was made is never repeated, whatever is run again. Neither responses nor
secrets are kept in a playbook's file.
"""
