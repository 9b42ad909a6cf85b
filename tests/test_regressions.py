"""Gradients that were silently wrong in some library once: none of them may be wrong here.

The numbers are those of the libraries' issues and pull requests. burn 5573, a gradient lost between two threads, is in
test_threads.py.
"""

import ast
from pathlib import Path

import pytest

import chainrule
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")


def leaf(torch, values, **options):
    return torch.tensor(values, requires_grad=True, **options)


def grad(torch, function, values, **options):
    x = leaf(torch, values, **options)
    function(x).backward()
    return x.grad


# PyTorch 1528
def test_a_repeated_index_adds():
    x = leaf(chainrule, [0.1])
    x[[0, 0]].backward(chainrule.tensor([0.2, 0.3]))
    assert x.grad.item() == pytest.approx(0.5)
    agree(lambda torch: grad(torch, lambda x: (x[torch.tensor([1, 1, 0, 1])] * torch.arange(4.0)).sum(), [1.0, 2.0]))


# PyTorch 36608, 49824, 31258
def test_writing_through_one_of_several_views():
    def program(torch, split):
        x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
        y = x * 1
        split(y)[0].mul_(10)
        y.sum().backward()
        return x.grad

    for split in (lambda y: y.unbind(), lambda y: y.split(1), lambda y: y.chunk(2)):
        agree(lambda torch, split=split: program(torch, split))


# PyTorch 8626
def test_views_of_an_expanded_tensor():
    def program(torch, clone):
        x = leaf(torch, [1.0, 2.0, 3.0])
        e = x.expand(4, 3)
        e = e.clone() if clone else e
        (e.narrow(0, 1, 2) * torch.arange(6.0).reshape(2, 3)).sum().backward()
        return x.grad

    assert program(chainrule, True).tolist() == program(chainrule, False).tolist()
    agree(lambda torch: program(torch, False))


