"""Random programs of views, writes and arithmetic give PyTorch's values and gradients, or raise where it does."""

import gc

import pytest
import torch as reference
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import chainrule

# The same programs in every run, so that a verdict belongs to the commit.
STABLE = settings(
    max_examples=120, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)

# Every step takes the library, the list of tensors so far, and indices and numbers to choose by. It appends or writes.

VIEWS = [
    lambda torch, t, k: t[k % max(len(t), 1)] if t.ndim else t,
    lambda torch, t, k: t[k % 2 :] if t.ndim else t,
    lambda torch, t, k: t[..., ::2] if t.ndim else t,
    lambda torch, t, k: t.T if t.ndim == 2 else t[None],
    lambda torch, t, k: t.transpose(0, -1) if t.ndim else t,
    lambda torch, t, k: t.reshape(-1),
    lambda torch, t, k: t.flatten()[: 1 + k % 3],
    lambda torch, t, k: t.unsqueeze(k % (t.ndim + 1)) if t.ndim < 3 else t.squeeze(),
    lambda torch, t, k: t.squeeze(),
    lambda torch, t, k: t.expand(2, *t.shape) if t.ndim < 2 else t,
    lambda torch, t, k: t.narrow(0, 0, 1 + k % t.shape[0]) if t.ndim and t.shape[0] else t,
    lambda torch, t, k: t.diagonal() if t.ndim >= 2 else t,
    lambda torch, t, k: t.detach(),
    lambda torch, t, k: t.view(t.shape),
]

RESULTS = [
    lambda torch, a, b, k: a * b,
    lambda torch, a, b, k: a + b * 0.5,
    lambda torch, a, b, k: a - b,
    lambda torch, a, b, k: a / (b * b + 1),
    lambda torch, a, b, k: a.sin(),
    lambda torch, a, b, k: a.tanh() * 2,
    lambda torch, a, b, k: (a * 0.1).exp(),
    lambda torch, a, b, k: a.sum(),
    lambda torch, a, b, k: a.mean(-1) if a.ndim else a,
    lambda torch, a, b, k: torch.where(a > b, a, b * 2),
    lambda torch, a, b, k: torch.maximum(a, b + 0.1),
    lambda torch, a, b, k: a.clamp(-1.05, 1.05),
    lambda torch, a, b, k: torch.cat([a.reshape(-1), b.reshape(-1)]),
    lambda torch, a, b, k: a.clone(),
    lambda torch, a, b, k: a[[0, 0, -1]] if a.ndim and a.shape[0] else a,
    lambda torch, a, b, k: a @ b if a.ndim and b.ndim else a,
    lambda torch, a, b, k: a.float().double(),
]

WRITES = [
    lambda torch, a, b, k: a.mul_(b),
    lambda torch, a, b, k: a.add_(b, alpha=0.5),
    lambda torch, a, b, k: a.mul_(0.5 + k),
    lambda torch, a, b, k: a.sin_(),
    lambda torch, a, b, k: a.tanh_(),
    lambda torch, a, b, k: a.zero_(),
    lambda torch, a, b, k: a.copy_(b),
    lambda torch, a, b, k: a.fill_(0.25 * k),
    lambda torch, a, b, k: a.__setitem__(0, b) if a.ndim else a.neg_(),
    lambda torch, a, b, k: a.__setitem__((Ellipsis, slice(k % 2, None)), 0.75) if a.ndim else a.neg_(),
    lambda torch, a, b, k: a.__setitem__([0], 1.5) if a.ndim and a.shape[0] else a.neg_(),
    lambda torch, a, b, k: a.T.mul_(2.0) if a.ndim == 2 else a.div_(2.0),
    lambda torch, a, b, k: a.clamp_(-0.95, 0.95),
    lambda torch, a, b, k: a.sub_(b.detach()),
]


def no_grad_write(torch, a, b, k):
    with torch.no_grad():
        a.add_(0.125)


step = st.tuples(
    st.sampled_from(["view", "view", "result", "result", "write", "write", "write", "no_grad"]),
    st.integers(0, 40),
    st.integers(0, 40),
    st.integers(0, 3),
    st.integers(0, 1000),
)


def apply(torch, tensors, roots, kind, i, j, k, which):
    i, j = i % len(tensors), j % len(tensors)
    a, b = tensors[i], tensors[j]
    if kind == "view":
        tensors.append(VIEWS[which % len(VIEWS)](torch, a, k))
        roots.append(roots[i])
    elif kind == "result":
        tensors.append(RESULTS[which % len(RESULTS)](torch, a, b, k))
        roots.append(len(roots))
    elif kind == "write":
        # PyTorch refuses most writes of a tensor with its own values; test_inplace.py covers those.
        WRITES[which % len(WRITES)](torch, a, b.clone() if roots[i] == roots[j] else b, k)
    else:
        no_grad_write(torch, a, b, k)


def take(torch, tensors, roots, arguments):
    """Runs one step; the name of the exception's class if the library refuses it."""
    try:
        apply(torch, tensors, roots, *arguments)
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        return type(error).__name__
    return None


def leaves(torch):
    x = torch.tensor([[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]], dtype=torch.float64, requires_grad=True)
    w = torch.tensor([1.1, -0.7, 0.3], dtype=torch.float64, requires_grad=True)
    s = torch.tensor(0.9, dtype=torch.float64, requires_grad=True)
    return [x, w, s]


