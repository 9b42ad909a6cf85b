"""DataLoader against PyTorch's, by the clock: what the workers do is not this process's time."""

import time

from harness import Row, libraries, report

LOADERS = [  # workers, samples, shape of one, samples per batch
    (0, 4096, (784,), 64),
    (2, 4096, (784,), 64),
    (2, 512, (3, 64, 64), 64),
    (1, 128, (3, 224, 224), 32),
]


def loader(library, workers, length, shape, size):
    data = library.utils.data
    dataset = data.TensorDataset(library.zeros(length, *shape), library.arange(length))
    return data.DataLoader(dataset, size, shuffle=True, num_workers=workers, persistent_workers=workers > 0)


def one_pass(batches):
    start = time.perf_counter()
    count = sum(1 for _ in batches)
    return (time.perf_counter() - start) / count


def load(workers, length, shape, size):
    """The time per batch on both libraries."""
    both = [loader(library, workers, length, shape, size) for library in libraries()]
    rounds = [[one_pass(batches) for batches in both] for _ in range(7)][1:]
    ours, theirs = ([times[i] for times in rounds] for i in range(2))
    name = f"DataLoader, {workers} workers, batches of {size} x {'x'.join(map(str, shape))}"
    return Row(name, min(ours), min(theirs), bar=1.0, rounds={"chainrule": ours, "torch": theirs})


if __name__ == "__main__":
    report("data_loading", [load(*case) for case in LOADERS])
