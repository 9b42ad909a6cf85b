"""Sums, means, largest values and variances over the rows and the columns of (8192, 1024)."""

from harness import Workload, main, ramp

ROWS, COLUMNS = 8192, 1024


def forward(torch):
    return {"x": ramp(torch, ROWS, COLUMNS), "take": lambda y: y if isinstance(y, torch.Tensor) else y[0]}


def backward(torch):
    names = forward(torch)
    return {**names, "x": names["x"].requires_grad_(), "g": [ramp(torch, COLUMNS), ramp(torch, ROWS)]}


def workloads():
    for name in ("sum", "mean", "max", "var"):
        for dim, along in ((1, "rows"), (0, "columns")):
            yield Workload(
                f"{name} over {along} of (8192, 1024)", 0.5, forward, f"y = x.{name}({dim})", "take(y)[::7]", 15
            )
            yield Workload(
                f"{name} over {along} of (8192, 1024), forward and backward",
                0.3,
                backward,
                f"x.grad = None; y = take(x.{name}({dim})); y.backward(g[{dim}])",
                "[y[::7], x.grad[::97, ::31]]",
                9,
            )


if __name__ == "__main__":
    main("reductions", list(workloads()))
