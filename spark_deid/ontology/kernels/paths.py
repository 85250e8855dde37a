"""Follow hypernyms to the root, and count what lies below."""

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s
from spark_deid.core.numerics.compilation import Int, compiled

NONE = -1
_UNSEEN, _OPENED, _NOT_BELOW, _BELOW = range(4)


@compiled
def first_hypernyms(starts: Int32s, hypernyms: Int32s) -> Int32s:
    """Return the first hypernym of every concept, -1 for a root."""
    ups = np.full(len(starts) - 1, NONE, np.int32)
    for concept in range(len(ups)):
        if starts[concept] < starts[concept + 1]:
            ups[concept] = hypernyms[starts[concept]]
    return ups


@compiled
def smallest_hypernyms(starts: Int32s, hypernyms: Int32s, volumes: Int64s) -> Int32s:
    """Return the hypernym of least volume of every concept, the first of equal ones, -1 for a root."""
    ups = first_hypernyms(starts, hypernyms)
    for concept in range(len(ups)):
        for place in range(starts[concept], starts[concept + 1]):
            if volumes[hypernyms[place]] < volumes[ups[concept]]:
                ups[concept] = hypernyms[place]
    return ups


@compiled
def nearest_hypernyms(starts: Int32s, hypernyms: Int32s) -> Int32s:
    """Return the hypernym of every concept that has the fewest steps to a root, the first of equal ones, -1 for a root.

    Depths settle in as many rounds as the graph is deep.
    """
    total = len(starts) - 1
    # Bellman and Ford's relaxation: `depths` starts above every possible depth, and only falls.
    ups, depths = first_hypernyms(starts, hypernyms), np.full(total, total, np.int64)
    changed = True
    while changed:
        changed = False
        for concept in range(total):
            depth = 0 if ups[concept] == NONE else depths[concept]
            for place in range(starts[concept], starts[concept + 1]):
                if depths[hypernyms[place]] + 1 < depth:
                    depth = depths[hypernyms[place]] + 1
            changed = changed or depth < depths[concept]
            depths[concept] = depth
    for concept in range(total):
        for place in range(starts[concept], starts[concept + 1]):
            if depths[hypernyms[place]] < depths[ups[concept]]:
                ups[concept] = hypernyms[place]
    return ups


@compiled
def list_paths(ups: Int32s, concepts: Int32s) -> tuple[Int32s, Int64s]:
    """Return each concept with all above it up to the root, one after the other, and where each path begins."""
    starts = np.zeros(len(concepts) + 1, np.int64)
    for row in range(len(concepts)):
        length, node = 0, np.int64(concepts[row])
        while node != NONE:
            length, node = length + 1, np.int64(ups[node])
        starts[row + 1] = starts[row] + length
    nodes = np.empty(starts[-1], np.int32)
    for row in range(len(concepts)):
        node = np.int64(concepts[row])
        for place in range(starts[row], starts[row + 1]):
            nodes[place], node = node, np.int64(ups[node])
    return nodes, starts


@compiled
def climb_paths(ups: Int32s, volumes: Int64s, concepts: Int32s) -> tuple[Int32s, Int64s]:
    """Return the paths of concepts from the first node on them that has more leaves than the concept itself."""
    starts = np.zeros(len(concepts) + 1, np.int64)
    lowest = np.empty(len(concepts), np.int64)
    for row in range(len(concepts)):
        node = np.int64(concepts[row])
        while node != NONE and volumes[node] <= volumes[concepts[row]]:
            node = np.int64(ups[node])
        lowest[row] = node
        starts[row + 1] = starts[row]
        while node != NONE:
            starts[row + 1] += 1
            node = np.int64(ups[node])
    nodes = np.empty(starts[-1], np.int32)
    for row in range(len(concepts)):
        node = lowest[row]
        for place in range(starts[row], starts[row + 1]):
            nodes[place], node = node, np.int64(ups[node])
    return nodes, starts


@compiled
def list_above(starts: Int32s, hypernyms: Int32s, concept: Int) -> Int32s:
    """Return all concepts above this one, by any path, each once."""
    found = np.empty(64, np.int32)
    found[0] = concept
    number, at = 1, 0
    while at < number:
        for place in range(starts[found[at]], starts[found[at] + 1]):
            if (found[:number] == hypernyms[place]).any():
                continue
            if number == len(found):
                found = np.concatenate((found, np.empty_like(found)))
            found[number] = hypernyms[place]
            number += 1
        at += 1
    return found[1:number]


@compiled
def lie_below(starts: Int32s, hypernyms: Int32s, concepts: Int32s, tops: Int32s) -> Bools:
    """Tell of each concept whether it is one of the tops or lies below one, by any path."""
    seen = np.zeros(len(starts) - 1, np.int8)
    for top in tops:
        seen[top] = _BELOW
    result = np.zeros(len(concepts), np.bool_)
    stack = np.empty(len(hypernyms) + 1, np.int32)
    for row in range(len(concepts)):
        stack[0] = concepts[row]
        size = 1
        while size:
            node = np.int64(stack[size - 1])
            # Visited again after all its hypernyms: their states are final, so this one becomes final as well.
            if seen[node] == _OPENED:
                seen[node] = _NOT_BELOW
                for place in range(starts[node], starts[node + 1]):
                    if seen[hypernyms[place]] == _BELOW:
                        seen[node] = _BELOW
            # The stack replaces recursion. A node remains on it until its hypernyms are decided.
            elif seen[node] == _UNSEEN:
                seen[node] = _OPENED
                for place in range(starts[node], starts[node + 1]):
                    if seen[hypernyms[place]] == _UNSEEN:
                        stack[size] = hypernyms[place]
                        size += 1
                continue
            size -= 1
        result[row] = seen[concepts[row]] == _BELOW
    return result


# Whether a graph of hypernyms goes in a circle.


@compiled
def has_circle(ends: Int64s, above: Int32s) -> bool:
    """Tell whether something stands above itself; ``above[ends[c - 1] : ends[c]]`` are those right above c, in range.

    What nothing waits for is taken away, time and again, until all is gone or a circle is left.
    """
    n = len(ends)
    # Kahn's topological sort: `waiting[c]` counts the concepts below c that are not yet taken away.
    waiting = np.zeros(n, np.int64)
    for each in above:
        waiting[each] += 1
    ready = np.empty(n, np.int64)
    number = 0
    for c in range(n):
        if waiting[c] == 0:
            ready[number] = c
            number += 1
    done = 0
    while done < number:
        c = ready[done]
        done += 1
        for place in range(0 if c == 0 else ends[c - 1], ends[c]):
            waiting[above[place]] -= 1
            if waiting[above[place]] == 0:
                ready[number] = above[place]
                number += 1
    return done < n
