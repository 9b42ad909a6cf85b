"""Forward and backward of every differentiable operation of PyTorch's own test database, on its largest sample.

The samples are small, so this is about what an operation costs beside its arithmetic. Results agree already: the
database itself is run against chainrule elsewhere, see docs/coverage.md.
"""

import statistics
import sys
import timeit
import warnings

from harness import Row, libraries, repeats, report

ROUNDS = 7


def converted(value, torch, chainrule):
    """The sample's argument for chainrule."""
    if isinstance(value, torch.Tensor):
        return chainrule.from_numpy(value.detach().numpy().copy())
    if isinstance(value, torch.dtype):
        return getattr(chainrule, str(value).split(".")[1])
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return type(value)(converted(item, torch, chainrule) for item in value)
    if isinstance(value, dict):
        return {key: converted(item, torch, chainrule) for key, item in value.items()}
    return value


def with_gradients(value):
    if hasattr(value, "requires_grad_"):
        value = value.detach()
        return value.requires_grad_() if value.is_floating_point() or value.is_complex() else value
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return type(value)(with_gradients(item) for item in value)
    return value


def find(library, name):
    found = library
    for part in name.split("."):
        found = getattr(found, part)
    return found


def step(function, args, kwargs):
    """One call and the gradients of the sum of its first result."""

    def run():
        result = function(*args, **kwargs)
        while not hasattr(result, "backward"):
            result = result[0]
        total = result.sum()
        (total.abs() if total.is_complex() else total).backward()

    run()
    return timeit.Timer(run)


def largest(op, torch):
    samples = op.sample_inputs("cpu", torch.float32)
    return max(samples, key=lambda s: s.input.numel() if isinstance(s.input, torch.Tensor) else 0)


def compare(op, chainrule, torch):
    sample = largest(op, torch)
    args, kwargs = [sample.input, *sample.args], sample.kwargs
    ours = converted(args, torch, chainrule), converted(kwargs, torch, chainrule)
    timers = [
        step(find(chainrule, op.name), with_gradients(ours[0]), ours[1]),
        step(op.op, with_gradients(args), kwargs),
    ]
    counts = [max(1, repeats(timer) // 20) for timer in timers]
    rounds = [[], []]
    for _ in range(ROUNDS):
        for timer, count, times in zip(timers, counts, rounds, strict=True):
            times.append(timer.timeit(count) / count)
    name = f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name
    return Row(name, min(rounds[0]), min(rounds[1]), 1.0)


def main():
    warnings.simplefilter("ignore")
    chainrule, torch = libraries()
    from torch.testing._internal.common_methods_invocations import op_db

    rows = []
    for op in op_db:
        if op.supports_autograd and all(word in op.name for word in sys.argv[1:]):
            try:
                rows.append(compare(op, chainrule, torch))
            except Exception as error:  # no such operation here, or a sample without a gradient: it is not compared
                print(f"{op.name}: {type(error).__name__}", file=sys.stderr)
    rows.sort(key=lambda row: -row.score)
    report("every_op" if len(sys.argv) == 1 else "picked", rows)
    scores = [row.score for row in rows]
    slower = sum(score > 1 for score in scores)
    print(f"{len(rows)} operations, {slower} slower than PyTorch's, median ratio {statistics.median(scores):.2f}")


if __name__ == "__main__":
    main()
