"""English words that an ontology has as nouns, and a text hardly ever means so."""

_WORDS = """
a about above after again all am an and any are as at be because been before being below between both but by
can could did do does doing down during each few for from further had has have having he her here hers him his
how i if in into is it its just may me might more most must my no nor not now of off on once one only or other
our out over own same shall she should so some such than that the their them then there these they this those
through to too under until up us very was we were what when where which while who whom why will with would you
your
"""
FUNCTION_WORDS = frozenset(_WORDS.split())
"""Words that are no terms unless a detector marks them, or they are written as one that is."""
