"""Device "meta": tensors with a shape and no elements, and models that are built on it."""

import copy
import io
import pickle
import subprocess
import sys
import warnings

import pytest
import torch as reference

import chainrule
from both import agree

MAKERS = {
    "empty": lambda t: t.empty(2, 3, device="meta"),
    "empty of a list": lambda t: t.empty([2, 3], dtype=t.int64, device=t.device("meta")),
    "zeros of 40 TB": lambda t: t.zeros(10**13, device="meta"),
    "full": lambda t: t.full((2,), 3, device="meta"),
    "randint": lambda t: t.randint(0, 5, (2,), device="meta"),
    "normal": lambda t: t.normal(0.0, 1.0, (2,), device="meta"),
    "strided": lambda t: t.empty_strided((2, 3), (1, 2), device="meta"),
    "channels last": lambda t: t.empty(1, 2, 3, 4, device="meta", memory_format=t.channels_last),
    "arange": lambda t: t.arange(3, device="meta"),
    "tensor": lambda t: t.tensor([1.0, 2.0], device="meta", requires_grad=True),
    "like": lambda t: t.zeros_like(t.ones(2, 3).t(), device="meta", dtype=t.float64),
    "new": lambda t: t.ones(2, dtype=t.int32).new_zeros(3, 4, device="meta"),
    "moved": lambda t: t.ones(2, 3).t().to("meta"),
    "moved to another": lambda t: t.ones(2).to(t.empty(1, dtype=t.float64, device="meta")),
    "parameter": lambda t: t.nn.Parameter(t.empty(2, device="meta")),
}
RESULTS = {
    "arithmetic": lambda t, x: 1 - x**2 + t.tensor(1.0),
    "comparison": lambda t, x: x == x,
    "product": lambda t, x: x @ x.t(),
    "views": lambda t, x: [x.view(3, 2).t(), x[0], *x.unbind(), *x.chunk(2, 1), x.T],
    "reductions": lambda t, x: [x.sum(), *x.max(0)],
    "joined": lambda t, x: t.cat([x, x]),
    "converted": lambda t, x: [x.double(), x.to(t.int32), x.clone().detach(), x.data],
    "written": lambda t, x: [x.uniform_(), x.copy_(t.ones(2, 3)), x.add_(1), x.zero_()],
    "like": lambda t, x: [t.empty_like(x, dtype=t.int32), x.new_ones(2), t.rand_like(x)],
    "on the CPU": lambda t, x: [t.zeros_like(x, device="cpu"), x.new_zeros(3, device="cpu")],
    "embedding": lambda t, x: t.nn.Embedding(3, 2, device="meta")(t.empty(4, dtype=t.int64, device="meta")),
    "LSTM": lambda t, x: t.nn.LSTM(3, 4, device="meta")(x)[0],
    "initialised": lambda t, x: t.nn.init.orthogonal_(x),
}
REFUSALS = {
    "item": lambda t, x: x[0, 0].item(),
    "truth": lambda t, x: bool(x[0, 0]),
    "float": lambda t, x: float(x[0, 0]),
    "tolist": lambda t, x: x.tolist(),
    "numpy": lambda t, x: x.numpy(),
    "cpu": lambda t, x: x.cpu(),
    "to": lambda t, x: x.to("cpu"),
    "copied out": lambda t, x: t.ones(2, 3).copy_(x),
    "mixed": lambda t, x: x + t.ones(2, 3),
    "mixed the other way": lambda t, x: t.ones(2, 3) + x,
    "module": lambda t, x: t.nn.Linear(2, 3, device="meta").to("cpu"),
}


def told(value):
    """What is to be known of it: how it is shown, and its layout."""
    if isinstance(value, (list, tuple)):
        return [told(item) for item in value]
    if isinstance(value, (chainrule.Tensor, reference.Tensor)):
        return repr(value), str(value.device), value.is_meta, str(value.dtype), tuple(value.shape), value.stride()
    return value


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_makers(make):
    agree(lambda t: told(make(t)))


@pytest.mark.parametrize("program", RESULTS.values(), ids=RESULTS)
def test_results(program):
    def layouts(t):
        rows = told(program(t, t.empty(2, 3, device="meta")))
        return [row[1:] for row in ([rows] if isinstance(rows, tuple) else rows)]  # grad_fn has another name

    agree(layouts)


