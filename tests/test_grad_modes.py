"""Modes of recording, and what a tensor says about its own part in a graph, against PyTorch."""

from __future__ import annotations

import threading
import warnings

import pytest

import chainrule
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")


def records(torch):
    return (torch.ones(1, requires_grad=True) * 2).requires_grad


def decorated(torch, mode):
    @mode
    def function():
        return records(torch), torch.is_grad_enabled()

    return function(), function(), torch.is_grad_enabled(), function.__name__


def generator(torch, mode):
    @mode
    def numbers():
        got = yield torch.is_grad_enabled()
        got = yield (torch.is_grad_enabled(), got)
        return torch.is_grad_enabled()

    made, seen = numbers(), []
    seen.append((next(made), torch.is_grad_enabled()))
    seen.append((made.send("sent"), torch.is_grad_enabled()))
    try:
        next(made)
    except StopIteration as stop:
        seen.append(stop.value)
    return seen


def thrown_into(torch, mode):
    @mode
    def numbers():
        try:
            yield 1
        except KeyError:
            yield torch.is_grad_enabled()

    made = numbers()
    next(made)
    return made.throw(KeyError()), torch.is_grad_enabled()


def class_decorated(torch, mode):
    class Model:
        def __init__(self):
            self.inside = torch.is_grad_enabled()

        def method(self):
            return torch.is_grad_enabled()

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        made = mode(Model)
    return made().inside, made().method(), [w.category.__name__ for w in seen]


def raising(torch, mode):
    try:
        with mode:
            raise KeyError
    except KeyError:
        return torch.is_grad_enabled(), torch.is_inference_mode_enabled()


MODES = {
    "no_grad": lambda torch: torch.no_grad(),
    "enable_grad": lambda torch: torch.enable_grad(),
    "set_grad_enabled(False)": lambda torch: torch.set_grad_enabled(False),
    "set_grad_enabled(True)": lambda torch: torch.set_grad_enabled(True),
    "inference_mode": lambda torch: torch.inference_mode(),
    "inference_mode(False)": lambda torch: torch.inference_mode(False),
}


@pytest.mark.parametrize("outside", [True, False])
@pytest.mark.parametrize("use", [decorated, generator, thrown_into, class_decorated, raising])
@pytest.mark.parametrize("mode", MODES)
def test_modes(mode, use, outside):
    def program(torch):
        with torch.set_grad_enabled(outside):
            return use(torch, MODES[mode](torch))

    agree(program)


@pytest.mark.parametrize("first", MODES)
@pytest.mark.parametrize("second", MODES)
def test_nested_modes(first, second):
    def program(torch):
        seen = []
        with MODES[first](torch):
            seen.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))
            with MODES[second](torch):
                seen.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled(), records(torch)))
            seen.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))
        return seen, torch.is_grad_enabled(), torch.is_inference_mode_enabled()

    agree(program)


def test_decorators_without_parentheses():
    def program(torch):
        return [decorated(torch, mode) for mode in (torch.no_grad, torch.enable_grad, torch.inference_mode)]

    agree(program)


def test_set_grad_enabled_as_a_function():
    def program(torch):
        before = torch.is_grad_enabled()
        torch.set_grad_enabled(False)
        inside = records(torch)
        torch.set_grad_enabled(True)
        return before, inside, records(torch)

    agree(program)


def test_a_thread_starts_with_recording_on():
    def program(torch):
        seen = []
        with torch.no_grad():
            thread = threading.Thread(target=lambda: seen.append((torch.is_grad_enabled(), records(torch))))
            thread.start()
            thread.join()
            seen.append(torch.is_grad_enabled())
        return seen

    agree(program)


# ---- tensors of inference mode

