"""Faults on request: services that are slow, refuse, cut the connection, or send damaged responses.

A fault is written as one line of text (`specification`), read into a value (`fault`), kept with those in force (`active`) and
applied in front of a service (`middleware`). The sandbox takes faults when it is made and, over HTTP, while it runs
(`control`).
"""
