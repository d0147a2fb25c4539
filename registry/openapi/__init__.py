"""Toolkits made from OpenAPI documents: 2.0 (Swagger), 3.0, 3.1 and 3.2, in JSON or YAML.

The steps: a source (file or address) → bytes → `Document` (a tree, read lazily by JSON pointer) → `Compiled` (the files of a
toolkit's folder, as `registry.catalog` reads them, with the guesses and the omitted parts) → a folder below the data folder.
From then on it is like any other toolkit.

- References are followed only where a form needs them, at most 8 levels and 400 leaves for one tool. Deeper values are one JSON
  field. So a large document costs little more than its parsing.
- Everything in a document is text from outside: it is made plain and short, and every file is checked by the rules of the
  catalogue, like any folder from outside. Invalid parts are omitted, with their position and the reason.
- Missing information (paging, the types of ids, the format of a credential) is guessed. Each guess has a reason, and counts as
  a guess until the user keeps it. An overlay, a file beside the toolkit's files, overrides the document.

This package must not know: a service by name, a screen, credentials, how a request is made. It opens one address, that of the
document.
"""
