"""Ordering, searching and counting a million elements."""

from harness import Workload, main

MILLION = 1_000_000


def scattered(torch, *shape):
    """The same floats from both libraries, between -3 and 3 and well mixed: multiples modulo a power of two."""
    count = 1
    for size in shape:
        count *= size
    whole = torch.arange(count, dtype=torch.int64) * 40503 * 25717 % 2**24
    return ((whole.to(torch.float32) - 2**23) / (2**23 / 3)).reshape(shape)


def vectors(torch):
    x = scattered(torch, MILLION)
    whole = torch.arange(MILLION, dtype=torch.int64)
    return {
        "torch": torch,
        "x": x,
        "y": x.to(torch.float64),
        "i": whole * 1_000_003 * 998_244_353 % 2**41 - 2**40,
        "n": whole * 40503 % 65537 % 1000,
        "rows": x.reshape(1000, 1000),
        "edges": torch.linspace(-3, 3, 1000),
        "positive": x > 0,
    }


def workload(name, statement, result, bar=1.0, rounds=20):
    return Workload(name, bar, vectors, statement, result, rounds)


WORKLOADS = [
    workload("sort of 1M floats", "r = x.sort()", "[r[0][::997], x[r[1]][::997]]", 0.5),
    workload("sort of 1M doubles", "r = y.sort()", "[r[0][::997]]", 0.5),
    workload("sort of 1M int64", "r = i.sort()", "[r[0][::997]]", 0.5),
    workload("sort of the rows of (1000, 1000)", "r = rows.sort()", "[r[0][::33, ::31]]", 0.5),
    workload("sort of the columns of (1000, 1000)", "r = rows.sort(0)", "[r[0][::33, ::31]]", 0.5),
    workload("topk(100) of 1M floats", "r = x.topk(100)", "[r[0], r[1]]", 0.5),
    workload("topk(50000) of 1M floats", "r = x.topk(50_000)", "[r[0][::99], r[1][::99]]"),
    workload("topk(5) of the rows of (1000, 1000)", "r = rows.topk(5)", "[r[0], r[1]]"),
    workload("median of 1M floats", "r = x.median()", "[r]"),
    workload("kthvalue of 1M floats", "r = x.kthvalue(300_000)", "[r[0], r[1]]"),
    workload("mode of 1M int64", "r = n.mode()", "[r[0], r[1]]"),
    workload(
        "unique of 1M int64, inverse and counts", "r = n.unique(True, True, True)", "[r[0], r[1][::997], r[2]]", 0.5
    ),
    workload("bucketize of 1M floats among 1000", "r = torch.bucketize(x, edges)", "[r[::997]]", 0.5),
    workload("searchsorted of 1M floats among as many", "r = torch.searchsorted(y.sort()[0], y)", "[r[::997]]", 0.5),
    workload("bincount of 1M int64", "r = n.bincount()", "[r]"),
    workload("histc of 1M floats", "r = x.histc(100)", "[r]"),
    workload("nonzero of 1M truth values", "r = positive.nonzero()", "[r[::997]]", 0.5),
]

if __name__ == "__main__":
    main("ordering", WORKLOADS)
