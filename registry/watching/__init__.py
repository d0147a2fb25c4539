"""Watching: a reading call repeated at an interval, its results compared, and a condition with an alarm.

call → `Result` → `Version` where something differs → whoever watches

What is compared and kept has its secrets redacted. A change is never watched: repeating it would carry it out again. This room
knows no screen and makes no request itself; whoever watches gives the call, the clock and how to wait.
"""
