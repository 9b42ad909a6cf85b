"""What the layers do not reach of nn.functional, and mistakes."""

import inspect
import itertools

import numpy as np
import pytest
import torch as reference

import chainrule
import chainrule.nn.functional as ours
from both import agree, no_leaks  # noqa: F401
from oracle import Collected, assert_same

pytestmark = pytest.mark.usefixtures("no_leaks")

# PyTorch's own tools, and what needs hardware or sparse types that are not here.
NOT_FUNCTIONS = {
    *("assert_int_or_pair", "boolean_dispatch", "handle_torch_function", "has_torch_function"),
    *("has_torch_function_unary", "has_torch_function_variadic", "scaled_grouped_mm", "scaled_mm"),
    *("Callable", "DType", "ScalingType", "SwizzleType", "Tensor"),
}
PUBLIC = sorted(
    name
    for name, value in vars(reference.nn.functional).items()
    if not name.startswith("_") and callable(value) and name not in NOT_FUNCTIONS and value.__module__ != "typing"
)


@pytest.mark.parametrize("name", PUBLIC)
def test_names(name):
    assert callable(getattr(ours, name))


WRITTEN_IN_PYTHON = [
    name for name in PUBLIC if all(inspect.isfunction(getattr(f, name, None)) for f in (ours, reference.nn.functional))
]


@pytest.mark.parametrize("name", WRITTEN_IN_PYTHON)
def test_arguments(name):
    """PyTorch's arguments in PyTorch's order; those of the others are in tests/test_coverage.py."""
    mine, theirs = getattr(ours, name), getattr(reference.nn.functional, name)
    dispatcher = inspect.getclosurevars(theirs).nonlocals  # PyTorch's choice between with and without indices
    theirs = dispatcher.get("if_false", theirs)
    arguments = [
        [(p.name, p.default) for p in inspect.signature(f).parameters.values() if not callable(p.default)]
        for f in (mine, theirs)
    ]
    assert arguments[0] == arguments[1]


GROUPED = {
    "rows": ((6, 8), (2, 8, 4), [2, 6]),
    "columns": ((2, 3, 8), (8, 8), [4, 8]),
    "within": ((8, 8), (8, 4), [4, 8]),
    "batches": ((2, 4, 8), (2, 8, 4), None),
    "no offsets": ((6, 8), (2, 8, 4), None),
    "needless offsets": ((2, 4, 8), (2, 8, 4), [2, 4]),
    "other inner sizes": ((6, 8), (2, 4, 4), [2, 6]),
    "other numbers of groups": ((6, 8), (3, 8, 4), [2, 6]),
    "one dimension": ((8,), (2, 8, 4), [2, 6]),
}


@pytest.mark.parametrize("case", GROUPED)
def test_grouped_mm(case):
    """Values, the gradient by hand (PyTorch's raises for the gradient of a sum), and what is refused."""
    shape_a, shape_b, ends = GROUPED[case]

    def product(torch):
        a = torch.arange(float(torch.Size(shape_a).numel())).reshape(shape_a) % 7
        b = torch.arange(float(torch.Size(shape_b).numel())).reshape(shape_b) % 5
        return torch.nn.functional.grouped_mm(a, b, offs=ends and torch.tensor(ends, dtype=torch.int32))

    agree(product, words=4)


def test_grouped_mm_is_differentiable():
    a = chainrule.ones(3, 4, requires_grad=True)
    b = chainrule.stack([chainrule.eye(4), 2 * chainrule.eye(4)]).requires_grad_()
    y = ours.grouped_mm(a, b, offs=chainrule.tensor([1, 2], dtype=chainrule.int32))
    y.sum().backward()
    assert y.sum(1).tolist() == [4.0, 8.0, 0.0]  # the last row belongs to no group
    assert a.grad.sum(1).tolist() == [4.0, 8.0, 0.0]
    assert b.grad.sum((1, 2)).tolist() == [16.0, 16.0]


