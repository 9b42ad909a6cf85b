"""The layered layout: nothing overlaps, few lines cross, large graphs take little time."""

import itertools
import random
import time

import pytest

from chainrule.explain.layout import crossings, layered


def overlaps(layout, sizes):
    rows = {}
    for i, y in enumerate(layout.y):
        rows.setdefault(round(y, 6), []).append(i)
    for row in rows.values():
        row.sort(key=lambda i: layout.x[i])
        for a, b in itertools.pairwise(row):
            if layout.x[a] + sizes[a][0] / 2 > layout.x[b] - sizes[b][0] / 2 + 1e-6:
                yield a, b


def random_graph(count, seed):
    rng = random.Random(seed)
    edges = [(rng.randrange(max(0, b - 8), b), b) for b in range(1, count) for _ in range(rng.choice((1, 1, 2)))]
    return [(rng.uniform(30, 200), rng.choice((30, 46))) for _ in range(count)], edges


@pytest.mark.parametrize("seed", range(5))
def test_nothing_overlaps_and_edges_point_down(seed):
    sizes, edges = random_graph(120, seed)
    layout = layered(sizes, edges)
    assert not list(overlaps(layout, sizes))
    assert all(layout.y[a] + sizes[a][1] / 2 < layout.y[b] - sizes[b][1] / 2 for a, b in edges)
    assert all(
        x - w / 2 >= -1e-6 and x + w / 2 <= layout.width + 1e-6 for x, (w, _) in zip(layout.x, sizes, strict=True)
    )
    assert all(0 <= y <= layout.height for y in layout.y)


def test_a_tree_has_no_crossings():
    edges = [(i, (i - 1) // 2) for i in range(1, 31)]
    sizes = [(40.0, 30.0)] * 31
    layout = layered(sizes, edges)
    rows = {}
    for a, b in edges:
        rows.setdefault(layout.y[a], []).append((layout.x[a], layout.x[b]))
    for pairs in rows.values():
        order = [b for _, b in sorted(pairs)]
        assert order == sorted(order)


def test_crossings_are_counted():
    assert crossings([(0, 0), (1, 1)]) == 0
    assert crossings([(0, 1), (1, 0)]) == 1
    assert crossings([(0, 2), (1, 1), (2, 0)]) == 3
    assert crossings([]) == 0


def test_the_order_has_fewer_crossings_than_a_random_one():
    rng = random.Random(1)
    left, right = list(range(20)), list(range(20, 40))
    rng.shuffle(right)
    edges = list(zip(left, right, strict=True))  # a perfect order exists
    layout = layered([(30.0, 30.0)] * 40, edges)
    place = [layout.x[b] for _, b in sorted(edges, key=lambda e: layout.x[e[0]])]
    assert place == sorted(place)


def test_five_thousand_nodes():
    sizes, edges = random_graph(5000, 7)
    start = time.process_time()
    layout = layered(sizes, edges)
    assert time.process_time() - start < 2
    assert not list(overlaps(layout, sizes))


def test_small_cases():
    assert layered([], []).width == 0
    assert layered([(10.0, 10.0)], []).x == [5.0]
    with pytest.raises(ValueError, match="cycle"):
        layered([(1.0, 1.0)] * 2, [(0, 1), (1, 0)])
