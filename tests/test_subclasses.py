"""Subclasses of Tensor, attributes, weak references, copying and pickling."""

import copy
import gc
import pickle
import weakref

import pytest
import torch as reference

import chainrule
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")


class Mine(chainrule.Tensor):
    """A user's own class."""

    def doubled(self):
        return self * 2


class Narrower(Mine):
    pass


def make(cls=Mine, *values, requires_grad=False):
    return chainrule.Tensor._make_subclass(cls, chainrule.tensor(list(values) or [1.0, 2.0, 3.0]), requires_grad)


OPERATIONS = {
    "operator": lambda x: x + 1,
    "reversed operator": lambda x: 1 - x,
    "with a tensor": lambda x: chainrule.ones(3) * x,
    "function": lambda x: chainrule.exp(x),
    "method": lambda x: x.sin(),
    "reduction": lambda x: x.sum(),
    "comparison": lambda x: x > 1,
    "view": lambda x: x.view(3, 1),
    "index": lambda x: x[0],
    "array index": lambda x: x[[0, 1]],
    "property": lambda x: x[None].T,
    "cat": lambda x: chainrule.cat([x, x]),
    "where": lambda x: chainrule.where(x > 0, x, x),
    "matmul": lambda x: x @ x,
    "clone": lambda x: x.clone(),
    "detach": lambda x: x.detach(),
    "data": lambda x: x.data,
    "dtype": lambda x: x.double(),
    "to": lambda x: x.to(chainrule.float64),
    "its own method": lambda x: x.doubled(),
    "one of several": lambda x: x.unbind()[0],
    "max with indices": lambda x: x.max(0)[0],
    "iteration": lambda x: next(iter(x)),
    "in place": lambda x: x.add_(1),
    "like": lambda x: chainrule.zeros_like(x),
}


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS.keys())
@pytest.mark.parametrize("requires_grad", [False, True])
def test_operations_keep_the_class(operation, requires_grad):
    x = make(requires_grad=requires_grad)
    if requires_grad and operation is OPERATIONS["in place"]:
        x = x * 1
    assert type(operation(x)) is Mine


def test_the_narrowest_class_wins():
    assert type(make(Mine) + make(Narrower)) is Narrower
    assert type(make(Narrower) + make(Mine)) is Narrower
    assert type(chainrule.ones(3) + make(Narrower)) is Narrower


def test_gradients_flow_through_subclasses():
    x = make(requires_grad=True)
    y = (x.doubled() * x)[1:].sum()
    assert y.grad_fn.name() == "SumBackward0"
    y.backward()
    assert x.grad.tolist() == [0.0, 8.0, 12.0]


def test_writes_through_views_of_a_subclass():
    x = make(requires_grad=True)
    y = x * 1
    y[0].mul_(5)
    view = y[1:]
    view += 1
    (y * y).sum().backward()
    assert x.grad.tolist() == [50.0, 6.0, 8.0]


def test_a_subclass_of_a_leaf_is_a_leaf():
    x = make(requires_grad=True)
    assert (type(x), x.is_leaf, x.requires_grad, x.grad_fn) == (Mine, True, True, None)


def test_make_subclass_shares_memory():
    data = chainrule.ones(3)
    x = chainrule.Tensor._make_subclass(Mine, data)
    x.add_(1)
    assert data.tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("arguments", [(int, "data"), ("data", "data"), (Mine, 3)], ids=["int", "no class", "no data"])
def test_make_subclass_refuses_nonsense(arguments):
    arguments = [chainrule.ones(3) if a == "data" else a for a in arguments]
    with pytest.raises(TypeError):
        chainrule.Tensor._make_subclass(*arguments)


def test_make_subclass_refuses_gradients_of_integers():
    agree(lambda torch: torch.Tensor._make_subclass(torch.Tensor, torch.tensor([1]), True), words=4)


def test_as_subclass():
    x = chainrule.ones(3, requires_grad=True)
    y = x.as_subclass(Mine)
    assert type(y) is Mine
    assert y.requires_grad
    (y * y).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]


def test_a_subclass_with_its_own_constructor():
    class Scaled(chainrule.Tensor):
        def __new__(cls, values, scale):
            made = chainrule.Tensor._make_subclass(cls, chainrule.tensor(values))
            made.scale = scale
            return made

        def __init__(self, values, scale):
            self.seen = True

    x = Scaled([1.0, 2.0], 3)
    assert (x.scale, x.seen, x.tolist()) == (3, True, [1.0, 2.0])
    assert not hasattr(x * 2, "scale")  # as in PyTorch, attributes stay with their tensor


def test_subclasses_may_override_operators():
    class Loud(chainrule.Tensor):
        def __add__(self, other):
            return "added"

        def __radd__(self, other):
            return "added from the right"

    x = chainrule.Tensor._make_subclass(Loud, chainrule.ones(2))
    assert x + 1 == "added"
    assert 1 + x == "added from the right"
    assert chainrule.ones(2) + x == "added from the right"