@pytest.mark.parametrize("name", ["scaled_mm", "scaled_grouped_mm"])
def test_what_is_not_there_says_so(name):
    with pytest.raises(AttributeError, match=f"has no {name}: chainrule has no"):
        getattr(ours, name)


PROGRAMS = {
    "one_hot": lambda torch, f: [f.one_hot(torch.tensor([[0, 2], [1, 0]])), f.one_hot(torch.tensor([1]), 4)],
    "normalize": lambda torch, f: [f.normalize(torch.randn(3, 4)), f.normalize(torch.randn(3, 4), p=1, dim=0)],
    "gumbel_softmax": lambda torch, f: [
        f.gumbel_softmax(torch.randn(3, 4), tau=0.5),
        f.gumbel_softmax(torch.randn(3, 4), hard=True),
        f.gumbel_softmax(torch.randn(2, 3, 4), hard=True, dim=1),
    ],
    "pdist": lambda torch, f: [f.pdist(torch.randn(4, 3)), f.pdist(torch.randn(4, 3), 1.0), f.pdist(torch.randn(1, 3))],
    "pad": lambda torch, f: [
        f.pad(torch.randn(2, 3, 4), (1, 2)),
        f.pad(torch.randn(2, 3), (-1, 0, 0, 2), value=7),
        f.pad(torch.tensor([1, 2, 3]), (1, 1)),
        f.pad(torch.randn(1, 2, 3, 4), (2, 1), mode="constant"),
        f.pad(torch.randn(1, 3, 4), (2, 1), mode="reflect"),
        f.pad(torch.randn(3, 4), (0, 0)),
    ],
    "sdpa": lambda torch, f: [
        f.scaled_dot_product_attention(*torch.randn(3, 2, 4, 5, 8).unbind()),
        f.scaled_dot_product_attention(*torch.randn(3, 2, 4, 5, 8).unbind(), is_causal=True),
        f.scaled_dot_product_attention(
            *torch.randn(3, 5, 8).unbind(), attn_mask=torch.ones(5, 5).tril().bool(), scale=0.3
        ),
        f.scaled_dot_product_attention(*torch.randn(3, 5, 8).unbind(), attn_mask=torch.randn(5, 5)),
        f.scaled_dot_product_attention(
            torch.randn(1, 4, 5, 8), torch.randn(1, 2, 5, 8), torch.randn(1, 2, 5, 8), enable_gqa=True
        ),
    ],
    "affine_grid": lambda torch, f: [
        f.affine_grid(torch.randn(2, 2, 3), (2, 1, 3, 4), align_corners=True),
        f.affine_grid(torch.randn(2, 3, 4), (2, 1, 2, 3, 4), align_corners=False),
    ],
    "mse with weight": lambda torch, f: [
        f.mse_loss(torch.randn(3), torch.randn(3), weight=torch.rand(3), reduction=r) for r in ("none", "mean", "sum")
    ],
    "huber with weight": lambda torch, f: [
        f.huber_loss(torch.randn(3), torch.randn(3), weight=torch.rand(3), reduction=r) for r in ("none", "mean", "sum")
    ],
    "kl_div with logs": lambda torch, f: [
        f.kl_div(torch.randn(3, 4), torch.randn(3, 4), reduction="sum", log_target=True)
    ],
    "local_response_norm": lambda torch, f: [f.local_response_norm(torch.randn(2, 5, 3), 2, alpha=0.5)],
    "ctc": lambda torch, f: [
        f.ctc_loss(
            torch.randn(5, 3, 4).log_softmax(2), torch.tensor([1, 1, 2, 3]), (5, 2, 0), (2, 2, 0), reduction="none"
        ),
        f.ctc_loss(torch.randn(5, 4).log_softmax(1), torch.tensor([1, 2]), torch.tensor(5), torch.tensor(2)),
        f.ctc_loss(
            torch.randn(2, 1, 4).log_softmax(2), torch.tensor([[1, 1]]), (2,), (2,), zero_infinity=True, blank=3
        ),
    ],
    "bce at the ends": lambda torch, f: [
        f.binary_cross_entropy(torch.tensor([0.0, 1.0, 0.0, 1.0]), torch.tensor([0.0, 1.0, 1.0, 0.0]), reduction="none")
    ],
    "softmax without a dim": lambda torch, f: [f.tanhshrink(torch.randn(3)), f.softsign(torch.randn(3))],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name):
    agree(lambda torch: PROGRAMS[name](torch, torch.nn.functional), tolerance=2e-6)


