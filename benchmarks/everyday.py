"""A day at the prompt: small tensors made, rows and columns reduced, a million numbers put in order."""

from harness import Workload, main, ramp


def nothing(torch):
    return {"torch": torch}


def matrix(torch):
    return {"x": ramp(torch, 8192, 1024), "torch": torch}


def noise(torch):
    """A million numbers in no order, the same from both libraries: their random streams are equal."""
    return {"x": torch.randn(1_000_000, generator=torch.Generator().manual_seed(3)), "torch": torch}


def along_rows_and_columns(name):
    """The reduction over either dimension of a matrix that no cache holds."""
    first = "[0]" if name in ("max", "min") else ""
    return [
        Workload(
            f"{name} over {place}, 8192 x 1024",
            bar=0.5,
            names=matrix,
            statement=f"y = x.{name}({dim}){first}",
            rounds=15,
            result="y[::7]",
        )
        for place, dim in (("rows", 1), ("columns", 0))
    ]


WORKLOADS = [
    Workload("`tensor([1., 2., 3.])`", 1 / 4, nothing, "y = torch.tensor([1., 2., 3.])", "y"),
    Workload("`randn(1000)`", 1.0, nothing, "y = torch.randn(1000)", "torch.manual_seed(1) and torch.randn(1000)"),
    *(workload for name in ("sum", "mean", "max", "var") for workload in along_rows_and_columns(name)),
    Workload("sort, 1M", 1.0, noise, "y = x.sort()", "[y[0][::1009], x[y[1]][::1009]]", rounds=15),
    Workload("topk of 10, 1M", 1.0, noise, "y = x.topk(10)", "[y[0], y[1]]"),
    Workload("topk of 1000, 1M", 1.0, noise, "y = x.topk(1000)", "[y[0], y[1]]"),
    Workload("cumsum, 1M", 1.0, noise, "y = x.cumsum(0)", "y[:1000]"),
]

if __name__ == "__main__":
    main("everyday", WORKLOADS)
