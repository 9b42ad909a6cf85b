"""Reading and writing at positions: what one small index costs, and how fast a million of them are."""

from harness import Workload, main, ramp


def small(torch):
    return {"x": torch.arange(12.0).reshape(3, 4), "v": torch.arange(10.0), "s": torch.tensor(2.0)}


def scrambled(torch, count, below):
    """Whole numbers in no simple order, the same from both libraries."""
    return torch.arange(count) * 7919 % 1_000_003 % below


def million(torch):
    n = 1_000_000
    return {"x": ramp(torch, n), "index": scrambled(torch, n, n), "torch": torch}


def rows(torch):
    table = ramp(torch, 20_000, 64).requires_grad_()
    return {"table": table, "index": scrambled(torch, 16_384, 20_000), "gradient": ramp(torch, 16_384, 64)}


WORKLOADS = [
    Workload("`x[3]`, a vector of 10", 1 / 4, small, "v[3]", "v[3]"),
    Workload("`x[2:5]`, a vector of 10", 1 / 4, small, "v[2:5]", "v[2:5]"),
    Workload("`x[i, j] = 1.`, 3 x 4", 1 / 4, small, "x[1, 2] = 1.", "x"),
    Workload("`x.item()`", 1 / 4, small, "s.item()", "s.item()"),
    Workload("gather, 1M", 1.0, million, "y = x.gather(0, index)", "y[::1009]"),
    Workload("index_select, 1M", 1.0, million, "y = x.index_select(0, index)", "y[::1009]"),
    Workload("`x[index]`, 1M", 1.0, million, "y = x[index]", "y[::1009]"),
    Workload("scatter_add, 1M", 1.0, million, "y = x.scatter_add(0, index, x)", "y[::1009]"),
    Workload("`x[x > 0]`, 1M", 1.0, million, "y = x[x > 0]", "y[::1009]"),
    Workload("masked_fill, 1M", 1.0, million, "y = x.masked_fill(x > 0, 0.)", "y[::1009]"),
    Workload(
        "16K rows of 64 from a table of 20K, forward and backward",
        bar=1.0,
        names=rows,
        statement="table.grad = None; y = table.index_select(0, index); y.backward(gradient)",
        result="[y[::97], table.grad[::97]]",
    ),
]

if __name__ == "__main__":
    main("indexing", WORKLOADS)
