"""The page of an object: everything that the reading tools know about it, on one screen.

An id becomes subjects (`subjects`): its possible types, each with the call that reads the object. The page's definition
(`definition`) is data in the toolkit's folder (``pages.json``), or made from the catalogue if the folder has none for the
type. `loading` makes the calls concurrently and publishes an `ObjectPage` (`page`) after each response. `build`
turns objects into rows, facts that need attention and a timeline, and `page` writes a page as text, Markdown or JSON.

The package makes no call itself: it gets a function that does. It knows neither a service nor a screen.
"""