def start(torch, shift=(0, 0, 0.0)):
    """Leaves, copies of them that may be written into, a constant, and which of these share memory."""
    mine = leaves(torch)
    leaf, position, amount = shift
    if amount:
        with torch.no_grad():
            mine[leaf].view(-1)[position] += amount
    constant = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)
    return mine, [*(t * 1 for t in mine), constant, *mine], list(range(7))


def numbers(tensor):
    return None if tensor is None else (tuple(tensor.shape), tensor.detach().tolist())


def run(torch, steps):
    """Which steps were refused, all values, and the gradients of all leaves or the first words of the error."""
    mine, tensors, roots = start(torch)
    refused = [take(torch, tensors, roots, arguments) for arguments in steps]
    values = [(numbers(t), t.requires_grad, t._version) for t in tensors]
    try:
        total = sum(((t * (k + 1)).sum() for k, t in enumerate(tensors)), start=0.0)
        total.backward()
    except RuntimeError as error:
        return refused, values, " ".join(str(error).split()[:8])
    return refused, values, [numbers(t.grad) for t in mine]


def same(a, b):
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b)) or (a != a and b != b) or a == b
    return a == b


def derivative_by_differences(steps, leaf, position):
    """The derivative of the total with respect to one element of a leaf, without any gradient formula."""

    def total(amount):
        with chainrule.no_grad():
            _, tensors, roots = start(chainrule, (leaf, position, amount))
            for arguments in steps:
                take(chainrule, tensors, roots, arguments)
            return sum((t * (k + 1)).sum().item() for k, t in enumerate(tensors))

    return (total(1e-6) - total(-1e-6)) / 2e-6


def check(steps):
    ours, theirs = run(chainrule, steps), run(reference, steps)
    assert ours[0] == theirs[0], "one library refused a step that the other took"
    assert same(ours[1], theirs[1]), f"values differ\nchainrule {ours[1]}\nPyTorch {theirs[1]}"
    assert same(ours[2], theirs[2]), f"gradients differ\nchainrule {ours[2]}\nPyTorch {theirs[2]}"


@STABLE
@given(st.lists(step, min_size=1, max_size=6))
def test_short_programs(steps):
    check(steps)


@STABLE
@given(st.lists(step, min_size=6, max_size=16))
def test_long_programs(steps):
    check(steps)


@STABLE
@given(st.lists(step.filter(lambda arguments: arguments[0] in ("view", "write")), min_size=4, max_size=14))
def test_programs_of_views_and_writes(steps):
    check(steps)


@STABLE
@given(st.lists(step, min_size=2, max_size=10))
def test_second_derivatives(steps):
    def second(torch):
        mine, tensors, roots = start(torch)
        for arguments in steps:
            take(torch, tensors, roots, arguments)
        try:
            total = sum(((t * t).sum() for t in tensors), start=0.0)
            first = torch.autograd.grad(total, mine, create_graph=True, allow_unused=True)
            again = sum(((g * g).sum() for g in first if g is not None), start=0.0)
            found = torch.autograd.grad(again, mine, allow_unused=True)
        except RuntimeError as error:
            return " ".join(str(error).split()[:8])
        return [numbers(g) for g in found]

    ours, theirs = second(chainrule), second(reference)
    # A derivative that is identically zero may be None on one side and zeros on the other.
    ours, theirs = ([_without_zeros(g) for g in side] if isinstance(side, list) else side for side in (ours, theirs))
    assert same(ours, theirs), f"chainrule {ours}\nPyTorch {theirs}"


def _without_zeros(gradient):
    flat = str(gradient).replace("-0.0", "0.0")
    return None if gradient is None or not any(c in flat.split("), ", 1)[1] for c in "123456789") else gradient


def test_nothing_is_left_behind():
    gc.collect()
    before = chainrule._core.live_tensors(), chainrule._core.live_nodes()
    for seed in range(50):
        steps = [
            (kind, seed, seed * 3 + n, n % 4, seed * 7 + n * 13)
            for n, kind in enumerate(["view", "write", "result"] * 3)
        ]
        run(chainrule, steps)
    gc.collect()
    assert (chainrule._core.live_tensors(), chainrule._core.live_nodes()) == before


def smooth_program(source):
    """Its steps, and its gradients: a program whose saved tensors were overwritten has none, and another is drawn."""
    # clamp, where and maximum have corners, which differences do not see; detach cuts what differences feel.
    smooth_views = [k for k in range(len(VIEWS)) if k != 12]  # 12 is detach
    smooth_results = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 15]
    smooth_writes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    while True:
        steps = []
        for _ in range(8):
            kind = source.choice(["view", "result", "write", "write"])
            which = source.choice({"view": smooth_views, "result": smooth_results, "write": smooth_writes}[kind])
            steps.append((kind, source.randrange(40), source.randrange(40), source.randrange(4), which))
        refused, _, gradients = run(chainrule, steps)
        if not isinstance(gradients, str):
            return [step for step, error in zip(steps, refused, strict=True) if error is None], gradients
        assert gradients.startswith("one of the variables needed")


@pytest.mark.parametrize("seed", range(20))
def test_gradients_against_finite_differences(seed):
    import random

    steps, gradients = smooth_program(random.Random(seed))
    for leaf, found in enumerate(gradients):
        flat = reference.tensor(found[1]).reshape(-1).tolist()
        for position, value in enumerate(flat):
            assert value == pytest.approx(derivative_by_differences(steps, leaf, position), rel=1e-5, abs=1e-5)
