"""The game of Li, Vorobeychik, Li and Malin: publisher, attacker, and what the paper's theorems state about them.

Instances are tokens. A set of removing classifiers ``H`` has found every sensitive token that one of them found, and
suppressed unnecessarily every other token that one of them took for sensitive. Everything here is a pure function of
arrays and counts.
"""
