"""Faults on request: services that are slow, refuse, cut the connection, or send damaged responses.

A fault is written as one line of text (`specification`), kept with those in force and applied in front of a service (`faulty`).
The sandbox takes faults when it is made and, over HTTP, while it runs (`registry.sandbox.server`).
"""
