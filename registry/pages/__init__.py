"""The page of an object: everything that the reading tools know about it, on one screen.

An id becomes subjects (`subjects`): the types that it may be of, each with the call that reads the object. Its definition
(`definition`) is data in the toolkit's folder (``pages.json``), or made from the catalogue where the folder has none for the
type (`default`). `loading` makes the calls side by side and publishes a `Page` (`page`) after each response. `build` turns
objects into rows, facts that need attention and a timeline; `as_json` and `as_text` write a page.

The package makes no call itself: it is given a function that reads. It knows neither a service nor a screen.
"""