INFERENCE = {
    "flags": lambda torch, x: (x.is_inference(), x.requires_grad, x.is_leaf, torch.ones(1).is_inference()),
    "saved": lambda torch, x: torch.ones(2, requires_grad=True) * x,
    "added": lambda torch, x: (torch.ones(2, requires_grad=True) + x).requires_grad,
    "written outside": lambda torch, x: x.add_(1),
    "written by no_grad": lambda torch, x: under(torch.no_grad(), lambda: x.add_(1)),
    "requires_grad_": lambda torch, x: x.requires_grad_(),
    "version": lambda torch, x: x._version,
    "cloned": lambda torch, x: x.clone().is_inference(),
    "viewed": lambda torch, x: x[0].is_inference(),
    "written inside": lambda torch, x: under(torch.inference_mode(), lambda: x.add_(1)).clone(),
}


def under(mode, function):
    with mode:
        return function()


@pytest.mark.parametrize("case", INFERENCE)
def test_tensors_of_inference_mode(case):
    def program(torch):
        with torch.inference_mode():
            x = torch.ones(2) * 3
        return INFERENCE[case](torch, x)

    agree(program, words=3)


# ---- a tensor's own part

TENSORS = {
    "leaves": lambda torch, x, y: [t.is_leaf for t in (x, y, x.detach(), x.data, torch.ones(1), y.detach())],
    "requires_grad_ of a result": lambda torch, x, y: y.requires_grad_(False),
    "requires_grad of integers": lambda torch, x, y: torch.ones(2, dtype=torch.int64).requires_grad_(),
    "requires_grad = ": lambda torch, x, y: setattr(y, "requires_grad", False),
    "retain_grad of a leaf": lambda torch, x, y: (x.retain_grad(), x.retains_grad),
    "retain_grad": lambda torch, x, y: (y.retain_grad(), y.retains_grad, y.sum().backward(), y.grad, x.grad),
    "retain_grad of a constant": lambda torch, x, y: y.detach().retain_grad(),
    "detach_": lambda torch, x, y: (y.detach_(), y.requires_grad, y.is_leaf, y.grad_fn),
    "detach_ of a view": lambda torch, x, y: y[0].detach_(),
    "writing data": lambda torch, x, y: (x.data.mul_(5), x, x._version),
    "assigning data": lambda torch, x, y: (setattr(x, "data", torch.zeros(2)), x, x.requires_grad),
    "assigning grad": lambda torch, x, y: (setattr(x, "grad", torch.full((2,), 7.0)), y.sum().backward(), x.grad),
    "grad of another shape": lambda torch, x, y: setattr(x, "grad", torch.ones(3)),
    "grad of another dtype": lambda torch, x, y: setattr(x, "grad", torch.ones(2, dtype=torch.float64)),
    "grad that is no tensor": lambda torch, x, y: setattr(x, "grad", 3),
    "grad that is itself": lambda torch, x, y: setattr(x, "grad", x),
    "grad None": lambda torch, x, y: (y.sum().backward(), setattr(x, "grad", None), x.grad),
    "grad_dtype": lambda torch, x, y: str(x.grad_dtype),
}


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")
@pytest.mark.parametrize("case", TENSORS)
def test_a_tensors_own_part(case):
    def program(torch):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        return TENSORS[case](torch, x, x * 3)

    agree(program, words=2)


def test_gradients_of_another_dtype():
    def program(torch):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        x.grad_dtype = torch.float64
        x.grad = torch.ones(2, dtype=torch.float64)
        return str(x.grad_dtype), x.grad

    agree(program)


def test_gradients_of_any_dtype():
    def program(torch, function):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        x.grad_dtype = None
        function(x).sum().backward()
        return x.grad

    agree(lambda torch: program(torch, lambda x: x.double()))  # a conversion's gradient has its input's dtype
    agree(lambda torch: program(torch, lambda x: x * torch.ones(2, dtype=torch.float64)))


def test_a_gradient_of_the_wrong_dtype():
    def program(torch):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        x.grad_dtype = torch.bfloat16
        x.grad = torch.ones(2)

    agree(program, words=25)


def test_modes_are_shown_where_they_are():
    with chainrule.no_grad():
        assert not chainrule.is_grad_enabled()
    assert chainrule.is_grad_enabled()


