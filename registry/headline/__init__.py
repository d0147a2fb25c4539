"""What a result says, in one sentence that stands above it: ``10 open invoices · 3 with a failed payment``.

The sentence is made from the call and its response: how many, of what, which of them were asked for, whom they belong to, and
what stands out. Nouns and what stands out are data in the toolkit's folder (`declared`), the query's conditions are put in
words (`query_words`), and names of ids are those that earlier responses have shown (`names`). The room sends nothing and knows
neither a service nor a screen.
"""
