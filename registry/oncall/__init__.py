"""The on-call data: what the incident toolkit's responses mean for responders.

It has no screen and no clock of its own, and it changes nothing.
"""