def test_what_a_mode_remembers():
    def program(torch):
        mode, switch = torch.no_grad(), torch.set_grad_enabled(True)
        with mode:
            inside = mode.prev
        return inside, switch.prev, switch.mode, repr(switch)

    agree(program)


def test_anomaly_detection_can_be_asked_for():
    def program(torch):
        found = [torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()]
        with torch.autograd.set_detect_anomaly(True, check_nan=False):
            found += [torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()]
        return [*found, torch.is_anomaly_enabled()]

    agree(program)


def test_grad_dtype_of_what_is_no_leaf():
    def program(torch, use):
        return use(torch.ones(2, requires_grad=True) * 2)

    agree(lambda torch: program(torch, lambda y: y.grad_dtype), words=5)
    agree(lambda torch: program(torch, lambda y: setattr(y, "grad_dtype", torch.float64)), words=5)
    agree(lambda torch: setattr(torch.ones(2, requires_grad=True), "grad_dtype", "a"), words=5)


def test_backward_on_one_thread():
    def program(torch):
        x = torch.ones(2, requires_grad=True)
        with torch.autograd.set_multithreading_enabled(False):
            (x * x).sum().backward()
        return x.grad

    agree(program)


def plain(torch):
    return torch.no_grad()


def inferring(torch):
    return torch.inference_mode()


@pytest.mark.parametrize("mode", [plain, inferring])
@pytest.mark.parametrize("computed", [True, False])
def test_views_made_without_recording(mode, computed):
    """They require a gradient where their base does, and none arrives."""

    def program(torch, use):
        x = torch.ones(2, requires_grad=True)
        base = x.clone() if computed else x
        with mode(torch):
            view = base[:]
            further = view.view(2, 1)
        return use(base, view, further)

    def shown(base, view, further):
        y = view * 2
        return [view.requires_grad, view.is_leaf, further.requires_grad, y.requires_grad, y.grad_fn.next_functions[0]]

    agree(lambda torch: program(torch, shown))
    for write in (
        lambda base, view, further: view.add_(1),
        lambda base, view, further: further.add_(1),
        lambda base, view, further: view[:1].add_(1),
        lambda base, view, further: (base.mul_(2), view.grad_fn),
        lambda base, view, further: view.numpy(),
    ):
        agree(lambda torch, write=write: program(torch, write), words=12)


def test_a_view_from_before_its_base_required_a_gradient():
    def program(torch):
        x = torch.ones(2)
        view = x[:]
        x.requires_grad_()
        return view.add_(1)

    agree(program, words=10)


@pytest.mark.parametrize("required", [True, False])
def test_views_of_inference_tensors(required):
    def program(torch):
        with torch.inference_mode():
            x = torch.ones(1, 2, requires_grad=required)
            x.resize_(1, 2)
        y = x.view(2)
        pieces = x.split(1, 1)
        return [y.is_inference(), y.requires_grad, y._is_view(), y.is_leaf, pieces[0].requires_grad]

    agree(program)


def test_inference_tensors_as_results():
    def program(torch, required):
        x = torch.ones(2, requires_grad=required)
        with torch.inference_mode():
            y = torch.ones(2)
        return torch.mul(x, x, out=y)

    agree(lambda torch: program(torch, False), words=9)
    agree(lambda torch: program(torch, True))


def test_switches():
    def program(torch):
        found = []
        with torch.autograd.set_multithreading_enabled(False):
            found.append(torch.autograd.is_multithreading_enabled())
        x = torch.ones(2, 3, 4, 5).contiguous(memory_format=torch.channels_last).requires_grad_()
        for on in (True, False):
            with torch.autograd.enforce_grad_layout_policy(on):
                x.grad = None
                (x * torch.ones(2, 3, 4, 5).sin()).sum().backward()
            found.append(x.grad.stride() == x.stride() if on else None)
        return [*found, torch.autograd.is_multithreading_enabled()]

    agree(program)