def test_gradient_of_bce_at_the_ends():
    def program(torch):
        x = torch.tensor([0.0, 1.0, 0.0, 1.0, 0.3], requires_grad=True)
        torch.nn.functional.binary_cross_entropy(x, torch.tensor([0.0, 1.0, 1.0, 0.0, 0.6])).backward()
        return x.grad

    agree(program)


MISTAKES = {
    "glu": lambda torch, f: f.glu(torch.randn(3)),
    "pad odd": lambda torch, f: f.pad(torch.randn(3), (1,)),
    "pad long": lambda torch, f: f.pad(torch.randn(3), (1, 1, 1, 1)),
    "pad mode": lambda torch, f: f.pad(torch.randn(1, 1, 3), (1, 1), mode="none"),
    "pad dims": lambda torch, f: f.pad(torch.randn(3), (1, 1), mode="reflect"),
    "pad reflect": lambda torch, f: f.pad(torch.randn(1, 1, 3), (3, 1), mode="reflect"),
    "pad circular": lambda torch, f: f.pad(torch.randn(1, 1, 3), (4, 1), mode="circular"),
    "pad value": lambda torch, f: f.pad(torch.randn(1, 1, 3), (1, 1), mode="reflect", value=2.0),
    "pad negative": lambda torch, f: f.pad(torch.randn(3), (-2, -2)),
    "reduction": lambda torch, f: f.mse_loss(torch.randn(3), torch.randn(3), reduction="none of them"),
    "bce size": lambda torch, f: f.binary_cross_entropy(torch.rand(3), torch.rand(2)),
    "bce range": lambda torch, f: f.binary_cross_entropy(torch.tensor([1.5]), torch.tensor([0.5])),
    "bce logits": lambda torch, f: f.binary_cross_entropy_with_logits(torch.rand(3), torch.rand(2)),
    "cosine target": lambda torch, f: f.cosine_embedding_loss(torch.rand(3), torch.rand(3), torch.ones(3)),
    "ranking": lambda torch, f: f.margin_ranking_loss(torch.rand(3), torch.rand(3), torch.ones(1, 3)),
    "triplet": lambda torch, f: f.triplet_margin_loss(torch.rand(3), torch.rand(3), torch.rand(3), margin=-1),
    "triplet dims": lambda torch, f: f.triplet_margin_loss(torch.rand(3), torch.rand(3), torch.rand(1, 3)),
    "multi margin p": lambda torch, f: f.multi_margin_loss(torch.rand(3, 2), torch.tensor([0, 1, 0]), p=3),
    "multi margin size": lambda torch, f: f.multi_margin_loss(torch.rand(3, 2), torch.tensor([0, 1])),
    "multilabel size": lambda torch, f: f.multilabel_margin_loss(torch.rand(3, 2), torch.tensor([0, 1])),
    "variance": lambda torch, f: f.gaussian_nll_loss(torch.rand(3), torch.rand(3), -torch.rand(3)),
    "variance size": lambda torch, f: f.gaussian_nll_loss(torch.rand(3, 2), torch.rand(3, 2), torch.rand(4)),
    "beta": lambda torch, f: f.smooth_l1_loss(torch.rand(3), torch.rand(3), beta=-1.0),
    "delta": lambda torch, f: f.huber_loss(torch.rand(3), torch.rand(3), delta=0.0),
    "one hot type": lambda torch, f: f.one_hot(torch.rand(3)),
    "one hot negative": lambda torch, f: f.one_hot(torch.tensor([-1])),
    "one hot small": lambda torch, f: f.one_hot(torch.tensor([3]), 2),
    "one hot empty": lambda torch, f: f.one_hot(torch.tensor([], dtype=torch.int64)),
    "pixel shuffle": lambda torch, f: f.pixel_shuffle(torch.rand(1, 3, 2, 2), 2),
    "pixel shuffle dims": lambda torch, f: f.pixel_shuffle(torch.rand(3, 2), 2),
    "pixel unshuffle": lambda torch, f: f.pixel_unshuffle(torch.rand(1, 3, 3, 2), 2),
    "channel shuffle": lambda torch, f: f.channel_shuffle(torch.rand(1, 3, 2), 2),
    "pdist": lambda torch, f: f.pdist(torch.rand(3)),
    "bilinear": lambda torch, f: f.bilinear(torch.rand(2, 3), torch.rand(2, 3), torch.rand(2, 4, 3)),
    "dropout": lambda torch, f: f.dropout(torch.rand(3), 1.5),
    "dropout1d": lambda torch, f: f.dropout1d(torch.rand(3)),
    "interpolate nothing": lambda torch, f: f.interpolate(torch.rand(1, 1, 3)),
    "interpolate both": lambda torch, f: f.interpolate(torch.rand(1, 1, 3), 2, 2.0),
    "interpolate size": lambda torch, f: f.interpolate(torch.rand(1, 1, 3), (2, 2)),
    "interpolate mode": lambda torch, f: f.interpolate(torch.rand(1, 1, 3), 2, mode="bilinear"),
    "interpolate corners": lambda torch, f: f.interpolate(torch.rand(1, 1, 3), 2, align_corners=True),
    "grid mode": lambda torch, f: f.grid_sample(torch.rand(1, 1, 3, 3), torch.rand(1, 2, 2, 2), mode="none"),
    "grid padding": lambda torch, f: f.grid_sample(torch.rand(1, 1, 3, 3), torch.rand(1, 2, 2, 2), padding_mode="none"),
    "affine size": lambda torch, f: f.affine_grid(torch.rand(1, 2, 3), (1, 2, 3), align_corners=False),
    "affine theta": lambda torch, f: f.affine_grid(torch.rand(1, 2, 2), (1, 1, 2, 3), align_corners=False),
    "embedding bag": lambda torch, f: f.embedding_bag(torch.tensor([1, 2]), torch.rand(3, 2)),
    "embedding bag mode": lambda torch, f: f.embedding_bag(torch.tensor([[1, 2]]), torch.rand(3, 2), mode="none"),
    "embedding padding": lambda torch, f: f.embedding(torch.tensor([1]), torch.rand(3, 2), padding_idx=5),
    "batch norm": lambda torch, f: f.batch_norm(torch.rand(1, 3), None, None, training=True),
    "ctc blank": lambda torch, f: f.ctc_loss(torch.rand(2, 1, 3), torch.tensor([[1]]), (2,), (1,), blank=5),
    "ctc lengths": lambda torch, f: f.ctc_loss(torch.rand(2, 1, 3), torch.tensor([[1]]), (2, 2), (1,)),
    "ctc too long": lambda torch, f: f.ctc_loss(torch.rand(2, 1, 3), torch.tensor([[1]]), (3,), (1,)),
    "sdpa dtype": lambda torch, f: f.scaled_dot_product_attention(
        torch.rand(2, 2), torch.rand(2, 2).double(), torch.rand(2, 2)
    ),
    "sdpa both masks": lambda torch, f: f.scaled_dot_product_attention(
        *torch.rand(3, 2, 2).unbind(), attn_mask=torch.ones(2, 2).bool(), is_causal=True
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    agree(lambda torch: MISTAKES[name](torch, torch.nn.functional), words=3)


def test_a_target_that_is_broadcast_warns():
    with pytest.warns(UserWarning, match=r"Using a target size \(torch.Size\(\[2, 1\]\)\) that is different"):
        ours.mse_loss(chainrule.ones(2, 2), chainrule.ones(2, 1))


@pytest.mark.parametrize(
    ("size_average", "reduce", "expected"), [(True, None, "mean"), (False, None, "sum"), (None, False, "none")]
)
def test_older_words_for_the_reduction(size_average, reduce, expected):
    x = chainrule.ones(3)
    with pytest.warns(UserWarning, match=f"please use reduction='{expected}' instead"):
        old = ours.l1_loss(x, x * 3, size_average, reduce)
    assert old.tolist() == ours.l1_loss(x, x * 3, reduction=expected).tolist()


BAGS = {
    "rows": ([[1, 2, 4], [1, 1, 6]], None),
    "offsets": ([1, 2, 4, 1, 1, 6, 0], [0, 2, 2, 5]),
    "no indices": ([], [0, 0]),
}


@pytest.mark.parametrize("bags", BAGS)
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
def test_bags_of_rows(bags, mode, dtype):
    """Every way to say which rows count: values and gradients."""
    table = np.random.default_rng(0).standard_normal((7, 19))
    indices, offsets = (None if part is None else np.array(part, np.int64) for part in BAGS[bags])

    def run(library, padding, kind, weighted):
        weight = library.from_numpy(table.copy()).to(getattr(library, dtype)).t().contiguous().t().requires_grad_()
        given = [None if part is None else library.from_numpy(part.astype(kind)) for part in (indices, offsets)]
        factors = library.linspace(-1, 2, indices.size).reshape(indices.shape).to(weight.dtype).requires_grad_()
        options = {"mode": mode, "padding_idx": padding, "per_sample_weights": factors if weighted else None}
        y = library.nn.functional.embedding_bag(given[0], weight, given[1], **options)
        return [y, *library.autograd.grad(y.sum(), [weight, factors] if weighted else [weight])]

    with Collected() as c:
        for padding, kind, weighted in itertools.product((None, 1), (np.int64, np.int32), (False, True)):
            if weighted and mode != "sum":
                continue
            pairs = zip(*(run(library, padding, kind, weighted) for library in (chainrule, reference)), strict=True)
            for mine, theirs in pairs:
                c.check(assert_same, mine, theirs, 4, f"{padding} {kind} {weighted}")


def test_bags_of_rows_differentiated_twice():
    table = chainrule.randn(5, 3, dtype=chainrule.float64, requires_grad=True)
    factors = chainrule.randn(6, dtype=chainrule.float64, requires_grad=True)
    indices, offsets = chainrule.tensor([4, 0, 3, 3, 1, 0]), chainrule.tensor([0, 2, 2])
    bag = chainrule.nn.functional.embedding_bag

    def of_sum(table, factors):
        return bag(indices, table, offsets, mode="sum", per_sample_weights=factors, padding_idx=3)

    def of_mean(table):
        return bag(indices, table, offsets, padding_idx=3)

    for f, inputs in ((of_sum, (table, factors)), (of_mean, (table,))):
        assert chainrule.autograd.gradcheck(f, inputs)
        assert chainrule.autograd.gradgradcheck(f, inputs)


# ---- images of bytes

BYTES = [
    (mode, antialias, align, size)
    for mode, antialias in [
        ("bilinear", False),
        ("bilinear", True),
        ("bicubic", False),
        ("bicubic", True),
        ("lanczos", True),
    ]
    for align in ([False, True] if mode != "lanczos" else [False])
    for size in [(12, 9), (57, 44), (20, 33), (1, 70)]
]


@pytest.mark.parametrize(("mode", "antialias", "align", "size"), BYTES)
@pytest.mark.parametrize("last", [False, True])
def test_bytes_are_resampled_to_the_bit(mode, antialias, align, size, last):
    pixels = np.random.default_rng(0).integers(0, 256, (2, 3, 20, 33), dtype=np.uint8)

    def program(torch):
        x = torch.from_numpy(pixels)
        x = x.contiguous(memory_format=torch.channels_last) if last else x
        y = torch.nn.functional.interpolate(x, size, mode=mode, align_corners=align, antialias=antialias)
        return [y, y.stride()]

    agree(program)


@pytest.mark.parametrize("factor", [0.7, 1.6, (2.0, 0.37)])
def test_bytes_by_a_factor(factor):
    pixels = np.random.default_rng(1).integers(0, 256, (1, 5, 23, 31), dtype=np.uint8)
    agree(lambda torch: torch.nn.functional.interpolate(torch.from_numpy(pixels), scale_factor=factor, mode="bicubic"))


@pytest.mark.parametrize("mode", ["linear", "trilinear", "area"])
def test_bytes_that_are_refused(mode):
    shape = (1, 1, *[4] * {"linear": 1, "trilinear": 3, "area": 2}[mode])
    agree(lambda torch: torch.nn.functional.interpolate(torch.ones(shape, dtype=torch.uint8), 2, mode=mode), words=0)


# ---- places of no number


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 1e20])
def test_a_grid_that_is_no_place(mode, padding, value):
    def program(torch):
        grid = torch.zeros(1, 3, 7, 2)
        grid[0, 1, 3, 0] = value
        grid[0, 2, 2, 1] = value
        x = torch.arange(16.0).reshape(1, 1, 4, 4) + 1
        y = torch.nn.functional.grid_sample(x, grid, mode, padding, align_corners=False)
        return [y.isnan(), y.nan_to_num(-1.0)]

    agree(program)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_gradients_at_a_grid_that_is_no_place(mode):
    grid = chainrule.tensor([[[[float("nan"), 0.0], [0.5, 0.0]]]], requires_grad=True)
    x = chainrule.arange(16.0).reshape(1, 1, 4, 4).requires_grad_()
    chainrule.nn.functional.grid_sample(x, grid, mode, align_corners=False).sum().backward()
    assert grid.grad[0, 0, 0].isnan().all()
    assert grid.grad[0, 0, 1].isfinite().all()
    assert x.grad.isfinite().all()


