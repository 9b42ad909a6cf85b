"""What other packages take from torch in passing: names of the dispatcher, modes, custom operations, trees."""

import importlib
import typing
import warnings
import weakref
from collections import namedtuple

import pytest
import torch as reference

import chainrule
from chainrule.missing_names import problem_with

BOTH = pytest.mark.parametrize("torch", [chainrule, reference], ids=["chainrule", "pytorch"])


@BOTH
def test_names_of_the_dispatcher(torch):
    aten = torch.ops.aten
    assert aten.add.Tensor(torch.ones(2), 2).tolist() == [3.0, 3.0]
    assert aten.add.Tensor is aten.add.Tensor
    assert aten.add.Tensor != aten.add.Scalar
    assert str(aten.add.Tensor) == "aten.add.Tensor"
    assert repr(aten.add) == "<OpOverloadPacket(op='aten.add')>"
    assert aten.add.Tensor.name() == "aten::add.Tensor"
    assert aten.relu.default.name() == "aten::relu"
    assert not hasattr(torch.ops.nobody, "nothing")


def test_a_missing_operation_raises_when_it_is_called():
    op = chainrule.ops.aten._to_mkldnn.default
    with pytest.raises(NotImplementedError, match=r"aten\._to_mkldnn\.default"):
        op(chainrule.ones(2))
    assert "no such operation" in problem_with("torch.ops.aten._to_mkldnn.default")
    assert problem_with("torch.ops.aten.add.Tensor") is None
    assert "missing" in problem_with("torch.ops.nobody.nms")


@BOTH
def test_modes_stand_upon_each_other(torch):
    seen = []

    class Log(torch.overrides.TorchFunctionMode):
        def __init__(self, name):
            super().__init__()
            self.name = name

        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append((self.name, func.__name__))
            return func(*args, **(kwargs or {}))

    x = torch.ones(2)
    with Log("outer"), Log("inner"):
        torch.exp(x)
    torch.exp(x)
    assert seen == [("inner", "exp"), ("outer", "exp")]


