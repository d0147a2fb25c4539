"""Watching: a reading call repeated at an interval, its results compared, and a condition with an alarm.

call → `Result` → `Version`, if something differs → the caller

Results have their secrets redacted before they are compared and kept. Changes cannot be watched: repeating one would carry
it out again. This room knows no screen and makes no request itself; the caller passes the call, the clock and the function to
wait.
"""
