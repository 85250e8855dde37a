"""What is rare, found in shards that no task holds together.

Each shard sorts its own suffixes, and all together merge their tries, round by round: the shards send the distinct
prefixes of suffixes that are still active, cut at a depth, with how many of their units are below each edge. Ranges of
prefixes, cut by sampled splitters, are merged separately; what is returned states how deep k units share each leaf. A
suffix that k units share to the full depth continues to the next round, up to the cap. Any depths, splitters and
assignment of units to shards give the same lengths.
"""
