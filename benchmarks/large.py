"""Large tensors: memory traffic, vector functions and matrix products."""

from harness import Workload, main, ramp


def four_million(torch):
    return {"torch": torch, "x": ramp(torch, 4_000_000).requires_grad_()}


def matrices(size):
    def names(torch):
        a, b = ramp(torch, size, size), ramp(torch, size, size).t().contiguous()
        return {"a": a.requires_grad_(), "b": b.requires_grad_(), "gradient": ramp(torch, size, size)}

    return names


def rows(torch):
    x, w, b = (ramp(torch, *shape).requires_grad_() for shape in ((8192, 1024), (1024,), (1024,)))
    return {"x": x, "w": w, "b": b, "g": ramp(torch, 8192, 1024)}


def product(size, bar, rounds=40):
    each = "::33, ::31" if size > 64 else ":"
    return Workload(
        f"matmul {size} x {size}, forward and backward",
        bar,
        matrices(size),
        "a.grad = b.grad = None; y = a @ b; y.backward(gradient)",
        f"[y[{each}], a.grad[{each}], b.grad[{each}]]",
        rounds,
    )


WORKLOADS = [
    Workload(
        "`(x*sin(x) + exp(-x*x)).sum()` on 4M floats, forward and backward",
        bar=0.35,
        names=four_million,
        statement="x.grad = None; y = (x*torch.sin(x) + torch.exp(-x*x)).sum(); y.backward()",
        result="[y, x.grad[::4001]]",
    ),
    product(16, 0.3),
    product(64, 0.7),
    product(256, 0.95),
    product(1024, 1.05),
    Workload(
        "layer norm of plain operations on (8192, 1024), forward and backward",
        bar=0.6,
        names=rows,
        statement="x.grad = w.grad = b.grad = None; d = x - x.mean(-1, keepdim=True)\n"
        "y = d * ((d * d).mean(-1, keepdim=True) + 1e-5).rsqrt() * w + b; y.backward(g)",
        result="[y[::997], x.grad[::997, ::991], w.grad, b.grad]",
        rounds=7,
    ),
]

if __name__ == "__main__":
    main("large", WORKLOADS)
