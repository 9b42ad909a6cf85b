"""Device "meta": tensors with a shape and no elements, and models that are built on it."""

import copy
import io
import pickle
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