@BOTH
def test_a_mode_answers_instead(torch):
    class Zeros(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return torch.zeros_like(args[0]) if func is torch.exp else func(*args, **(kwargs or {}))

    x = torch.ones(2)
    with Zeros():
        assert torch.exp(x).tolist() == [0.0, 0.0]
        assert torch.neg(x).tolist() == [-1.0, -1.0]
    assert torch.exp(x).tolist() != [0.0, 0.0]


@BOTH
def test_custom_operation(torch):
    name = f"shapes_{torch.__name__}::cube"

    def cube(x: torch.Tensor, factor: float = 1.0) -> torch.Tensor:
        return factor * x**3

    cube.__annotations__ = {"x": torch.Tensor, "factor": float, "return": torch.Tensor}
    op = torch.library.custom_op(name, cube, mutates_args=())
    x = torch.tensor([2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="no autograd formula was registered"):
        op(x).backward()

    def keep(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.factor = inputs[1]

    def backward(ctx, g):
        return 3 * ctx.factor * ctx.saved_tensors[0] ** 2 * g, None

    op.register_autograd(backward, setup_context=keep)
    y = getattr(torch.ops, name.split("::")[0]).cube(x, factor=2.0)
    y.backward()
    assert y.tolist() == [16.0]
    assert x.grad.tolist() == [24.0]


@BOTH
def test_trees_of_registered_classes(torch):
    from importlib import import_module

    pytree = import_module(f"{torch.__name__}.utils._pytree")
    pair = namedtuple("pair", "a b")

    class Box:
        def __init__(self, values):
            self.values = values

    pytree.register_pytree_node(Box, lambda box: (box.values, "context"), lambda values, context: Box(list(values)))
    tree = {"x": [1, (2, 3)], "y": pair(4, Box([5, 6]))}
    leaves, spec = pytree.tree_flatten(tree)
    assert leaves == [1, 2, 3, 4, 5, 6]
    again = pytree.tree_unflatten([v * 10 for v in leaves], spec)
    assert again["y"].a == 40
    assert again["y"].b.values == [50, 60]
    assert type(again["y"]) is pair
    assert pytree.tree_map_only(int, lambda v: v + 1, [1, "a"]) == [2, "a"]


@pytest.mark.parametrize("name", ["float4_e2m1fn_x2", "bits8"])
def test_dtypes_that_are_names_only(name):
    dtype = getattr(chainrule, name)
    assert repr(dtype) == f"torch.{name}"
    assert dtype.itemsize == 1
    with pytest.raises(TypeError, match=name):
        chainrule.zeros(2, dtype=dtype)
    assert "no such dtype" in problem_with(f"torch.{name}")


def test_what_is_left_out_as_a_whole():
    from chainrule.ao.quantization import QuantStub, fuse_modules

    with pytest.raises(RuntimeError, match=r"ao\.quantization\.fuse_modules"):
        fuse_modules(None)
    with pytest.raises(RuntimeError, match=r"ao\.quantization\.QuantStub"):
        QuantStub()


def test_modules_tell_their_types():
    """Packages ask for the annotations of modules; each must be known where it stands."""

    class Net(chainrule.nn.Sequential):
        width: int

    assert typing.get_type_hints(Net)["width"] is int


# ---- names of torch.utils and torch.__future__


@BOTH
def test_swapped_tensors_keep_their_identity(torch):
    parameter, plain = torch.nn.Parameter(torch.ones(2)), torch.arange(3.0)
    plain.note = "here"
    parameter.grad = torch.full((2,), 5.0)
    torch.utils.swap_tensors(parameter, plain)
    assert (type(parameter), parameter.note, parameter.tolist()) == (torch.Tensor, "here", [0.0, 1.0, 2.0])
    assert (parameter.requires_grad, parameter.grad) == (False, None)
    assert (type(plain), plain.requires_grad, plain.grad.tolist()) == (torch.nn.Parameter, True, [5.0, 5.0])
    reference_to = weakref.ref(plain)
    with pytest.raises(RuntimeError, match="Cannot swap t2 because it has weakref associated with it"):
        torch.utils.swap_tensors(parameter, plain)
    del reference_to


@BOTH
@pytest.mark.parametrize(("how", "same"), [("overwrite", False), ("swap", True)])
def test_conversions_as_future_says(torch, how, same):
    linear = torch.nn.Linear(2, 2)
    weight = linear.weight
    weight.grad = torch.ones(2, 2)
    change = getattr(torch.__future__, f"set_{how}_module_params_on_conversion")
    change(True)
    try:
        linear.double()
    finally:
        change(False)
    assert (linear.weight is weight) is same
    assert linear.weight.dtype == torch.float64
    assert linear.weight.grad.dtype == torch.float64


@BOTH
def test_keys_are_held_weakly(torch):
    from_module = importlib.import_module(f"{torch.__name__}.utils.weak")
    notes = from_module.WeakTensorKeyDictionary()
    x, y = torch.ones(2), torch.ones(2)
    notes[x], notes[y] = 1, 2
    assert (notes[x], notes[y], len(notes), list(notes.values())) == (1, 2, 2, [1, 2])
    del x
    assert (len(notes), y in notes, torch.ones(2) in notes) == (1, True, False)
    assert from_module.TensorWeakRef(y)() is y


@BOTH
def test_new_memory_stands_out_in_deterministic_programs(torch):
    importlib.import_module(f"{torch.__name__}.utils.deterministic")
    torch.use_deterministic_algorithms(True)
    try:
        made = [torch.empty(2), torch.empty(1, dtype=torch.uint8), torch.empty(1, dtype=torch.int64)]
        made += [torch.empty(1, dtype=torch.bool), torch.empty_like(made[0]), made[0].new_empty(1)]
        assert (
            str([t.tolist() for t in made]) == "[[nan, nan], [255], [9223372036854775807], [True], [nan, nan], [nan]]"
        )
        torch.utils.deterministic.fill_uninitialized_memory = False
        assert not torch.utils.deterministic.fill_uninitialized_memory
    finally:
        torch.utils.deterministic.fill_uninitialized_memory = True
        torch.use_deterministic_algorithms(False)


@BOTH
def test_modules_that_run(torch):
    ModuleTracker = importlib.import_module(f"{torch.__name__}.utils.module_tracker").ModuleTracker  # noqa: N806
    seen = []

    class Watched(torch.nn.Linear):
        def forward(self, x):
            seen.append((sorted(tracker.parents), tracker.is_bw))
            y = super().forward(x)
            y.register_hook(lambda g: seen.append((sorted(tracker.parents), tracker.is_bw)))
            return y

    with ModuleTracker() as tracker:
        torch.nn.Sequential(Watched(1, 1), torch.nn.ReLU())(torch.ones(1, 1, requires_grad=True)).sum().backward()
        assert tracker.parents == {"Global"}
    forward, backward = ["Global", "Sequential", "Sequential.0"], ["Global", "Sequential", "Sequential.1"]
    assert seen == [(forward, False), (backward, True)]


def test_what_is_left_out_names_itself():
    for use in (
        lambda: chainrule.quantize_per_tensor(chainrule.ones(1), 0.1, 0, chainrule.qint8),
        lambda: chainrule.masked.masked_tensor(chainrule.ones(1), chainrule.ones(1).bool()),
    ):
        with pytest.raises(RuntimeError, match=r"^torch\.\S+: chainrule has"):
            use()
    with pytest.raises(TypeError, match=r"must be torch\.dtype, not quint8"):
        chainrule.zeros(2, dtype=chainrule.quint8)
    assert "raises" in problem_with("torch.quantize_per_tensor")


# ---- PyTorch's private names that packages use


def test_what_asks_for_sharded_models_can_be_imported():
    tensor = importlib.import_module("chainrule.distributed.tensor")
    wrap = importlib.import_module("chainrule.distributed.fsdp.wrap")
    assert not isinstance(chainrule.ones(1), tensor.DTensor)
    assert chainrule.distributed.fsdp.wrap is wrap
    with pytest.raises(RuntimeError, match=r"^torch\.distributed\.tensor\.distribute_tensor: .* data-parallel only"):
        tensor.distribute_tensor(chainrule.ones(1))
    assert not isinstance(chainrule.nn.Linear(1, 1), importlib.import_module("chainrule._dynamo").OptimizedModule)
    eval_frame = importlib.import_module("chainrule._dynamo.eval_frame")
    assert not isinstance(chainrule.nn.Linear(1, 1), eval_frame.OptimizedModule)


_FOREACH = [
    ("add", (2.0,), {}),
    ("add", ([2.0, 3.0],), {}),
    ("sub", ("other",), {"alpha": 3}),
    ("mul", ("number",), {}),
    ("div", ("other",), {}),
    ("pow", ([1, 2],), {}),
    ("maximum", (1.5,), {}),
    ("minimum", ("other",), {}),
    ("clamp_max", (), {"scalar": 1.5}),
    ("lerp", ("other", 0.25), {}),
    ("addcmul", ("other", "other"), {"value": 2}),
    ("addcdiv", ("other", "other", [1.0, 2.0]), {}),
    ("addcdiv", ("other", "other", "factors"), {}),
    ("sqrt", (), {}),
    ("norm", (1,), {}),
    ("powsum", (3,), {}),
    ("max", (), {}),
    ("copy_", ("other",), {}),
    ("zero_", (), {}),
]


def _foreach_results(torch, name, args, options):
    tensors = [torch.tensor([1.0, 4.0]), torch.tensor([[2.0]])]
    named = {
        "other": [torch.tensor([3.0, 2.0]), torch.tensor([[5.0]])],
        "number": torch.tensor(2.0),
        "factors": torch.tensor([1.0, 2.0]),
    }
    args = [named[a] if isinstance(a, str) else a for a in args]
    results = []
    if hasattr(torch, f"_foreach_{name}"):
        results += getattr(torch, f"_foreach_{name}")(tensors, *args, **options)
    if not name.endswith("_") and hasattr(torch, f"_foreach_{name}_"):
        returned = getattr(torch, f"_foreach_{name}_")(tensors, *args, **options)
        assert returned is tensors
    return [t.tolist() for t in (*results, *tensors)]


@pytest.mark.parametrize(("name", "args", "options"), _FOREACH)
def test_an_operation_on_each_tensor(name, args, options):
    assert _foreach_results(chainrule, name, args, options) == _foreach_results(reference, name, args, options)


def test_every_name_of_an_operation_on_each_tensor():
    names = [name for name in dir(reference) if name.startswith("_foreach_")]
    assert [name for name in names if not hasattr(chainrule, name)] == []
    assert not hasattr(chainrule, "_foreach_nothing")


@BOTH
def test_lists_that_do_not_fit(torch):
    two = [torch.ones(1), torch.ones(1)]
    with pytest.raises(RuntimeError, match="must have at least one tensor"):
        torch._foreach_sqrt([])
    with pytest.raises(RuntimeError, match="same number of elements as scalar list"):
        torch._foreach_add(two, [1.0])
    with pytest.raises(RuntimeError, match="same number of tensors, got 2 and 1"):
        torch._foreach_add(two, two[:1])
    with pytest.raises(TypeError, match="must be tuple of Tensors, not Tensor"):
        torch._foreach_sqrt(two[0])
    x = torch.tensor([2.0], requires_grad=True)
    torch._foreach_mul([x], 3.0)[0].backward()
    assert x.grad.tolist() == [3.0]


@BOTH
def test_conditions_that_raise(torch):
    torch._check(True, lambda: "never")
    torch._check_tensor_all(torch.tensor([True]))
    for check, error in (
        (torch._check, RuntimeError),
        (torch._check_index, IndexError),
        (torch._check_value, ValueError),
        (torch._check_type, TypeError),
        (torch._check_not_implemented, NotImplementedError),
    ):
        with pytest.raises(error, match="words"):
            check(False, lambda: "words")
    with pytest.raises(RuntimeError, match="Expected cond to be True, but got False"):
        torch._check_tensor_all(torch.tensor([True, False]))
    with pytest.raises(TypeError, match="cond must be a bool, but got a Tensor"):
        torch._check(torch.tensor(True))
    with pytest.raises(AssertionError, match="words"):
        torch._assert(torch.tensor(False), "words")


@BOTH
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("length", [1, 2, 5, 8])
def test_scans(torch, reverse, length):
    ops = importlib.import_module(f"{torch.__name__}._higher_order_ops")
    a = torch.arange(1.0, 1 + 2 * length).reshape(2, length) / 8
    b = (1 - a).requires_grad_()
    _, states = ops.associative_scan(
        lambda left, right: (left[0] * right[0], right[0] * left[1] + right[1]),
        (a, b),
        dim=1,
        reverse=reverse,
        combine_mode="generic",
    )
    state, expected = torch.zeros(2), []
    for i in reversed(range(length)) if reverse else range(length):
        state = a[:, i] * state + b[:, i]
        expected.append(state)
    expected = torch.stack(expected[::-1] if reverse else expected, 1)
    torch.testing.assert_close(states, expected)
    (got,), (want,) = torch.autograd.grad(states.sum(), b), torch.autograd.grad(expected.sum(), b)
    torch.testing.assert_close(got, want)


def test_a_loop_over_slices():
    from chainrule._higher_order_ops.map import map
    from chainrule._higher_order_ops.scan import scan

    x = chainrule.arange(6.0).reshape(2, 3)
    last, sums = scan(lambda carry, x: (carry + x, {"sum": carry + x}), chainrule.zeros(2), x, dim=1)
    assert last.tolist() == [3.0, 12.0]
    assert sums["sum"].tolist() == x.cumsum(1).tolist()
    _, sums = scan(lambda carry, x: (carry + x, carry + x), chainrule.zeros(2), x, dim=1, reverse=True)
    assert sums.tolist() == [[3.0, 3.0, 2.0], [12.0, 9.0, 5.0]]
    assert map(lambda row, factor: row * factor, x, 2).tolist() == (x * 2).tolist()


@BOTH
def test_streams_and_events(torch):
    stream, event = torch.Stream(), torch.Event()
    with stream:
        assert stream.query()
        assert event.query()
    stream.synchronize()
    stream.wait_event(event)
    assert stream == torch.Stream("cpu")
    assert str(stream.device) == str(event.device) == "cpu"
    for use in (event.record, stream.record_event, lambda: stream.wait_stream(stream)):
        with pytest.raises(RuntimeError, match="cpu backend doesn't support events"):
            use()
    with pytest.raises(ValueError, match="enable_timing=True"):
        event.elapsed_time(event)


@BOTH
def test_a_parameter_in_the_place_of_one_without_elements(torch):
    empty = torch.nn.Linear(2, 2, device="meta").weight
    loaded = type(empty)(torch.ones(2, 2), requires_grad=False)
    assert type(loaded) is torch.nn.Parameter
    assert loaded.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert not loaded.requires_grad


def test_whether_a_program_is_being_recorded():
    seen = []

    def function(x):
        seen.append((chainrule.jit.is_tracing(), importlib.import_module("chainrule._C")._is_tracing()))
        return x + 1

    function(chainrule.ones(1))
    chainrule.jit.trace(function, chainrule.ones(1), check_trace=False)
    assert seen == [(False, False), (True, True)]
    with pytest.raises(RuntimeError, match=r"^torch\.jit\._get_trace_graph: .*torch\.jit\.trace"):
        chainrule.jit._get_trace_graph(function)


def test_extensions_in_c_plus_plus_are_refused():
    from chainrule.utils.cpp_extension import load

    with pytest.raises(RuntimeError, match=r"compiled against PyTorch; write the operation in Python"):
        load("name", ["file.cpp"])


# ---- behaviours that packages of research and statistics rely on


@BOTH
def test_functions_carry_attributes_and_weak_references(torch):
    functional = torch.nn.functional
    for function in (functional.relu, functional.tanh, functional.sigmoid):
        function.initializer = "kaiming"
        assert function.initializer == "kaiming"
        del function.initializer
        assert not hasattr(function, "initializer")
        assert weakref.ref(function)() is function


@BOTH
def test_a_size_is_a_tree(torch):
    pytree = importlib.import_module(f"{torch.__name__}.utils._pytree")
    assert pytree.tree_flatten((torch.Size([2, 3]), 4))[0] == [2, 3, 4]
    assert type(pytree.tree_map(lambda n: n, torch.Size([2]))) is tuple


@BOTH
def test_distributions_expand_into_an_instance_of_a_subclass(torch):
    """A subclass with another __init__ makes the instance and leaves the rest to its parent."""

    class Diagonal(torch.distributions.Independent):
        def __init__(self, loc, scale):
            super().__init__(torch.distributions.Normal(loc, scale), 1)

        def expand(self, batch_shape, new=None):
            return super().expand(batch_shape, self._get_checked_instance(Diagonal, new))

    class Shifted(torch.distributions.Normal):
        def __init__(self, loc):
            super().__init__(loc, torch.ones_like(loc))
            self.shift = 2 * loc

        def expand(self, batch_shape, new=None):
            new = self._get_checked_instance(Shifted, new)
            new.shift = self.shift.expand(batch_shape)
            return super().expand(batch_shape, new)

    many = Diagonal(torch.zeros(3), torch.ones(3)).expand((4,))
    assert (type(many), many.batch_shape, many.event_shape, many.mean.shape) == (Diagonal, (4,), (3,), (4, 3))
    shifted = Shifted(torch.ones(1)).expand((2, 5))
    assert (type(shifted), shifted.shift.shape, shifted.mean.shape) == (Shifted, (2, 5), (2, 5))


@BOTH
def test_a_distribution_with_another_init_must_expand_itself(torch):
    class Scaled(torch.distributions.Normal):
        def __init__(self, loc):
            super().__init__(loc, loc)
            self.extra = loc + 1

    with pytest.raises(NotImplementedError, match=r"Subclass Scaled of .* that defines a custom __init__"):
        Scaled(torch.ones(2)).expand((3, 2))


@BOTH
def test_functorch_as_it_was(torch):
    functorch = importlib.import_module("functorch" if torch is reference else "chainrule.functorch")
    torch.manual_seed(0)
    x = torch.randn(4, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function, parameters = functorch.make_functional(torch.nn.Linear(3, 2))
        gradient = functorch.grad(lambda p, x: function(p, x).square().sum())
        each = functorch.vmap(gradient, (None, 0))(parameters, x)
        norm = torch.nn.Sequential(torch.nn.BatchNorm1d(3))
        with_buffers, own, buffers = functorch.make_functional_with_buffers(norm.eval())
        ensemble = functorch.combine_state_for_ensemble([torch.nn.Linear(3, 2) for _ in range(5)])
        together = functorch.vmap(ensemble[0], (0, 0, None))(*ensemble[1:], x)
        with pytest.raises(RuntimeError, match=r"make_functional\(model\): `model` has buffers"):
            functorch.make_functional(norm)
    whole = gradient(parameters, x)
    assert [p.requires_grad for p in (*parameters, *ensemble[1])] == [True, True, False, False]
    assert [torch.allclose(a.sum(0), b, atol=1e-5) for a, b in zip(each, whole, strict=True)] == [True, True]
    assert torch.allclose(with_buffers(own, buffers, x), norm(x))
    assert (together.shape, together.requires_grad) == ((5, 4, 2), False)


@BOTH
def test_whether_a_transform_runs(torch):
    active = importlib.import_module(f"{torch.__name__}._C")._are_functorch_transforms_active
    seen = [active()]

    def square(x):
        seen.append(active())
        return x * x

    torch.func.grad(square)(torch.ones(()))
    torch.func.vmap(square)(torch.ones(2))
    assert (seen, active()) == ([False, True, True], False)


@BOTH
def test_questions_about_programs_that_none_records(torch):
    fake = importlib.import_module(f"{torch.__name__}._subclasses.fake_tensor")
    proxies = importlib.import_module(f"{torch.__name__}.fx.experimental.proxy_tensor")
    assert not fake.is_fake(torch.ones(2))
    assert not isinstance(torch.ones(2), fake.FakeTensor)
    assert proxies.get_proxy_mode() is None
    assert issubclass(torch.fx.GraphModule, torch.nn.Module)
    assert issubclass(torch.jit.TracerWarning, Warning)


@BOTH
def test_a_loader_of_another_class_is_iterated(torch):
    """As fastai does it: PyTorch's iterators with a loader that only has the attributes."""
    loading = importlib.import_module(f"{torch.__name__}.utils.data.dataloader")

    class Numbers:
        _dataset_kind = loading._DatasetKind.Iterable
        _IterableDataset_len_called, _auto_collation, drop_last, in_order = None, False, False, True
        generator, prefetch_factor, persistent_workers, pin_memory, pin_memory_device = None, None, False, False, ""
        num_workers, timeout, worker_init_fn, multiprocessing_context = 0, 0, None, None
        _index_sampler = range(10)
        _get_shared_seed = None

        def __init__(self):
            self.dataset = self

        def __iter__(self):
            return iter([1, 2, 3])

        def collate_fn(self, sample):
            return sample * 10

    assert list(loading._SingleProcessDataLoaderIter(Numbers())) == [10, 20, 30]
    assert torch.utils.data.DataLoader([1])._dataset_kind == loading._DatasetKind.Map


def test_the_far_side_of_distributed():
    from chainrule.distributed.elastic.multiprocessing.errors import record

    assert not importlib.import_module("chainrule.distributed.autograd").is_available()
    assert record(len) is len
    with pytest.raises(RuntimeError, match="error_handler"):
        record(print, error_handler=object())


@BOTH
@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")  # PyTorch's own use of its own old names
def test_derivatives_of_derivatives_where_nothing_is_recorded(torch):
    """As curvature libraries do it: Hessian times vector, forward over reverse, under no_grad."""
    func = torch.func
    x = torch.tensor([1.0, 2.0])

    def cubes(x):
        return (x**3).sum()

    with torch.no_grad():
        for gradient in (func.grad(cubes), func.jacrev(cubes)):
            value, product = func.jvp(gradient, (x,), (torch.ones(2),))
            assert (value.tolist(), product.tolist(), product.requires_grad) == ([3.0, 12.0], [6.0, 12.0], False)
        hessian = func.vmap(lambda v: func.jvp(func.grad(cubes), (x,), (v,))[1])(torch.eye(2))
    assert hessian.tolist() == [[6.0, 0.0], [0.0, 12.0]]


@BOTH
def test_tensors_one_after_another(torch):
    tensors = [torch.arange(6.0).reshape(2, 3).t(), torch.tensor(7.0)]
    flat = torch._utils._flatten_dense_tensors(tensors)
    assert flat.tolist() == [0.0, 3.0, 1.0, 4.0, 2.0, 5.0, 7.0]
    first, second = torch._utils._unflatten_dense_tensors(flat, tensors)
    assert (first.tolist(), second.tolist()) == (tensors[0].tolist(), 7.0)
    first.mul_(2)
    assert flat.tolist()[:3] == [0.0, 6.0, 2.0]


@BOTH
def test_a_condition_that_is_a_tensor(torch):
    torch._assert_async(torch.tensor(2.0))
    for bad, words in ((torch.tensor(0), "single nonzero value, but got zero"), (torch.ones(2), "more than one value")):
        with pytest.raises(RuntimeError, match=words):
            torch._assert_async(bad)
    with pytest.raises(RuntimeError, match="words"):
        torch._assert_async(torch.tensor(False), "words")
