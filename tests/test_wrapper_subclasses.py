"""Classes with a __torch_dispatch__ whose instances have no elements: what they are asked, gradients through them."""

import copy
import importlib
import pickle
from typing import ClassVar

import pytest
import torch as reference

import chainrule
from both import agree

BOTH = pytest.mark.parametrize("torch", [chainrule, reference], ids=["chainrule", "pytorch"])
_MADE = {}


def part(torch, name):
    return importlib.import_module(f"{torch.__name__}.{name}")


def wrapper(torch):
    """The classic class that logs what it is asked, and asks the tensor inside."""
    if torch in _MADE:
        return _MADE[torch]
    tree_map, dispatch = part(torch, "utils._pytree").tree_map, part(torch, "utils._python_dispatch")

    class Logged(torch.Tensor):
        seen: ClassVar[list] = []

        @staticmethod
        def __new__(cls, inside, requires_grad=False):
            layout = {"strides": inside.stride(), "storage_offset": inside.storage_offset(), "layout": inside.layout}
            place = {"dtype": inside.dtype, "device": inside.device, "requires_grad": requires_grad}
            made = torch.Tensor._make_wrapper_subclass(cls, inside.size(), **layout, **place)
            made.inside = inside
            return made

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            cls.seen.append(str(func))

            def opened(x):
                return x.inside if isinstance(x, cls) else x

            found = func(*tree_map(opened, args), **tree_map(opened, kwargs))
            found = tree_map(lambda x: cls(x) if isinstance(x, torch.Tensor) else x, found)
            return dispatch.return_and_correct_aliasing(func, args, kwargs, found)

        __torch_function__ = torch._C._disabled_torch_function_impl

        def __repr__(self):
            return f"Logged({self.inside.tolist()})"

    Logged.__qualname__, Logged.__module__ = f"Logged_{torch.__name__}", __name__
    globals()[Logged.__qualname__] = Logged
    return _MADE.setdefault(torch, Logged)


def tensors(torch):
    """A vector, two matrices, another vector and a batch that require gradients."""
    kind, tensor = wrapper(torch), torch.tensor
    values = [3.0, 1.0], [[1.0, 2.0], [3.0, 4.0]], [[1.0, -1.0], [2.0, 0.5], [0.0, 1.0]], [0.5, 0.25, 1.0]
    made = [kind(tensor(each), requires_grad=True) for each in values]
    return *made, kind(torch.arange(12.0).view(2, 3, 2), requires_grad=True)