# PyTorch 8626
def test_as_strided_of_an_expanded_tensor():
    def program(torch):
        x = leaf(torch, [1.0, 2.0, 3.0])
        y = x.expand(4, 3).as_strided((2, 2), (0, 1), 1)
        (y * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
        return x.grad

    agree(program)


def test_overlapping_as_strided():
    def program(torch):
        x = leaf(torch, [1.0, 2.0, 3.0, 4.0])
        windows = x.as_strided((3, 2), (1, 1))
        (windows * torch.arange(1.0, 7.0).reshape(3, 2)).sum().backward()
        return x.grad

    agree(program)


# PyTorch 13669
def test_a_thousand_terms_of_a_broadcast_sum():
    def program(torch):
        x, terms = leaf(torch, 1.0, dtype=torch.float64), torch.arange(1001, dtype=torch.float64)
        (x.exp() + terms * 0).sum().backward()
        return x.grad

    assert program(chainrule).item() == pytest.approx(1001 * 2.718281828459045)
    agree(program, tolerance=1e-12)


# PyTorch 6535
def test_an_unused_input_is_an_error():
    agree(lambda torch: torch.autograd.grad(leaf(torch, 1.0) * 2, leaf(torch, 1.0)))


# PyTorch 773
def test_products_with_zeros():
    for values in ([0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0], [2.0, 0.0, 3.0]):
        agree(lambda torch, values=values: grad(torch, lambda x: x.prod(), values))
        agree(lambda torch, values=values: grad(torch, lambda x: x.prod(0), values))
    assert grad(chainrule, lambda x: x.prod(), [0.0, 2.0, 3.0]).tolist() == [6.0, 0.0, 0.0]


# PyTorch 106789, tinygrad 17404
def test_second_derivatives_of_products_with_zeros():
    def program(torch, values):
        x = leaf(torch, values, dtype=torch.float64)
        (g,) = torch.autograd.grad(x.prod(), x, create_graph=True)
        return [torch.autograd.grad(g[k], x, retain_graph=True)[0] for k in range(3)]

    for values in ([0.0, 0.0, 3.0], [0.0, 2.0, 3.0], [1.0, 2.0, 3.0]):
        agree(lambda torch, values=values: program(torch, values), tolerance=1e-12)
    assert program(chainrule, [0.0, 0.0, 3.0])[0].tolist() == [0.0, 3.0, 0.0]


# burn 3864, TensorFlow 3862, PyTensor 1911
def test_cumulative_products_with_zeros():
    assert grad(chainrule, lambda x: x.cumprod(0).sum(), [2.0, 0.0, 3.0, 4.0]).tolist() == [1.0, 32.0, 0.0, 0.0]
    for values in ([2.0, 0.0, 3.0, 4.0], [0.0, 0.0, 1.0], [1.0, 2.0, 0.0]):
        agree(lambda torch, values=values: grad(torch, lambda x: x.cumprod(0).sum(), values))


NORMS = {
    "norm": lambda torch, x: x.norm(),
    "norm of rows": lambda torch, x: x.norm(dim=0).sum(),
    "norm 2": lambda torch, x: x.norm(2),
    "norm 1": lambda torch, x: x.norm(1),
    "norm 3": lambda torch, x: x.norm(3),
    "norm 0.5": lambda torch, x: x.norm(0.5),
    "norm inf": lambda torch, x: x.norm(float("inf")),
    "std": lambda torch, x: x.std(),
    "std of rows": lambda torch, x: x.std(0),
    "abs": lambda torch, x: x.abs().sum(),
    "hypot": lambda torch, x: torch.hypot(x, x).sum(),
    "sqrt of squares": lambda torch, x: (x * x).sum().sqrt(),
}


# PyTorch 2421, 65599, 4320, autograd 151
@pytest.mark.parametrize("norm", NORMS.values(), ids=NORMS.keys())
def test_norms_at_zero(norm):
    agree(lambda torch: grad(torch, lambda x: norm(torch, x), [0.0, 0.0, 0.0]))


def test_norms_at_zero_are_zero():
    for name in ("norm", "norm of rows", "norm 2"):
        assert grad(chainrule, lambda x, name=name: NORMS[name](chainrule, x), [0.0, 0.0]).tolist() == [0.0, 0.0]


POWERS = {
    "x ** 0 at 0": (lambda torch, x: x**0, 0.0),
    "x ** 0.0 at 0": (lambda torch, x: x**0.0, 0.0),
    "x ** 1 at 0": (lambda torch, x: x**1, 0.0),
    "x ** 2 at 0": (lambda torch, x: x**2, 0.0),
    "x ** tensor 0 at 0": (lambda torch, x: x ** torch.tensor(0.0), 0.0),
    "x ** tensor 2 at 0": (lambda torch, x: x ** torch.tensor(2.0), 0.0),
    "0 ** x at 1": (lambda torch, x: 0**x, 1.0),
    "tensor 0 ** x at 1": (lambda torch, x: torch.tensor(0.0) ** x, 1.0),
    "0 ** x at 0": (lambda torch, x: torch.tensor(0.0) ** x, 0.0),
    "x ** 3 at -2": (lambda torch, x: x**3, -2.0),
    "x ** -1 at 2": (lambda torch, x: x**-1, 2.0),
    "x ** 0.5 at 0": (lambda torch, x: x**0.5, 0.0),
}


# PyTorch 8940, 27134, 95180, MLX 504, 628
@pytest.mark.parametrize(("power", "at"), POWERS.values(), ids=POWERS.keys())
def test_powers_at_corners(power, at):
    agree(lambda torch: grad(torch, lambda x: power(torch, x), at))


TIES = {
    "relu": lambda torch, x: x.relu(),
    "maximum": lambda torch, x: torch.maximum(x, torch.zeros(())),
    "maximum of itself": lambda torch, x: torch.maximum(x, x),
    "minimum": lambda torch, x: torch.minimum(x, torch.zeros(())),
    "fmax": lambda torch, x: torch.fmax(x, torch.zeros(())),
    "fmin": lambda torch, x: torch.fmin(x, torch.zeros(())),
    "clamp below": lambda torch, x: x.clamp(min=0),
    "clamp above": lambda torch, x: x.clamp(max=0),
    "clamp both": lambda torch, x: x.clamp(0, 0),
    "clamp by tensors": lambda torch, x: torch.clamp(x, torch.zeros(()), torch.ones(())),
    "abs": lambda torch, x: x.abs(),
    "sign": lambda torch, x: x.sign(),
}


# PyTorch 184572, 7002, 76522, 184574
@pytest.mark.parametrize("tie", TIES.values(), ids=TIES.keys())
def test_ties(tie):
    agree(lambda torch: grad(torch, lambda x: tie(torch, x), 0.0))


# PyTorch 160273, 43519, 56734
def test_the_maximum_of_equal_elements():
    assert grad(chainrule, lambda x: x.max(), [1.0] * 5).tolist() == pytest.approx([0.2] * 5)
    assert grad(chainrule, lambda x: x.max(0)[0], [1.0] * 5).tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    for function in (
        lambda x: x.max(),
        lambda x: x.max(0)[0],
        lambda x: x.min(),
        lambda x: x.min(0)[0],
        lambda x: x.amax(0),
    ):
        agree(lambda torch, function=function: grad(torch, function, [1.0, 2.0, 2.0, 1.0, 2.0]))


# PyTorch 195075
@pytest.mark.parametrize(
    "name", ["sqrt", "log", "asin", "rsqrt", "reciprocal", "tan", "sigmoid", "tanh", "exp", "relu", "abs"]
)
def test_the_gradient_of_nan_does_not_depend_on_the_length(name):
    for bad in (float("nan"), float("inf"), -float("inf"), -2.0, 0.0):
        seen = set()
        for length in range(1, 34):
            x = chainrule.full((length,), bad, requires_grad=True)
            getattr(chainrule, name)(x).sum().backward()
            seen |= {str(value) for value in x.grad.tolist()}
        assert len(seen) == 1


# tinygrad 9597
def test_equal_constants_are_two_leaves():
    a, b = leaf(chainrule, 2.0), leaf(chainrule, 2.0)
    (a + b).backward()
    assert (a.grad.item(), b.grad.item()) == (1.0, 1.0)


# tinygrad 12296
def test_ties_among_seventy_thousand_halves():
    x = chainrule.ones(70_000, dtype=chainrule.float16, requires_grad=True)
    x.max().backward()
    total = x.grad.double().sum().item()
    assert total > 0
    agree(lambda torch: grad(torch, lambda x: x.max(), [1.0] * 70_000, dtype=torch.float16), tolerance=1e-3)


# MLX 3627
def test_the_tangent_of_a_choice_between_a_constant_and_a_variable():
    def program(torch):
        ad = torch.autograd.forward_ad
        with ad.dual_level():
            x = ad.make_dual(torch.tensor([1.0, -1.0]), torch.tensor([1.0, 1.0]))
            return ad.unpack_dual(torch.where(x > 0, torch.zeros(2), x)).tangent

    agree(program)


# MLX 610
def test_reading_a_value_changes_no_gradient():
    def program(torch, read):
        x = leaf(torch, [1.0, 2.0])
        y = x * x
        read(y)
        (y * x).sum().backward()
        return x.grad.tolist()

    assert program(chainrule, lambda y: y.tolist()) == program(chainrule, lambda y: None) == [3.0, 12.0]


# PyTorch 118115
def test_writes_into_non_contiguous_tensors_are_not_lost():
    def program(torch):
        x = torch.zeros(3, 4)
        view = x.T[1:, ::2]
        view.add_(2)
        view.mul_(torch.arange(1.0, 7.0).reshape(3, 2))
        torch.add(view, 1, out=view)
        state = torch.zeros(4, 3).T
        state.mul_(0.9).add_(torch.ones(3, 4), alpha=0.1)
        state.addcmul_(torch.ones(3, 4), torch.ones(3, 4), value=0.5)
        return x, state

    agree(program)


# AutoGrad.jl 75
def test_nested_derivatives_do_not_mix():
    # d/dx [x * d/dy (x + y) at y = x] at 5
    x = leaf(chainrule, 5.0)
    y = x.detach().requires_grad_()
    (inner,) = chainrule.autograd.grad(x + y, y, create_graph=True)
    assert chainrule.autograd.grad(x * inner, x)[0].item() == 1.0


# PyTorch 92140
def test_forward_and_reverse_jacobians_of_complex_sin():
    z = 0.5 + 0.25j
    x = leaf(chainrule, z, dtype=chainrule.complex128)
    (g,) = chainrule.autograd.grad(x.sin(), x, chainrule.tensor(1 + 0j, dtype=chainrule.complex128))
    ad = chainrule.autograd.forward_ad
    with ad.dual_level():
        d = ad.make_dual(
            chainrule.tensor(z, dtype=chainrule.complex128), chainrule.tensor(1 + 0j, dtype=chainrule.complex128)
        )
        tangent = ad.unpack_dual(d.sin()).tangent.item()
    assert tangent == pytest.approx(g.item().conjugate(), rel=1e-12)


# PyTorch 8874, 79996, 117552
def test_retained_gradients_and_hooks_after_a_write():
    def program(torch):
        x, seen = leaf(torch, [1.0, 2.0]), []
        y = x * 2
        y.retain_grad()
        y.register_hook(lambda g: seen.append(g.clone()))
        y.mul_(3)
        y[0].mul_(2)
        y.sum().backward()
        return y.grad, seen, x.grad

    agree(program)


# PyTorch 4664, 15358, 17935
def test_writing_into_an_expanded_tensor_is_an_error():
    for write in (
        lambda torch, e: e.add_(1),
        lambda torch, e: e.mul_(torch.ones(4, 3)),
        lambda torch, e: e.copy_(torch.ones(4, 3)),
        lambda torch, e: e.exp_(),
        lambda torch, e: torch.add(e, 1, out=e),
    ):
        agree(lambda torch, write=write: write(torch, torch.ones(3).expand(4, 3)), words=4)


# PyTorch 41508
def test_one_fully_masked_row_leaves_the_others_finite():
    def program(torch):
        scores = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
        mask = torch.tensor([[True, True], [False, False]])
        weights = torch.where(mask, scores, torch.tensor(-float("inf"))).softmax(1)
        weights[0].sum().backward()
        return weights, scores.grad

    agree(program)


# PyTorch 184528
def test_a_parameter_closed_over_in_a_loop():
    def program(torch):
        w, state = leaf(torch, 0.9, dtype=torch.float64), torch.tensor(1.0, dtype=torch.float64)

        def step(state):
            return state * w + w.sin()

        for _ in range(10):
            state = step(state)
        state.backward()
        return state, w.grad

    agree(program, tolerance=1e-12)


def test_a_result_divided_and_then_written():
    # A quotient's gradient must not read the quotient: programs write into it.
    def program(torch):
        x, s = leaf(torch, [1.0, 2.0, 4.0]), leaf(torch, 2.0)
        y = x / s
        y += 1
        y[1:] /= s
        (y * y).sum().backward()
        return x.grad, s.grad

    agree(program)


def test_a_write_into_data_is_invisible_but_a_write_into_detach_is_not():
    def program(torch, alias):
        x = leaf(torch, [1.0, 2.0])
        y = x * x
        alias(x).mul_(2)
        y.sum().backward()
        return x.grad

    agree(lambda torch: program(torch, lambda x: x.data))
    agree(lambda torch: program(torch, lambda x: x.detach()))


def test_dropping_the_accumulator_of_a_collected_leaf():
    # The collector may clear a leaf's accumulator node before its leaf.
    import gc

    for _ in range(20):
        x = leaf(chainrule, [1.0])
        x.loop = [x, (x * 2).grad_fn.next_functions[0][0]]
        del x
        gc.collect()


# PyTorch 146299, 473, 162242
def test_writing_twice_at_one_index():
    """Without accumulation the last value stays; the gradient of the overwritten ones is PyTorch's."""

    def program(torch, indices):
        x, v = leaf(torch, [1.0, 2.0, 3.0]), leaf(torch, [10.0, 20.0, 30.0])
        y = x * 1
        y[torch.tensor(indices)] = v * v
        (y * torch.tensor([1.0, 2.0, 4.0])).sum().backward()
        return y, x.grad, v.grad

    for indices in ([0, 0, 2], [1, 1, 1], [2, 0, 2]):
        agree(lambda torch, indices=indices: program(torch, indices))


# PyTorch 146299, 473, 162242
@pytest.mark.parametrize(
    "write",
    [
        lambda x, i, v: x.scatter(0, i, v),
        lambda x, i, v: x.index_put((i,), v),
        lambda x, i, v: x.index_copy(0, i, v),
    ],
    ids=["scatter", "index_put", "index_copy"],
)
def test_the_doctor_warns_of_two_values_at_one_index(write):
    """Which value stays is documented, and that the other's gradient is not zero is said."""

    class Model(chainrule.nn.Module):
        def __init__(self):
            super().__init__()
            self.v = chainrule.nn.Parameter(chainrule.tensor([10.0, 20.0, 30.0]))

    def findings(indices):
        model = Model()
        loss = write(chainrule.zeros(3), chainrule.tensor(indices), model.v).square().sum()
        return [str(f) for f in chainrule.explain.doctor(model, loss)]

    (found,) = findings([1, 0, 1])
    assert "written twice" in found
    assert "at index 1; the last one stays" in found
    assert findings([1, 0, 2]) == []


# PyTorch 1631
def test_a_repeated_index_of_gather_adds():
    def program(torch):
        x = leaf(torch, [0.1])
        x.gather(0, torch.tensor([0, 0])).backward(torch.tensor([0.2, 0.3]))
        return x.grad

    assert program(chainrule).item() == pytest.approx(0.5)
    agree(program)


# PyTorch 58509, 76185, 104040
def test_a_custom_function_that_saves_an_intermediate_value():
    """The second derivative through a value that forward calculated: right, or an error, never silently wrong."""

    def program(torch, returned):
        class Softened(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                e = x.exp()
                ctx.save_for_backward(e)
                return (e * e, e) if returned else e * e

            @staticmethod
            def backward(ctx, g, *rest):
                (e,) = ctx.saved_tensors
                return 2 * g * e * e + (rest[0] * e if rest else 0)

        x = leaf(torch, 0.5, dtype=torch.float64)
        y = Softened.apply(x)
        (first,) = torch.autograd.grad(y[0] if returned else y, x, create_graph=True)
        return first, torch.autograd.grad(first, x)[0]

    assert program(chainrule, True)[1].item() == pytest.approx(4 * 2.718281828459045)
    agree(lambda torch: program(torch, True), tolerance=1e-12)
    agree(lambda torch: program(torch, False), tolerance=1e-12)


# PyTorch 175754, 186256
@pytest.mark.parametrize("layer", ["layer_norm", "batch_norm"])
def test_third_derivatives_of_normalisation(layer):
    def program(torch):
        x = leaf(torch, [[0.3, 1.2, -0.7], [0.5, -0.4, 0.9], [1.1, 0.2, 0.6]], dtype=torch.float64)
        f = torch.nn.functional
        y = f.layer_norm(x, (3,)) if layer == "layer_norm" else f.batch_norm(x, None, None, training=True)
        found = (y**3).sum()
        for _ in range(3):
            (g,) = torch.autograd.grad(found, x, create_graph=True)
            found = (g * torch.arange(9, dtype=torch.float64).reshape(3, 3)).sum()
        return g.detach()

    def differences():
        """The third derivative from central differences of the second."""
        weight = chainrule.arange(9, dtype=chainrule.float64).reshape(3, 3)
        start = [[0.3, 1.2, -0.7], [0.5, -0.4, 0.9], [1.1, 0.2, 0.6]]

        def twice(values):
            x, f = leaf(chainrule, values, dtype=chainrule.float64), chainrule.nn.functional
            y = f.layer_norm(x, (3,)) if layer == "layer_norm" else f.batch_norm(x, None, None, training=True)
            (g,) = chainrule.autograd.grad((y**3).sum(), x, create_graph=True)
            return (chainrule.autograd.grad((g * weight).sum(), x)[0] * weight).sum().item()

        def moved(i, j, step):
            return [[v + step * (k == i and m == j) for m, v in enumerate(row)] for k, row in enumerate(start)]

        return [[(twice(moved(i, j, 1e-5)) - twice(moved(i, j, -1e-5))) / 2e-5 for j in range(3)] for i in range(3)]

    found = program(chainrule).tolist()
    for row, wanted in zip(found, differences(), strict=True):
        assert row == pytest.approx(wanted, rel=1e-4, abs=1e-3)


# PyTorch 188843, 94336, 27614
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
def test_scattering_less_than_the_source_holds(reduce):
    """PyTorch 2.13 raises in backward; cutting the source first is the way round that, and gives what is right."""

    def program(torch, cut):
        x, source = leaf(torch, [[1.0, 2.0, 3.0]] * 3), leaf(torch, [[4.0, 0.5, 6.0], [7.0, 2.5, 9.0], [1.5, 2.5, 3.5]])
        index = torch.tensor([[0, 2], [1, 2]])
        y = x.scatter_reduce(0, index, source[:2, :2] if cut else source, reduce)
        (y * torch.arange(1.0, 10.0).reshape(3, 3)).sum().backward()
        return y, x.grad, source.grad

    agree(lambda torch: program(torch, cut=torch is not chainrule))
    gradient = program(chainrule, cut=False)[2]
    assert gradient[2].tolist() == [0, 0, 0]
    assert gradient[:, 2].tolist() == [0, 0, 0]


def test_scattering_twice_to_one_place():
    def program(torch):
        x, src = leaf(torch, [[1.0, 2.0], [3.0, 4.0]]), leaf(torch, [[5.0, 6.0], [7.0, 8.0]])
        y = x.scatter_add(0, torch.tensor([[0, 1], [0, 1]]), src)
        z = x.scatter(1, torch.tensor([[1, 1], [0, 0]]), src)
        (y * y).sum().backward()
        return y, z, x.grad, src.grad

    agree(program)


# unsloth-zoo 776
def test_scatter_add_in_every_row_of_a_batch():
    def program(torch):
        src = leaf(torch, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
        index = torch.tensor([[0, 1, 0], [1, 1, 0], [0, 0, 1]])
        y = torch.zeros(3, 2).scatter_add(1, index, src)
        (y * torch.arange(6.0).reshape(3, 2)).sum().backward()
        return y, src.grad

    agree(program)


# PyTorch 47599, 49886, JAX 2311
def test_equal_eigenvalues():
    """What is defined stays finite: the eigenvalues' gradient, and a function of the whole matrix."""

    def program(torch, function):
        a = leaf(torch, [[2.0, 0.0], [0.0, 2.0]], dtype=torch.float64)
        function(torch, a).backward()
        return a.grad

    for function in (
        lambda torch, a: torch.linalg.eigvalsh(a).sum(),
        lambda torch, a: torch.linalg.eigh(a)[0].prod(),
        lambda torch, a: torch.linalg.svdvals(a).sum(),
    ):
        assert program(chainrule, function).isfinite().all()
        agree(lambda torch, function=function: program(torch, function), tolerance=1e-12)


# PyTorch 193671
@pytest.mark.parametrize("reentrant", [False, True])
def test_random_slopes_under_a_checkpoint(reentrant):
    def program(torch, checkpointed):
        torch.manual_seed(3)
        x = leaf(torch, [-1.0, -2.0, 3.0, -4.0])

        def function(x):
            return torch.nn.functional.rrelu(x * 2, training=True)

        call = torch.utils.checkpoint.checkpoint
        y = call(function, x, use_reentrant=reentrant) if checkpointed else function(x)
        y.sum().backward()
        return y, x.grad

    (y, g), (plain_y, plain_g) = program(chainrule, True), program(chainrule, False)
    assert (y.tolist(), g.tolist()) == (plain_y.tolist(), plain_g.tolist())


# PyTorch 11551, 116349
@pytest.mark.parametrize("labels", [[1, -100], [-100, -100]], ids=["one ignored", "all ignored"])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_cross_entropy_of_ignored_rows(labels, reduction):
    def program(torch, bad):
        x = leaf(torch, [[1.0, 2.0, 3.0], [bad, bad, bad]])
        loss = torch.nn.functional.cross_entropy(x, torch.tensor(labels), reduction=reduction)
        loss.backward()
        return loss, x.grad

    agree(lambda torch: program(torch, 5.0))
    for bad in (-float("inf"), float("nan")):  # PyTorch's gradient of an ignored row of -inf is NaN
        assert program(chainrule, bad)[1][1].tolist() == [0.0, 0.0, 0.0]


# autograd 412
def test_every_test_runs():
    """A sign was wrong for years in a test that never ran: no test hides another, and none is out of pytest's sight."""
    for path in sorted(Path(__file__).parent.glob("*.py")):
        tree = ast.parse(path.read_text())
        seen = [f.name for f in tree.body if isinstance(f, ast.FunctionDef) and f.name.startswith("test")]
        all_of_them = [f.name for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) and f.name.startswith("test")]
        assert sorted(seen) == sorted(all_of_them), f"{path.name}: a test inside of another, or of a class"
        assert len(seen) == len(set(seen)), f"{path.name}: two tests of one name"
        assert not seen or path.name.startswith("test_"), f"{path.name}: pytest does not look here"