@pytest.mark.parametrize("program", REFUSALS.values(), ids=REFUSALS)
def test_refusals(program):
    agree(lambda t: program(t, t.empty(2, 3, device="meta")), words=5)


def test_what_depends_on_elements_raises():
    x = chainrule.empty(3, device="meta")
    for program in (x.nonzero, lambda: x[x > 0], lambda: chainrule.equal(x, x)):
        with pytest.raises(NotImplementedError):
            program()


def test_files_and_pickles():
    """A file of meta tensors has their layouts; map_location="meta" takes only layouts out of any file."""

    def program(t):
        layer, whole = t.nn.Linear(2, 3, device="meta"), t.arange(6.0)
        file = io.BytesIO()
        t.save({"layer": layer.state_dict(), "weight": layer.weight, "views": [whole[2:], whole.view(2, 3).t()]}, file)
        found = []
        for options in ({}, {"map_location": "meta"}, {"map_location": t.device("meta")}):
            file.seek(0)
            found.append(told(list(t.load(file, **options)["layer"].values())))
            file.seek(0)
            found.append(told(t.load(file, **options)["views"]))
            file.seek(0)
            weight = t.load(file, **options)["weight"]
            found.append((isinstance(weight, t.nn.Parameter), weight.requires_grad, told(weight)))
        return found, told(pickle.loads(pickle.dumps(layer.weight.t())))

    agree(program)


def test_files_cross_over():
    for writer, reader in ((chainrule, reference), (reference, chainrule)):
        file = io.BytesIO()
        writer.save(writer.nn.Linear(2, 3, device="meta").state_dict(), file)
        file.seek(0)
        assert str(reader.load(file)["weight"].device) == "meta"


def test_a_model_larger_than_the_memory():
    with chainrule.device("meta"):
        layer = chainrule.nn.Linear(10**6, 10**6)
    assert layer.bfloat16().weight.dtype is chainrule.bfloat16
    assert layer.to(chainrule.float16).weight.nbytes == 2 * 10**12
    assert chainrule.zeros_like(layer.weight).clone().is_meta


@pytest.mark.parametrize("places", [("cpu", "meta"), ("meta", "cpu")])
@pytest.mark.parametrize("attribute", ["data", "grad"])
def test_attributes_of_another_device(places, attribute):
    def program(t):
        here, there = (t.empty(2, device=place) for place in places)
        setattr(here, attribute, there)

    agree(program, words=12)


def test_default_device():
    def program(t):
        places = []
        with t.device("meta"):
            places += [t.ones(2).device, t.tensor([1.0]).device, t.get_default_device(), t.ones(1, device="cpu").device]
            with t.device("cpu"):
                places += [t.ones(2).device]
            places += [t.arange(2).device, t.Tensor(2, 3).device]
        t.set_default_device("meta")
        places += [t.ones(2).device]
        t.set_default_device(None)
        return [str(place) for place in (*places, t.ones(2).device)]

    agree(program)


def test_a_model_takes_its_parameters_from_a_checkpoint():
    def program(t):
        t.manual_seed(0)
        make = lambda: t.nn.Sequential(t.nn.Linear(2, 3), t.nn.BatchNorm1d(3))  # noqa: E731
        saved = make().state_dict()
        with t.device("meta"):
            model = make()
        after = t.rand(1).item()  # nothing was drawn
        shapes = [(name, str(p.device), tuple(p.shape)) for name, p in model.state_dict().items()]
        shape = tuple(model(t.empty(4, 2, device="meta")).shape)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.load_state_dict(saved)
        model.load_state_dict(saved, assign=True)
        return after, shapes, shape, str(caught[0].message), model.eval()(t.ones(1, 2)), list(model.parameters())

    agree(program)


def test_moving_modules():
    def program(t):
        model = t.nn.Linear(2, 3).to("meta")
        shown = repr(model.weight), isinstance(model.weight, t.nn.Parameter), repr(copy.deepcopy(model).bias)
        state = dict(t.nn.Linear(2, 3).state_dict())
        called = t.func.functional_call(model, state, t.ones(1, 2)).shape
        filled = model.to_empty(device="cpu").weight
        t.nn.init.ones_(filled)
        return shown, tuple(called), filled, type(filled).__name__

    agree(program)


def test_no_address():
    agree(lambda t: t.empty(2, device="meta").data_ptr())


