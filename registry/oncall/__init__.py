"""The on-call data: what the incident toolkit's responses mean for responders.

No screen, no clock of its own; nothing is changed.
"""
