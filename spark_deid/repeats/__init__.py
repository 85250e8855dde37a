"""k-repeating substrings: text that fewer than k people, documents or places share is rare.

A corpus is divided in four ways, and each has its word:

- a **range** is an interval of the sorted suffixes, by what they begin with;
- a **segment** is what one shard holds of a document that is too large for it;
- a **piece** is a stretch of text that is checked separately, between edits, stars or other ends of text;
- a **part** is a fraction of work or of a table: a thread's fraction of a text, or the runs whose hashes begin equally.

Characters that are **excluded** are not text: placeholders and what other detectors replace. They are never rare, and
no evidence that anything else is not.
"""