def test_changing_the_class_in_place():
    x = make(Mine)
    x.__class__ = Narrower
    assert type(x) is Narrower
    assert type(x + 1) is Narrower


def test_repr_of_a_subclass():
    assert repr(make()) == repr(reference.Tensor._make_subclass(_ReferenceMine, reference.tensor([1.0, 2.0, 3.0])))


class _ReferenceMine(reference.Tensor):
    pass


_ReferenceMine.__name__ = "Mine"


# ---- attributes and weak references


def test_attributes():
    x = chainrule.ones(2)
    x.note = {"a": 1}
    assert x.__dict__ == {"note": {"a": 1}}
    assert x.note == {"a": 1}
    del x.note
    assert not hasattr(x, "note")
    with pytest.raises(AttributeError):
        _ = x.note


def test_properties_cannot_be_overwritten():
    x = chainrule.ones(2)
    for name in ("shape", "dtype", "grad_fn", "is_leaf", "_version"):
        with pytest.raises(AttributeError):
            setattr(x, name, None)


def test_methods_can_be_added_to_the_class():
    chainrule.Tensor.tripled = lambda self: self * 3
    try:
        assert chainrule.ones(2).tripled().tolist() == [3.0, 3.0]
        assert make().tripled().tolist() == [3.0, 6.0, 9.0]
    finally:
        del chainrule.Tensor.tripled


def test_weak_references_and_hashing():
    x = chainrule.ones(2)
    table = weakref.WeakValueDictionary({"key": x})
    assert table["key"] is x
    assert {x: 1}[x] == 1
    assert len({x, chainrule.ones(2)}) == 2
    del x
    gc.collect()
    assert len(table) == 0


# ---- copying and pickling


def test_copy():
    x = chainrule.ones(2, requires_grad=True)
    x.note = [1]
    y = copy.copy(x)
    assert y is not x
    assert (y.tolist(), y.requires_grad, y.note is x.note) == ([1.0, 1.0], True, True)


DEEP = {
    "leaf": lambda torch: torch.tensor([1.0, 2.0], requires_grad=True),
    "constant": lambda torch: torch.tensor([1, 2]),
    "view": lambda torch: torch.arange(6.0).reshape(2, 3)[:, 1],
    "non-leaf": lambda torch: torch.tensor([1.0], requires_grad=True) * 2,
    "scalar": lambda torch: torch.tensor(3.0),
    "empty": lambda torch: torch.zeros(0, 3),
}


@pytest.mark.parametrize("make_tensor", DEEP.values(), ids=DEEP.keys())
def test_deepcopy(make_tensor):
    def program(torch):
        x = make_tensor(torch)
        y = copy.deepcopy(x)
        with torch.no_grad():
            if y.numel():
                y.fill_(7)
        return x, y, y.requires_grad, y.is_leaf

    agree(program, words=8)


def test_deepcopy_keeps_gradients_attributes_and_class():
    x = make(requires_grad=True)
    x.note = "kept"
    x.sum().backward()
    y = copy.deepcopy(x)
    assert (type(y), y.note, y.grad.tolist()) == (Mine, "kept", [1.0, 1.0, 1.0])
    assert y.grad is not x.grad


def test_deepcopy_copies_attributes_deeply():
    def program(torch):
        x = torch.ones(2)
        x.note = [1]
        y = copy.deepcopy(x)
        y.note.append(2)
        return x.note, y.note

    agree(program)


def test_deepcopy_of_shared_tensors_keeps_them_shared():
    x = chainrule.ones(2)
    a, b = copy.deepcopy([x, x])
    assert a is b


def test_functions_and_dtypes_can_be_pickled():
    for value in (
        chainrule.sin,
        chainrule.cat,
        chainrule.float32,
        chainrule.bfloat16,
        chainrule.device("cpu"),
        chainrule.no_grad,
    ):
        again = pickle.loads(pickle.dumps(value))
        assert again is value or again == value
    assert pickle.loads(pickle.dumps(chainrule.Size([2, 3]))) == chainrule.Size([2, 3])
    assert copy.deepcopy(chainrule.float32) is chainrule.float32


@pytest.mark.parametrize("torch", [chainrule, reference], ids=["chainrule", "pytorch"])
def test_a_parameters_own_way_gives_plain_tensors(torch):
    """What recorders of graphs call for functions that they do not want to see again."""

    class Recorded(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return torch.nn.Parameter.__torch_function__(func, types, args, kwargs or {})

    x = torch.ones(1, 2).as_subclass(Recorded)
    y = torch.nn.functional.linear(x, torch.nn.Parameter(torch.ones(3, 2)))
    assert (type(y), y.tolist()) == (torch.Tensor, [[2.0, 2.0, 2.0]])
