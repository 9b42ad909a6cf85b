"""Classes that take operations over with __torch_function__."""

from __future__ import annotations

import copy

import pytest
import torch as reference

import chainrule
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")


def logging_class(torch):
    """A subclass that writes down what it is asked: the function's name and the classes of the arguments."""

    class Logged(torch.Tensor):
        log: list = []  # noqa: RUF012

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if getattr(func, "__name__", "") != "__get__":  # chainrule's properties are not asked for
                shown = [type(a).__name__ for a in args]
                cls.log.append((func.__name__, shown, sorted(kwargs or {}), [t.__name__ for t in types]))
            return super().__torch_function__(func, types, args, kwargs)

    return Logged


def logged(torch):
    return torch.tensor([1.0, 2.0, 3.0]).as_subclass(logging_class(torch))


ASKED = {
    "x + 1": lambda torch, x, y: x + 1,
    "1 + x": lambda torch, x, y: 1 + x,
    "y + x": lambda torch, x, y: y + x,
    "x - y": lambda torch, x, y: x - y,
    "1 - x": lambda torch, x, y: 1 - x,
    "x * 2": lambda torch, x, y: x * 2,
    "x / y": lambda torch, x, y: x / y,
    "x % 2": lambda torch, x, y: x % 2,
    "x ** 2": lambda torch, x, y: x**2,
    "2 ** x": lambda torch, x, y: 2**x,
    "x // 2": lambda torch, x, y: x // 2,
    "2 // x": lambda torch, x, y: 2 // x,
    "x @ y": lambda torch, x, y: x @ y,
    "y @ x": lambda torch, x, y: y @ x,
    "-x": lambda torch, x, y: -x,
    "abs(x)": lambda torch, x, y: abs(x),
    "x < 1": lambda torch, x, y: x < 1,
    "1 < x": lambda torch, x, y: x > 1,
    "x == y": lambda torch, x, y: x == y,
    "x != 1": lambda torch, x, y: x != 1,
    "x[0]": lambda torch, x, y: x[0],
    "x[0] = 1": lambda torch, x, y: x.__setitem__(0, 1.0),
    "add": lambda torch, x, y: torch.add(x, 1),
    "add by name": lambda torch, x, y: torch.add(input=y, other=x),
    "method": lambda torch, x, y: x.add(1, alpha=2),
    "method of another": lambda torch, x, y: y.add(x),
    "in place": lambda torch, x, y: x.add_(1),
    "cat": lambda torch, x, y: torch.cat([y, x]),
    "sum": lambda torch, x, y: x.sum(),
    "max": lambda torch, x, y: torch.max(x, dim=0)[0],
    "view": lambda torch, x, y: x.view(3, 1),
    "unbind": lambda torch, x, y: x.unbind()[0],
    "clone": lambda torch, x, y: x.clone(),
    "detach": lambda torch, x, y: x.detach(),
    "where": lambda torch, x, y: torch.where(y > 0, x, y),
    "zeros_like": lambda torch, x, y: torch.zeros_like(x),
    "size": lambda torch, x, y: x.size(),
    "as data": lambda torch, x, y: torch.as_tensor(x),
}


@pytest.mark.parametrize("use", ASKED.values(), ids=ASKED.keys())
def test_what_is_asked(use):
    def program(torch):
        x = logged(torch)
        result = use(torch, x, torch.ones(3))
        kind = type(result).__name__
        return type(x).log, kind, result.as_subclass(torch.Tensor) if isinstance(result, torch.Tensor) else result

    agree(program)


def test_in_place_operators():
    def program(torch):
        x = logged(torch)
        x += 1
        x *= 2
        return type(x).__name__, [name for name, *_ in type(x).log], x.as_subclass(torch.Tensor)

    agree(program)


def test_any_object_may_have_a_say():
    class Symbol:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__, len(args)

    def program(torch):
        s, y = Symbol(), torch.ones(2)
        return torch.add(y, s), y + s, s + y, torch.cat([y, s]), torch.relu(s), y.add(s), torch.mean(s, dim=0)

    agree(program)


def test_handlers_by_function():
    """The pattern of PyTorch's documentation: a table of functions."""

    def program(torch):
        handled = {torch.mean: lambda t: "mean", torch.Tensor.add: lambda a, b: "added"}

        class Diagonal:
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return handled[func](*args, **(kwargs or {})) if func in handled else NotImplemented

        d = Diagonal()
        return torch.mean(d), torch.ones(2) + d

    agree(program)