FUNCTIONS = {
    "mul": lambda t, x, a, b, c, d: x * x,
    "exp": lambda t, x, a, b, c, d: x.exp(),
    "quotients": lambda t, x, a, b, c, d: x / 2 + 2 / x + 1 - x,
    "powers": lambda t, x, a, b, c, d: x**2 + x**x + 2**x,
    "sub": lambda t, x, a, b, c, d: t.sub(x, x, alpha=3),
    "waves": lambda t, x, a, b, c, d: x.sin() + x.cos() + x.tanh() + x.sigmoid(),
    "units": lambda t, x, a, b, c, d: t.relu(x) + t.nn.functional.gelu(x) + t.nn.functional.silu(x),
    "clamp": lambda t, x, a, b, c, d: x.clamp(0, 2),
    "broadcast": lambda t, x, a, b, c, d: a * x,
    "mm": lambda t, x, a, b, c, d: t.mm(a, a),
    "mv": lambda t, x, a, b, c, d: a @ x,
    "linear": lambda t, x, a, b, c, d: t.nn.functional.linear(a, b, c),
    "linear on batches": lambda t, x, a, b, c, d: t.nn.functional.linear(d, b, c),
    "matmul of batches": lambda t, x, a, b, c, d: d @ d.transpose(1, 2),
    "softmax": lambda t, x, a, b, c, d: t.softmax(a, 1) * a,
    "log_softmax": lambda t, x, a, b, c, d: t.log_softmax(a, 1) * a,
    "layer_norm": lambda t, x, a, b, c, d: t.nn.functional.layer_norm(a, (2,), c[:2], c[1:]) * a,
    "cat": lambda t, x, a, b, c, d: t.cat([a, a * 2], 1) * t.cat([a, a], 1),
    "stack": lambda t, x, a, b, c, d: t.stack([a, a * a]),
    "index": lambda t, x, a, b, c, d: a[0] * a[1] + a[:, 1:].flatten() * a[:, :1].flatten(),
    "steps": lambda t, x, a, b, c, d: b[::2] * a,
    "shapes": lambda t, x, a, b, c, d: a.t().reshape(4) * a.flatten(),
    "split": lambda t, x, a, b, c, d: a.split(1)[0] * a.unbind(0)[1],
    "reductions": lambda t, x, a, b, c, d: a.sum(0) * a.mean(1) * a.var(),
    "extremes": lambda t, x, a, b, c, d: a.max(1)[0] * a.max(),
    "expand": lambda t, x, a, b, c, d: a.expand(3, 2, 2),
    "masks": lambda t, x, a, b, c, d: a.masked_fill(a > 2, 0.0) + t.where(a > 2, a, -a),
    "to": lambda t, x, a, b, c, d: a.to(t.float64) * 2,
    "embedding": lambda t, x, a, b, c, d: t.nn.functional.embedding(t.tensor([0, 1, 1]), a),
    "mse_loss": lambda t, x, a, b, c, d: t.nn.functional.mse_loss(a, a * a),
    "cross_entropy": lambda t, x, a, b, c, d: t.nn.functional.cross_entropy(a, t.tensor([0, 1])),
    "in place": lambda t, x, a, b, c, d: (x * 1).mul_(x).add_(x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_are_dispatched(name):
    found = []
    for torch in (chainrule, reference):
        inputs = tensors(torch)
        y = FUNCTIONS[name](torch, *inputs)
        kind = wrapper(torch)
        assert (type(y), y.requires_grad) == (kind, True)
        grads = torch.autograd.grad((y * y).sum(), inputs, allow_unused=True)
        assert all(g is None or type(g) is kind for g in grads)
        found.append([y.inside, *(None if g is None else g.inside for g in grads)])
    for ours, theirs in zip(*found, strict=True):
        if theirs is None:
            assert ours is None
        else:
            reference.testing.assert_close(reference.tensor(ours.tolist()), theirs.float(), rtol=1e-5, atol=1e-6)


FORWARD = {
    "sums": lambda t, x, a: (a.sum(), a.sum(1), a.mean(0, keepdim=True), a.max(1), a.argmax(1)),
    "products": lambda t, x, a: (a @ a, a @ x, x @ x, t.nn.functional.linear(a, a), t.nn.functional.linear(a, a, x)),
    "shapes": lambda t, x, a: (a.t(), a.T, a.mT, a.reshape(4), a.t().reshape(4), a.flatten(), a.view(4)),
    "conversions": lambda t, x, a: (a.to(t.float64), a.double(), a.float(), a.to("cpu"), a.cpu(), a.to(t.float32)),
    "arithmetic": lambda t, x, a: (a + 1, 1 - a, a * 2, a / 2, 2 / a, a**2, -a, a > 1, t.ones(2) * x),
    "losses": lambda t, x, a: (t.nn.functional.mse_loss(a, a), t.nn.functional.cross_entropy(a, t.tensor([0, 1]))),
    "parts": lambda t, x, a: (a[0], a[:, 1:], a[..., 0], a.split(1), a.chunk(2), a.unbind(0), len(a), [*a]),
    "numbers": lambda t, x, a: (x[0].item(), float(x[0]), bool(x[0] > 0), t.equal(a, a)),
    "layers": lambda t, x, a: (t.nn.functional.softmax(a, dim=1), t.nn.functional.dropout(a, 0.5, False), a.clone()),
}


@pytest.mark.parametrize("name", FORWARD)
def test_the_class_is_asked_what_pytorch_asks_it(name):
    found = []
    for torch in (chainrule, reference):
        x, a = (wrapper(torch)(each.inside) for each in tensors(torch)[:2])
        wrapper(torch).seen.clear()
        results = FORWARD[name](torch, x, a)
        found.append((wrapper(torch).seen.copy(), str([r for r in results if not hasattr(r, "_fields")])))
    assert found[0] == found[1]


@BOTH
def test_what_it_says_of_itself(torch):
    kind, x = wrapper(torch), wrapper(torch)(torch.ones(3, 2).t(), requires_grad=True)
    assert (x.stride(), x.stride(0), x.is_contiguous(), x.storage_offset()) == ((1, 2), 1, False, 0)
    assert (str(x.device), x.layout is torch.strided) == ("cpu", True)
    assert (x.is_cpu, x.is_sparse, x.is_meta) == (True, False, False)
    assert (tuple(x.shape), x.dim(), x.numel(), x.dtype, x.data_ptr()) == ((2, 3), 2, 6, torch.float32, 0)
    assert (x.requires_grad, x.is_leaf, x.grad_fn) == (True, True, None)
    make = torch.Tensor._make_wrapper_subclass
    assert str(make(kind, (2,), device="cuda").device) == "cuda"
    assert make(kind, (2, 3), strides=(3, 1), storage_offset=2).storage_offset() == 2
    assert make(kind, (2, 3), memory_format=torch.contiguous_format).stride() == (3, 1)
    assert not part(torch, "utils._python_dispatch").is_traceable_wrapper_subclass(x)


@pytest.mark.parametrize(
    "call",
    [
        lambda make, torch, kind: make(3, (2,)),
        lambda make, torch, kind: make(int, (2,)),
        lambda make, torch, kind: make(torch.Tensor, (2,)),
        lambda make, torch, kind: make(kind, 3),
        lambda make, torch, kind: make(kind, (2,), strides=(1, 2)),
        lambda make, torch, kind: make(kind, (2,), storage_offset=1),
        lambda make, torch, kind: make(kind, (2,), dtype=torch.int64, requires_grad=True),
        lambda make, torch, kind: make(kind, (2,), dispatch_sizes_strides_policy="some"),
        lambda make, torch, kind: kind(torch.ones(2)).tolist(),
        lambda make, torch, kind: kind(torch.ones(2)).numpy(),
        lambda make, torch, kind: kind(torch.ones(2), True).add_(1),
        lambda make, torch, kind: bool(kind(torch.ones(2))),
    ],
)
def test_what_is_refused(call):
    agree(lambda torch: call(torch.Tensor._make_wrapper_subclass, torch, wrapper(torch)), words=5)


def test_what_is_not_supported_names_itself():
    make, kind = chainrule.Tensor._make_wrapper_subclass, wrapper(chainrule)
    for option in ({"dispatch_sizes_strides_policy": "sizes"}, {"dispatch_device": True}, {"dispatch_layout": True}):
        with pytest.raises(NotImplementedError, match=next(iter(option))):
            make(kind, (2,), **option)
    x = kind(chainrule.tensor([2.0, 1.0]), requires_grad=True)
    with pytest.raises(NotImplementedError, match=r"aten.cumprod.default: chainrule has no gradient of it"):
        x.cumprod(0).sum().backward()


@BOTH
def test_the_graph(torch):
    x = wrapper(torch)(torch.tensor([3.0, 1.0]), requires_grad=True)
    y = x * x
    assert y.grad_fn.name() == "MulBackward0"
    assert y.grad_fn._saved_self is x
    assert y.grad_fn.next_functions[0][0].name().endswith("AccumulateGrad")
    y.sum().backward()
    x.mul(2).sum().backward()
    assert x.grad.inside.tolist() == [8.0, 4.0]
    assert type(x.grad) is wrapper(torch)
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.sum().backward()


@BOTH
def test_second_derivatives(torch):
    x = wrapper(torch)(torch.tensor([3.0, 1.0]), requires_grad=True)
    (g,) = torch.autograd.grad((x * x * x).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    assert (g.inside.tolist(), h.inside.tolist()) == ([27.0, 3.0], [18.0, 6.0])


@BOTH
def test_a_saved_tensor_that_was_written_into(torch):
    x = wrapper(torch)(torch.tensor([3.0, 1.0]), requires_grad=True)
    y = x * 1
    z = y * y
    y.add_(1)
    assert y._version == 1
    with pytest.raises(RuntimeError, match="one of the variables needed for gradient computation has been modified"):
        z.sum().backward()


@BOTH
def test_a_weight_of_such_a_class_is_trained(torch):
    kind = wrapper(torch)
    model = torch.nn.Linear(2, 3, bias=False)
    model.weight = torch.nn.Parameter(kind(torch.ones(3, 2)))
    assert isinstance(model.weight, torch.nn.Parameter)
    assert type(model.weight) is kind
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        model(torch.ones(1, 2)).pow(2).sum().backward()
        optimizer.step()
    assert model.weight.inside.tolist() == [[pytest.approx(0.36)] * 2] * 3


@BOTH
def test_copies(torch):
    x = wrapper(torch)(torch.tensor([3.0, 1.0]), requires_grad=True)
    for made in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert type(made) is type(x)
        assert (made.inside.tolist(), made.requires_grad, made.stride()) == ([3.0, 1.0], True, (1,))


@BOTH
def test_two_tensors_in_one(torch):
    """TwoTensor: the class is told what it is made of, and says so."""
    dispatch, pytree = part(torch, "utils._python_dispatch"), part(torch, "utils._pytree")

    class Two(torch.Tensor):
        @staticmethod
        def __new__(cls, a, b):
            made = torch.Tensor._make_wrapper_subclass(cls, a.shape, strides=a.stride(), dtype=a.dtype)
            made.a, made.b = a, b
            return made

        def __tensor_flatten__(self):
            return ["a", "b"], None

        @staticmethod
        def __tensor_unflatten__(inner, context, size, stride):
            return Two(inner["a"], inner["b"])

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            results = [
                func(*pytree.tree_map_only(Two, lambda x, n=name: getattr(x, n), args), **kwargs) for name in "ab"
            ]
            flat = [pytree.tree_flatten(each) for each in results]
            pairs = zip(flat[0][0], flat[1][0], strict=True)
            both = [Two(*pair) if isinstance(pair[0], torch.Tensor) else pair[0] for pair in pairs]
            found = pytree.tree_unflatten(both, flat[0][1])
            return dispatch.return_and_correct_aliasing(func, args, kwargs, found)

    x = Two(torch.ones(2), torch.tensor([2.0, 3.0])).requires_grad_()
    assert dispatch.is_traceable_wrapper_subclass(x)
    ((x * x).sum() * 2).backward()
    assert type(x.grad) is Two
    assert (x.grad.a.tolist(), x.grad.b.tolist()) == ([4.0, 4.0], [8.0, 12.0])
    doubled = dispatch.transform_subclass(x, lambda name, inner: inner * 2)
    assert (doubled.a.tolist(), doubled.b.tolist()) == ([2.0, 2.0], [4.0, 6.0])


@BOTH
def test_a_quantized_weight(torch):
    """The class keeps whole numbers and answers for the products that layers make of it."""
    aten = torch.ops.aten

    class Quantized(torch.Tensor):
        @staticmethod
        def __new__(cls, whole, scale):
            made = torch.Tensor._make_wrapper_subclass(cls, whole.shape, dtype=scale.dtype, device=whole.device)
            made.whole, made.scale = whole, scale
            return made

        def dequantize(self):
            return self.whole.to(self.scale.dtype) * self.scale

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            if func in (aten.detach.default, aten.alias.default):
                return cls(args[0].whole, args[0].scale)
            if func is aten.t.default:
                return cls(args[0].whole.t(), args[0].scale.t())
            if func in (aten.mm.default, aten.addmm.default):
                return func(*(a.dequantize() if isinstance(a, cls) else a for a in args), **(kwargs or {}))
            return NotImplemented

    linear = torch.nn.Linear(2, 3)
    whole = torch.tensor([[1, 2], [-3, 4], [5, 6]], dtype=torch.int8)
    linear.weight = torch.nn.Parameter(Quantized(whole, torch.full((3, 1), 0.5)), requires_grad=False)
    x = torch.ones(1, 2, requires_grad=True)
    y = linear(x)
    expected = whole.float().sum(1) * 0.5 + linear.bias
    assert torch.allclose(y[0], expected)
    assert type(y) is torch.Tensor
    with torch.no_grad(), pytest.raises(TypeError, match=r"Multiple dispatch failed for .torch\._ops\.aten\.exp"):
        linear.weight.exp()


@BOTH
def test_with_a_mode(torch):
    """A mode hears of the operation first, and the class of what the mode calls."""
    base = part(torch, "utils._python_dispatch").TorchDispatchMode

    class Log(base):
        seen: ClassVar[list] = []

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.seen.append((str(func), [kind.__name__ for kind in types]))
            return func(*args, **(kwargs or {}))

    x = wrapper(torch)(torch.ones(2))
    wrapper(torch).seen.clear()
    with Log():
        x.exp()
    assert Log.seen[0] == ("aten.exp.default", ["Logged"])
    assert wrapper(torch).seen == ["aten.exp.default"]


@BOTH
def test_a_class_whose_instances_have_elements(torch):
    """The older form of the pattern: the instance is a tensor itself, and keeps another one to ask."""
    tree_map = part(torch, "utils._pytree").tree_map

    class Kept(torch.Tensor):
        seen: ClassVar[list] = []

        @staticmethod
        def __new__(cls, inside, requires_grad=False):
            made = torch.Tensor._make_subclass(cls, inside.detach(), requires_grad)
            made.inside = inside.detach()
            return made

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            cls.seen.append(str(func))

            def opened(x):
                return x.inside if isinstance(x, cls) else x

            found = func(*tree_map(opened, args), **tree_map(opened, kwargs or {}))
            return tree_map(lambda x: cls(x) if isinstance(x, torch.Tensor) else x, found)

    x = Kept(torch.tensor([1.0, 2.0]), requires_grad=True)
    y = (x * 2).exp().sum()
    assert (type(y), y.grad_fn.name()) == (Kept, "SumBackward0")
    y.backward()
    assert type(x.grad) is Kept
    assert x.grad.inside.tolist() == pytest.approx([14.7781, 109.1963], rel=1e-5)
    (x * x).sum().backward()
    assert x.grad.inside.tolist() == pytest.approx([16.7781, 113.1963], rel=1e-5)
    assert Kept.seen[:2] == ["aten.mul.Tensor", "aten.exp.default"]
    assert (tuple(x.shape), x.is_contiguous(), x.data_ptr() != 0, x[0].item()) == ((2,), True, True, 1.0)
