"""Sparse matrices and sparse gradients beside PyTorch's: products, coalesce, embeddings, optimisers, a graph."""

from harness import Workload, main, ramp

NODES, PER_ROW, WIDTH = 100_000, 20, 64


def scattered(torch, count, below):
    """Whole numbers in no simple order, the same from both libraries."""
    return (torch.arange(count, dtype=torch.int64) * 7_368_787 + 1_299_709) % 15_485_863 % below


def graph(torch, nodes, per_row, tracked=False):
    """A CSR matrix with the same number of entries in each row."""
    columns = scattered(torch, nodes * per_row, nodes).reshape(nodes, per_row).sort(1).values
    starts = torch.arange(nodes + 1, dtype=torch.int64) * per_row
    values = ramp(torch, nodes * per_row)
    return torch.sparse_csr_tensor(starts, columns.reshape(-1), values, (nodes, nodes)).requires_grad_(tracked)


def matrices(torch):
    return {"a": graph(torch, NODES, PER_ROW), "x": ramp(torch, NODES, WIDTH)}


def tracked_matrices(torch):
    return {"a": graph(torch, NODES, PER_ROW), "x": ramp(torch, NODES, WIDTH).requires_grad_()}


def entries(torch):
    places = scattered(torch, 2_000_000, 1000).reshape(2, -1)
    return {"s": torch.sparse_coo_tensor(places, ramp(torch, 1_000_000), (1000, 1000))}


def bags(torch):
    table = torch.nn.EmbeddingBag(1_000_000, WIDTH, mode="sum", sparse=True)
    with torch.no_grad():
        table.weight.copy_(ramp(torch, 1_000_000, WIDTH))
    chosen = scattered(torch, 1024 * 16, 1_000_000).reshape(1024, 16)
    return {"table": table, "at": chosen, "step": torch.optim.SGD(table.parameters(), lr=1e-6)}


def sparse_adam(torch):
    weight = torch.nn.Parameter(ramp(torch, 1_000_000, WIDTH))
    rows = torch.arange(16_384, dtype=torch.int64) * 61
    grad = torch.sparse_coo_tensor(rows[None], ramp(torch, rows.numel(), WIDTH), weight.shape, is_coalesced=True)
    weight.grad = grad
    return {"w": weight, "rows": rows, "step": torch.optim.SparseAdam([weight], lr=1e-6)}


def citations(torch):
    """A graph convolution network of two layers."""
    nodes = 20_000
    torch.manual_seed(0)
    first, second = torch.nn.Linear(64, 64), torch.nn.Linear(64, 64)
    parameters = [*first.parameters(), *second.parameters()]
    return {
        "F": torch.nn.functional,
        "a": graph(torch, nodes, 10) * 0.01,
        "x": ramp(torch, nodes, 64),
        "target": scattered(torch, nodes, 64),
        "first": first,
        "second": second,
        "step": torch.optim.SGD(parameters, lr=1e-6),
    }


NETWORK = """h = F.relu(a @ first(x))
loss = F.cross_entropy(a @ second(h), target)
step.zero_grad()
loss.backward()
step.step()"""

WORKLOADS = [
    Workload("CSR (100k, 100k), 20 a row, times (100k, 64)", 0.8, matrices, "y = a @ x", "y[::9973].sum(1)", 10),
    Workload(
        "the same, forward and backward",
        0.7,
        tracked_matrices,
        "x.grad = None; y = (a @ x).sum(); y.backward()",
        "x.grad[::9973].sum(1)",
        8,
    ),
    Workload("coalesce of 1M entries", 0.7, entries, "c = s.coalesce()", "c.values()[:100]", 8),
    Workload(
        "EmbeddingBag of 1M x 64, 1024 bags of 16, sparse gradient, SGD step",
        0.5,
        bags,
        "step.zero_grad(); table(at).sum().backward(); step.step()",
        "table.weight[at[0]].sum(1)",
        10,
    ),
    Workload(
        "SparseAdam, 16k rows of 1M x 64", 0.5, sparse_adam, "step.step()", "step.state[w]['exp_avg'][rows[:50]]", 10
    ),
    Workload("graph network, 20k nodes, 2 layers of 64, SGD step", 0.6, citations, NETWORK, "[loss.item()]", 10),
]

if __name__ == "__main__":
    main("sparse", WORKLOADS)