def test_nobody_answers():
    def program(torch):
        class Silent(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return NotImplemented

        return torch.add(torch.ones(2).as_subclass(Silent), 1)

    agree(program, words=8)


def test_an_operator_that_nobody_answers():
    def program(torch):
        class Silent(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return NotImplemented

        return torch.ones(2).as_subclass(Silent) + 1

    agree(program, words=4)


def test_subclasses_are_asked_first():
    def program(torch):
        asked = []

        def make(base, name, answers):
            def ask(cls, func, types, args=(), kwargs=None):
                asked.append((name, [t.__name__ for t in types]))
                return name if answers else NotImplemented

            return type(name, (base,), {"__torch_function__": classmethod(ask)})

        base = make(torch.Tensor, "Base", True)
        narrow = make(base, "Narrow", False)
        other = make(torch.Tensor, "Other", True)
        a, b, c = (torch.ones(1).as_subclass(k) for k in (base, narrow, other))
        return torch.add(a, b), torch.add(c, a), torch.cat([a, b, c]), asked

    agree(program)


def test_an_error_of_a_handler_goes_through():
    class Broken(chainrule.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            raise KeyError(func.__name__)

    x = chainrule.ones(2).as_subclass(Broken)
    for use in (lambda: x + 1, lambda: 1 - x, lambda: x.sin(), lambda: chainrule.sin(x), lambda: x[0], lambda: x == 1):
        with pytest.raises(KeyError):
            use()


def test_gradients_flow_through_a_logging_class():
    x = chainrule.tensor([1.0, 2.0], requires_grad=True)
    y = x.as_subclass(logging_class(chainrule))
    ((y * y).sum() * 3).backward()
    assert x.grad.tolist() == [6.0, 12.0]


def test_classes_without_a_say():
    class Plain(chainrule.Tensor):
        __torch_function__ = chainrule.overrides._disabled_torch_function_impl

    x = chainrule.ones(2).as_subclass(Plain)
    assert type(x) is Plain
    assert type(x + 1) is chainrule.Tensor
    with chainrule.DisableTorchFunctionSubclass():
        assert type(logged(chainrule) + 1) is chainrule.Tensor
    assert type(copy.deepcopy(x)) is Plain


def test_metadata_survives_operations():
    """PyTorch's example of a tensor with metadata."""

    class Tagged(chainrule.Tensor):
        @staticmethod
        def __new__(cls, data, tag):
            made = chainrule.as_tensor(data).as_subclass(cls)
            made.tag = tag
            return made

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            result = super().__torch_function__(func, types, args, kwargs)
            tags = [a.tag for a in args if hasattr(a, "tag")]
            if isinstance(result, cls) and tags:
                result.tag = tags[0]
            return result

    x = Tagged([1.0, 2.0], "metres")
    assert (x * 2 + 1).tag == "metres"
    assert chainrule.exp(x).tag == "metres"


def test_wrap_torch_function():
    overrides = chainrule.overrides

    @overrides.wrap_torch_function(lambda a, b: (a, b))
    def joined(a, b):
        return "plain"

    class Own:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return "taken over", func is joined

    assert joined(1, 2) == "plain"
    assert joined(1, Own()) == ("taken over", True)
    assert overrides.has_torch_function((1, Own()))
    assert not overrides.has_torch_function((1, chainrule.ones(2)))
    assert overrides.is_tensor_like(Own())
    assert overrides.is_tensor_like(chainrule.ones(1))
    assert not overrides.is_tensor_like(1)
    assert overrides.is_tensor_method_or_property(chainrule.Tensor.add)
    assert not overrides.is_tensor_method_or_property(chainrule.add)


def test_has_torch_function_matches_pytorch():
    class Own:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return None

    def program(torch):
        has = torch.overrides.has_torch_function
        return has((torch.ones(1),)), has((1, "a")), has((Own(),)), has((torch.nn.Parameter(torch.ones(1)),))

    agree(program)


def test_reference_class_for_comparison():
    """The same class written for PyTorch logs the same names: the helper above compares like with like."""
    assert type(logged(reference)).__name__ == type(logged(chainrule)).__name__ == "Logged"


# ---- lists of functions


def test_names_of_functions_that_can_be_taken_over():
    torch = chainrule  # noqa: F841  (what the names begin with)
    listed = chainrule.overrides.get_overridable_functions()
    for functions in listed.values():
        for function in functions:
            assert eval(chainrule.overrides.resolve_name(function)) == function
    assert chainrule.Tensor.add in listed[chainrule.Tensor]
    assert chainrule.overrides.get_testing_overrides()[chainrule.add](1, other=2) == -1
    assert chainrule.ones in chainrule.overrides.get_ignored_functions()


def test_a_parameter_of_a_class_with_a_say_is_asked():
    def program(torch):
        lazy = torch.nn.UninitializedParameter()
        module = torch.nn.Module()
        module.register_parameter("lazy", lazy)
        module.half()
        with pytest.raises(ValueError, match="uninitialized parameter"):
            torch.add(lazy, lazy)
        with pytest.raises(ValueError, match="uninitialized parameter"):
            torch.empty_like(lazy)
        return str(lazy.dtype)

    agree(program)


def test_unrelated_classes_are_not_mixed():
    def program(torch):
        class One(torch.Tensor):
            pass

        class Other(torch.Tensor):
            pass

        with pytest.raises(TypeError):
            torch.ones(1).as_subclass(One) + torch.ones(1).as_subclass(Other)
        with pytest.raises(TypeError):
            torch.add(torch.ones(1).as_subclass(One), torch.ones(1).as_subclass(Other))

    agree(program)


def test_einsum_asks_other_classes():
    def program(torch):
        class Mine:
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return func.__name__

        return torch.einsum("i,j->ij", Mine(), Mine())

    agree(program)


def test_a_number_is_no_sequence():
    agree(lambda torch: torch.overrides.has_torch_function(object()), words=3)
