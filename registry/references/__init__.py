"""Finds the object that an id in a response names, and the tools that show it.

It reads only the enclosing objects and makes no call.
"""