# ---- halves at a border


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("border", [0.1, 0.3, 0.5, 0.7])
def test_hardshrink_at_its_border(dtype, border):
    def program(torch):
        x = torch.tensor([border, -border, 2 * border], dtype=getattr(torch, dtype), requires_grad=True)
        y = torch.nn.functional.hardshrink(x, border)
        return [y, torch.autograd.grad(y, x, torch.ones_like(y))[0]]

    agree(program)


# ---- padding and pools


@pytest.mark.parametrize("pad", [(-1, 0), (0, -1), (-1, 2), (1, -1), (0, 0), (0, 0, -1, -1), (2, 1, -1, 0)])
@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
def test_padding_is_no_view(mode, pad):
    def program(torch):
        x = torch.arange(24.0).reshape(2, 3, 4)
        y = torch.nn.functional.pad(x, pad, mode)
        before = y.clone()
        y.fill_(99)
        return [before, before.stride(), y.is_contiguous(), x]

    agree(program)


POOLS = {
    "kernel of one": lambda t, f: f.fractional_max_pool2d(t.ones(1, 2, 7, 7), (1,), output_size=(3, 3)),
    "output of none": lambda t, f: f.fractional_max_pool3d(t.ones(1, 2, 7, 7, 7), 2, output_size=()),
    "no channels": lambda t, f: f.fractional_max_pool2d(t.ones(1, 0, 7, 7), 2, output_size=2),
    "nothing wanted": lambda t, f: f.fractional_max_pool2d(t.ones(1, 2, 7, 7), 2, output_size=(0, 1)),
    "samples": lambda t, f: f.fractional_max_pool2d(
        t.ones(2, 2, 7, 7), 2, output_size=2, _random_samples=t.ones(1, 2, 2)
    ),
    "samples of a dtype": lambda t, f: f.fractional_max_pool2d(
        t.ones(1, 2, 7, 7), 2, output_size=2, _random_samples=t.ones(1, 2, 2, dtype=t.float64)
    ),
    "kernel of a module": lambda t, f: t.nn.FractionalMaxPool3d(0, output_size=1),
    "unpool 3": lambda t, f: f.max_unpool3d(t.ones(1, 3, 1, 1, 1), t.zeros(1, 3, 1, 1, 1, dtype=t.int64), [1, 1]),
    "unpool 2": lambda t, f: f.max_unpool2d(t.ones(3, 1, 1), t.zeros(3, 1, 1, dtype=t.int64), []),
    "too few for means": lambda t, f: f.avg_pool1d(t.ones(1, 1, 4), 6, stride=2),
    "too few for maxima": lambda t, f: f.max_pool1d(t.ones(1, 1, 4), 3, stride=2, dilation=2),
    "too few for places": lambda t, f: f.max_pool1d_with_indices(t.ones(1, 1, 4), 3, stride=2, dilation=2),
    "adaptive maxima": lambda t, f: f.adaptive_max_pool1d(t.ones(1, 0, 5), 3),
    "adaptive means": lambda t, f: f.adaptive_avg_pool3d(t.ones(1, 0, 5, 5, 5), 3),
    "one target": lambda t, f: f.nll_loss(t.ones(10), t.zeros(3, dtype=t.int64)),
    "one target, empty": lambda t, f: f.cross_entropy(t.ones(10), t.zeros(0, dtype=t.int64)),
    "negative eps": lambda t, f: f.cosine_similarity(t.ones(2), t.ones(2), 0, -1.0),
    "padding row": lambda t, f: f.embedding_bag(t.zeros(1, 2, dtype=t.int64), t.ones(4, 2), padding_idx=4),
    "dimensions of a grid": lambda t, f: f.grid_sample(t.ones(1, 2, 2), t.ones(1, 1, 1, 2), align_corners=False),
    **{
        f"row {row} of bags, {mode}, {padding}": lambda t, f, row=row, mode=mode, padding=padding: f.embedding_bag(
            t.tensor([[1, row]]), t.ones(4, 2), mode=mode, padding_idx=padding
        )
        for row in (-1, 4)
        for mode in ("sum", "mean", "max")
        for padding in (None, 0)
    },
    "weights of bags": lambda t, f: f.embedding_bag(
        t.zeros(1, 2, dtype=t.int64), t.ones(4, 2), mode="sum", per_sample_weights=t.ones(1, 2, dtype=t.float64)
    ),
}


@pytest.mark.parametrize("case", POOLS)
def test_words_of_layers(case):
    agree(lambda torch: POOLS[case](torch, torch.nn.functional), words=5)


@pytest.mark.parametrize(("given", "kept"), [("float64", "float32"), ("float32", "bfloat16"), ("bfloat16", "float32")])
def test_running_numbers_of_another_dtype(given, kept):
    def program(torch):
        layer = torch.nn.InstanceNorm1d(2, track_running_stats=True, dtype=getattr(torch, kept))
        y = layer(torch.arange(8.0).reshape(1, 2, 4).to(getattr(torch, given)))
        return [str(y.dtype), y.float(), layer.running_mean, layer.running_var]

    agree(program, tolerance=1e-2)


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, float("inf")])
def test_distances_of_no_numbers(p):
    inf, nan = float("inf"), float("nan")

    def program(torch):
        y = torch.nn.functional.pdist(torch.tensor([[1.0, inf], [2.0, inf], [nan, 1.0], [0.0, 0.0]]), p)
        return [y.isnan(), y.nan_to_num()]

    agree(program)