def test_gradients_are_there_too():
    def program(t):
        model = t.nn.Linear(2, 3, device="meta")
        model(t.empty(4, 2, device="meta")).sum().backward()
        return told(model.weight.grad)

    agree(program)


class Mine:
    """A subclass of each library's Tensor, and one that is asked about every call."""

    def __new__(cls, t):
        class Plain(t.Tensor):
            pass

        class Asked(t.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                return super().__torch_function__(function, types, args, kwargs or {})

        return Plain, Asked


def test_gradients_stay_there():
    """Those that hooks, custom Functions, autograd.grad and .grad see; what a hook makes itself is on the CPU."""

    def program(t):
        seen = []

        class Double(t.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * 2

            @staticmethod
            def backward(ctx, g):
                seen.extend([told(g)[1:], told(ctx.saved_tensors[0])[1:], str(t.ones(1).device)])
                return g * 2

        x = t.empty(2, 3, device="meta", requires_grad=True)
        y = Double.apply((x @ x.t()).softmax(1))
        y.register_hook(lambda g: seen.extend([told(g)[1:], str(t.ones(1).device)]))
        x.register_hook(lambda g: g * 2)
        y.sum().backward()
        (x * x).sum().backward()
        seen.append(told(x.grad)[1:])
        for create in (False, True):
            seen.append(told(t.autograd.grad((x * x.exp()).sum(), x, create_graph=create)[0])[1:])
        return seen, type(x) is t.Tensor, x.grad is x.grad

    agree(program)


def test_subclasses_stay_there():
    def program(t):
        found = []
        for kind in Mine(t):
            x = t.empty(2, device="meta").as_subclass(kind)
            made = t.Tensor._make_subclass(kind, t.empty(2, device="meta"), True)
            (made * 2).sum().backward()
            for value in (x, x + 1, x.exp().sum(), made, made.grad, t.nn.Parameter(x).data):
                found.append((type(value).__name__, str(value.device), tuple(value.shape)))
        return found

    agree(program)


PLACED = {
    "asarray": lambda t, d: t.asarray([1.0], device=d),
    "fftfreq": lambda t, d: t.fft.fftfreq(4, device=d),
    "kaiser_window": lambda t, d: t.kaiser_window(5, device=d),
    "hann_window": lambda t, d: t.hann_window(5, device=d),
    "logspace": lambda t, d: t.logspace(0, 1, 3, device=d),
    "tril_indices": lambda t, d: t.tril_indices(3, 3, device=d),
    **{
        f"signal {name}": lambda t, d, name=name: getattr(t.signal.windows, name)(5, device=d)
        for name in (
            "bartlett",
            "blackman",
            "cosine",
            "exponential",
            "gaussian",
            "hamming",
            "hann",
            "kaiser",
            "nuttall",
        )
    },
}


@pytest.mark.parametrize("make", PLACED.values(), ids=PLACED)
def test_makers_in_python(make):
    def program(t):
        with t.device("meta"):
            inside = make(t, None)
        return told([make(t, "meta"), inside])

    agree(program)


@pytest.mark.parametrize(
    "program",
    [
        lambda t, x: t.nn.functional.one_hot(x.long(), 4),
        lambda t, x: t.multinomial(x, 2),
        lambda t, x: t.linalg.cholesky(x @ x.t()).shape,
        lambda t, x: t.linalg.solve(x @ x.t(), x).shape,
        lambda t, x: f"{x.sum()}",
        lambda t, x: [x.data_ptr(), x[1].data_ptr()],
        lambda t, x: 1.0 in x,
        lambda t, x: x.__dlpack__(),
        lambda t, x: x.share_memory_(),
        lambda t, x: t.mul(x, 2, out=t.empty(2, 3)),
        lambda t, x: t.zeros(2, 3).__setitem__(0, x[0]),
    ],
)
def test_what_needs_no_elements(program):
    def run(t):
        result = program(t, t.empty(2, 3, device="meta"))
        return told(result)[1:] if isinstance(result, t.Tensor) else result

    agree(run, words=4)


def test_elementwise_results_take_no_memory():
    def program(t):
        x, y = t.empty(2**20, 2**20, device="meta"), t.empty(2**20, device="meta")
        return told([x + y, (x * 2).exp_(), x.t().clone(), t.ones_like(x) > 0])

    agree(program)


def test_storages():
    def program(t):
        found = []
        for args in ((), (0,), (100,), ([1, 2, 3],)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                storages = t.UntypedStorage(*args, device="meta"), t.TypedStorage(*args, device="meta", dtype=t.float64)
                found += [(s.device.type, s.nbytes(), s.size(), s.data_ptr()) for s in storages]
                storages[1].resize_(10)
                found.append(storages[1].size())
        x = t.empty(2, 3, device="meta")
        return found, x.untyped_storage().nbytes(), x.untyped_storage().device.type

    agree(program)


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("use", [lambda s: s[0], lambda s: s.tolist(), lambda s: s.cpu(), lambda s: s.share_memory_()])
def test_storages_have_no_elements(use):
    agree(lambda t: use(t.TypedStorage([1, 2], device="meta", dtype=t.float32)), words=3)
    agree(lambda t: use(t.UntypedStorage(4, device="meta")), words=3)


@pytest.mark.parametrize(
    "product",
    [
        lambda t, x, w: x @ w,
        lambda t, x, w: t.mm(x, w),
        lambda t, x, w: t.nn.functional.linear(x, w.t()),
        lambda t, x, w: t.bmm(x[None], w[None]),
    ],
)
def test_a_layer_takes_matrices_of_the_cpu(product):
    """PyTorch gives memory of the CPU as it was found, but for bmm."""
    x, w = chainrule.ones(5, 3), chainrule.nn.Parameter(chainrule.empty(3, 2, device="meta"))
    y = product(chainrule, x, w)
    assert y.is_meta
    assert y.shape[-2:] == (5, 2)
    y.sum().backward()
    assert w.grad is not None
    assert w.grad.is_meta
    with pytest.raises(RuntimeError, match="is not on the expected device"):
        product(chainrule, x.requires_grad_(), w)


@pytest.mark.parametrize(
    "write",
    [
        lambda t, x: x.__setitem__(0, 0),
        lambda t, x: x.__setitem__((0, slice(1)), 0.5),
        lambda t, x: x.__setitem__(t.tensor([0, 1]), 0),
        lambda t, x: x.__setitem__((t.tensor([0, 1]), 0), t.tensor(0.0)),
        lambda t, x: x.__setitem__(0, t.ones(4, device="meta")),
        lambda t, x: x.__setitem__(Ellipsis, t.ones(3, 4)),
        lambda t, x: t.zeros(3, 4).__setitem__(0, x[0]),
        lambda t, x: t.nn.init.sparse_(x, 0.5),
    ],
)
def test_assignment(write):
    """Of a number it went round in circles."""

    def run(t):
        x = t.empty(3, 4, device="meta")
        write(t, x)
        return told(x)

    agree(run)


@pytest.mark.parametrize(
    "function",
    [
        lambda t, x: t.bincount(x.long()),
        lambda t, x: t.histogram(x, 3),
        lambda t, x: t.histogram(x, x),
        lambda t, x: t.repeat_interleave(x, x.long()),
        lambda t, x: t.repeat_interleave(x.long()),
        lambda t, x: t.repeat_interleave(x, x.long(), output_size=5),
        lambda t, x: t.repeat_interleave(x.long(), output_size=5),
        lambda t, x: x[None].repeat_interleave(x.long(), 1, output_size=5),
        lambda t, x: x.repeat_interleave(2),
    ],
)
def test_results_of_unknown_size(function):
    """They were of the size that was found in memory."""

    def run(t):
        return tuple(function(t, t.empty(3, device="meta")).shape)

    agree(run, words=0)


@pytest.mark.parametrize("pool", ["adaptive_avg_pool1d", "adaptive_max_pool1d", "interpolate"])
def test_pools_make_no_windows(pool):
    """They made one for each output, 32 bytes of real memory."""
    program = f"""
import chainrule as t
options = {{"mode": "area"}} if "{pool}" == "interpolate" else {{}}
x = t.ones(1, 1, 5, device="meta", requires_grad=True)
y = getattr(t.nn.functional, "{pool}")(x, 2**25, **options)
y.sum().backward()
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(*y.shape, *x.grad.shape, int(peak) < 700_000)
"""
    printed = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert printed == "1 1 33554432 1 1 5 True\n"


def test_factors_before_all_others():
    """Nothing is calculated, so the library of the kernels is not asked whether it is loaded."""
    program = "import chainrule as t; x = t.ones(3, 3, device='meta'); print([*t.linalg.lu_factor(x)[0].shape])"
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "[3, 3]\n"
