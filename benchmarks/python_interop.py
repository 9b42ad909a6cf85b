"""What a program does between operations: numbers in, numbers out, random numbers, arrays, indexing."""

from harness import Workload, main


def numbers(torch):
    return {"tensor": torch.tensor, "values": [1.0, 2.0, 3.0], "many": [float(i) for i in range(100)]}


def single(torch):
    return {"x": torch.tensor(1.5), "row": torch.tensor([1.5, 2.5, 3.5])}


def random_numbers(torch):
    torch.manual_seed(0)
    return {"torch": torch, "x": torch.ones(1000)}


def arrays(torch):
    import numpy

    return {"torch": torch, "array": numpy.arange(3.0), "x": torch.tensor([1.0, 2.0, 3.0])}


def seeded(expression):
    """Both start the stream anew, so that what is compared does not depend on how often the statement ran."""
    return f"[torch.manual_seed(1), {expression}][1]"


WORKLOADS = [
    Workload("`tensor([1., 2., 3.])`", 1 / 4, numbers, "tensor(values)", "tensor(values)"),
    Workload("`tensor` of 100 floats", 1 / 4, numbers, "tensor(many)", "tensor(many)"),
    Workload("`x.item()`", 1 / 4, single, "x.item()", "x.item()"),
    Workload("`float(x)`", 1 / 4, single, "float(x)", "float(x)"),
    Workload("`x.tolist()`, 3 elements", 1, single, "row.tolist()", "row.tolist()"),
    Workload("`randn(1000)`", 1, random_numbers, "torch.randn(1000)", seeded("torch.randn(1000)")),
    Workload("`rand(1000)`", 1, random_numbers, "torch.rand(1000)", seeded("torch.rand(1000)")),
    Workload("`randperm(1000)`", 1, random_numbers, "torch.randperm(1000)", seeded("torch.randperm(1000)")),
    Workload(
        "`dropout`, 1000 elements",
        1,
        random_numbers,
        "torch.nn.functional.dropout(x)",
        seeded("torch.nn.functional.dropout(x)"),
    ),
    Workload("`from_numpy(array)`", 1, arrays, "torch.from_numpy(array)", "torch.from_numpy(array)"),
    Workload("`x.numpy()`", 1, arrays, "x.numpy()", "x.numpy()"),
]

if __name__ == "__main__":
    main("python_interop", WORKLOADS)
