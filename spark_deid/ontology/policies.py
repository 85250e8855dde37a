"""What may be chosen of an ontology's paths and of searches: words that need no compiled code."""

from typing import Literal, TypeAlias

PathPolicy: TypeAlias = Literal["first", "shortest", "smallest"]
"""Which hypernym a path takes where there are several: the first, that of the nearest root, or of the least volume."""
Objective: TypeAlias = Literal["uniform", "volume"]
"""What is least: the cost of equation 1, or |D| (t-PAT)."""
Method: TypeAlias = Literal["exact", "pruned", "lub", "one-step"]
RuleSearch: TypeAlias = Literal["exact", "pruned", "lub", "one-step", "cut"]
"""How a rule's terms are generalized: one of the paper's searches, or by a fixed partition of the originals."""
CUT = "cut"
