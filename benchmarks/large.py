"""Large tensors: memory traffic, vector functions and matrix products."""

from harness import Workload, main, ramp


def four_million(torch):
    return {"torch": torch, "x": ramp(torch, 4_000_000).requires_grad_()}


def matrices(torch):
    a, b = ramp(torch, 1024, 1024), ramp(torch, 1024, 1024).t().contiguous()
    return {"a": a.requires_grad_(), "b": b.requires_grad_(), "gradient": ramp(torch, 1024, 1024)}


WORKLOADS = [
    Workload(
        "`(x*sin(x) + exp(-x*x)).sum()` on 4M floats, forward and backward",
        bar=0.45,
        names=four_million,
        statement="x.grad = None; y = (x*torch.sin(x) + torch.exp(-x*x)).sum(); y.backward()",
        result="[y, x.grad[::4001]]",
    ),
    Workload(
        "matmul 1024 x 1024, forward and backward",
        bar=1.05,
        names=matrices,
        statement="a.grad = b.grad = None; y = a @ b; y.backward(gradient)",
        result="[y[::33, ::31], a.grad[::33, ::31], b.grad[::33, ::31]]",
    ),
]

if __name__ == "__main__":
    main("large", WORKLOADS)
