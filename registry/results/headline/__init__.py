"""A result in one sentence, which is shown above it: ``10 open invoices · 3 with a failed payment``.

The sentence is made from the call and its response: how many objects, of which type, the query's conditions, the owner, and
notices. Nouns and notices are data in the toolkit's folder (`declared`), the query's conditions are put into words
(`query_words`), and the names of ids come from earlier responses (`names`). This package sends nothing and depends on
neither a service nor a screen.
"""
