"""Toolkits made from OpenAPI documents: 2.0 (Swagger), 3.0, 3.1 and 3.2, in JSON or YAML.

What flows: a source (file or address) → bytes → `Document` (a tree, read lazily by JSON pointer) → `Compiled` (the files of a
toolkit's folder, as `registry.catalog` reads them, with the guesses that were made and what was left out) → a folder below the
data folder. From there on it is like any toolkit.

- References are followed only where a form needs them, at most 8 levels and 400 leaves for one tool. Deeper values are one JSON
  field. So a large document only costs its parsing.
- Everything in a document is text from outside: it is made plain and short, and every file is held against the rules of the
  catalogue, as a folder from elsewhere is. Invalid parts are left out, with their place and the reason.
- Missing information (paging, the types of ids, the format of a credential) is guessed. Each guess says what it was made from,
  and counts as a guess until the user keeps it. An overlay, a file beside the toolkit's, overrides the document. This package
  must never know: a service by name, a screen, credentials, how a request is made. It opens one address, that of the
document, and others only of the same origin or folder and only where the user allowed that. No library resolves references.
"""
