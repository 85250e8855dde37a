"""Columns: what is known of each token, as 64-bit integers by token.

One file holds the columns of one idea and the function that fills them. A value is 0 where the column says nothing
of the token, a small integer plus one, or a hash. Columns that carry words are keyed hashes or mixes of such.
"""
