"""One op on one element: what a library spends on everything but arithmetic."""

from harness import Workload, main


def scalar(torch):
    return {"x": torch.tensor(2.0, requires_grad=True)}


def pair(torch, requires_grad):
    return {name: torch.tensor([value], requires_grad=requires_grad) for name, value in (("a", 1.5), ("b", 2.5))}


WORKLOADS = [
    Workload(
        "`z = 2*x**2 + 1; z.backward()`",
        bar=1 / 35,
        names=scalar,
        statement="x.grad = None; z = 2*x**2 + 1; z.backward()",
        result="[z, x.grad]",
    ),
    Workload("`a + b`, 1 element", 1 / 25, lambda torch: pair(torch, False), "a + b", "a + b"),
    Workload("`a + b`, 1 element, with grad", 1 / 18, lambda torch: pair(torch, True), "a + b", "a + b"),
]

if __name__ == "__main__":
    main("small_ops", WORKLOADS)
