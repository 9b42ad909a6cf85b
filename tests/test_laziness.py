"""Every clever way of calculating (Note [Thresholds]) gives the bits of the plain one, whoever looks on."""

from __future__ import annotations

import re
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest
import torch

import chainrule
from chainrule import _core
from programs.__main__ import differs_from_pytorch, laziness_shows
from programs.execute import make_program

CORE = Path(__file__).parent.parent / "core"
LARGE = 300_000  # more than the size from which operations wait

SETTINGS = ["usual", "least", "never"]


@pytest.fixture(params=SETTINGS)
def setting(request):
    before = _core.get_thresholds()
    chainrule.set_thresholds(request.param)
    yield request.param
    chainrule.set_thresholds(before)


def test_the_setting_is_one_of_three():
    with pytest.raises(ValueError, match=r"usual.*least.*never"):
        chainrule.set_thresholds("seldom")


# ---- Random programs


@pytest.mark.parametrize("block", range(20))
def test_random_programs_at_both_ends(block):
    before = _core.get_thresholds()
    try:
        for seed in range(25 * block, 25 * (block + 1)):
            program = make_program(seed)
            assert laziness_shows(program) is None, program
            if seed % 5 == 0:
                assert differs_from_pytorch(program) is None, program
    finally:
        chainrule.set_thresholds(before)


# Found among 100,000: a leaf on both sides of a minus, whose gradients were added in another order.
@pytest.mark.parametrize("seed", [1040359, 1066162, 1082499, 1082729])
def test_sums_are_formed_in_the_same_order(seed):
    before = _core.get_thresholds()
    try:
        assert laziness_shows(make_program(seed)) is None
    finally:
        chainrule.set_thresholds(before)


# ---- The engine calls Python, and Python leaves operations waiting


def function_of(torch):
    class Through(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return g * 1

    return Through.apply


def tensor_hook(torch, x):
    y = x * 2
    y.register_hook(lambda g: g * 5)
    return y * 3


def leaf_hook(torch, x):
    x.register_hook(lambda g: g * 5)
    return x * 3


def accumulated_hook(torch, x):
    x.register_post_accumulate_grad_hook(lambda t: setattr(t, "grad", t.grad * 5))
    return x * 3


def prehook(torch, x):
    y = x * 2
    y.grad_fn.register_prehook(lambda gs: (gs[0] * 5,))
    return y * 3


def node_hook(torch, x):
    y = x * 2
    y.grad_fn.register_hook(lambda inputs, outputs: tuple(None if g is None else g * 5 for g in inputs))
    return y * 3 + x


def module_hook(torch, x):
    layer = torch.nn.Identity()
    layer.register_full_backward_hook(lambda module, inputs, outputs: (inputs[0] * 5,))
    return layer(x * 2) * 3


def saved_hook(torch, x):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t * 0.5):
        return x * x + x.sin()


def clipped(torch, x):
    y = x * 2
    y.register_hook(lambda g: g.clamp(-0.5, 0.5))
    return y * 3


WATCHERS = [
    lambda torch, x: function_of(torch)(x * 2) * 3,
    tensor_hook, leaf_hook, accumulated_hook, prehook, node_hook, module_hook, saved_hook, clipped,
]  # fmt: skip


def gradient(torch, watcher, n):
    x = torch.linspace(-1, 1, n, dtype=torch.float64).reshape(-1, 2).clone().requires_grad_()
    watcher(torch, x).sum().backward()
    return x.grad.numpy()


@pytest.mark.parametrize("watcher", WATCHERS)
@pytest.mark.parametrize("n", [6, LARGE])
def test_gradients_behind_python(watcher, n, setting):
    np.testing.assert_allclose(gradient(chainrule, watcher, n), gradient(torch, watcher, n), rtol=1e-12, atol=1e-15)


def test_samples_whose_gradient_is_written_in_python():
    concentration = chainrule.full((LARGE,), 2.0, requires_grad=True)
    chainrule.manual_seed(1)
    sample = chainrule.distributions.Gamma(concentration, chainrule.ones(LARGE)).rsample()
    sample.sum().backward()
    small = chainrule.full((100,), 2.0, requires_grad=True)
    chainrule.manual_seed(1)
    chainrule.distributions.Gamma(small, chainrule.ones(100)).rsample().sum().backward()
    assert chainrule.equal(concentration.grad[:100], small.grad)


def test_anomaly_mode_sees_what_is_added_in_place(setting):
    x = chainrule.zeros(LARGE, requires_grad=True)
    y = (x * 3).sum() + x.sqrt().sum() * 0
    with warnings.catch_warnings(), chainrule.autograd.set_detect_anomaly(True):
        warnings.simplefilter("ignore")
        with pytest.raises(RuntimeError, match="nan"):
            y.backward()


def test_numpy_writes_through_data(setting):
    x = chainrule.ones(LARGE)
    array = x.data.numpy()
    y = x * 2
    array += 1
    assert y.sum().item() == 2 * LARGE


def test_a_gradient_in_memory_of_numpy_stays_as_it_is(setting):
    mine = np.ones(LARGE, np.float32)
    x = chainrule.ones(LARGE, requires_grad=True)
    y = x * 1
    y.register_hook(lambda g: chainrule.from_numpy(mine))
    (y * 2 + y * 3 + x * 4).sum().backward()
    assert (mine == 1).all()


def test_a_number_that_waits_is_read(setting):
    x = chainrule.tensor(2.0) * 1.5
    assert chainrule.add(chainrule.ones(3), chainrule.ones(3), alpha=x.detach() * 2).tolist() == [7.0, 7.0, 7.0]


def test_a_tensor_dies_when_it_is_let_go(setting):
    x = chainrule.ones(LARGE)
    y = x * 2
    seen = weakref.ref(x), weakref.ref(y)
    z = y + 1
    del x, y
    assert [r() for r in seen] == [None, None]
    assert z.sum().item() == 3 * LARGE


def test_a_finalizer_may_calculate(setting):
    source, results = chainrule.ones(LARGE), []
    short_lived = chainrule.ones(3)
    weakref.finalize(short_lived, lambda: results.append(source * 3)).atexit = False
    box = [short_lived]
    del short_lived
    source.cumsum_(Index(box))
    assert results[0].sum().item() == 3 * LARGE


class Index:
    """A number that lets go of a tensor while it is asked."""

    def __init__(self, box):
        self.box = box

    def __index__(self):
        self.box.clear()
        return 0


# ---- A pass that fails leaves no part of a sum behind


def leave(torch):
    x = torch.ones(3, requires_grad=True)
    w = torch.ones(3, requires_grad=True)

    def refuse(g):
        raise ValueError("no")

    early = x * 2
    early.register_hook(refuse)
    total = early.sum() + (x * 3).sum() + (w * 5).sum()
    with pytest.raises(ValueError, match="no"):
        total.backward()
    return [None if t.grad is None else t.grad.tolist() for t in (x, w)]


def test_a_failed_pass(setting):
    assert leave(chainrule) == leave(torch)


# ---- The rule itself, read from the sources

# Whatever of Python's API can run the user's code.
CALLS = re.compile(
    r"\b(PyObject_(?:Call|Vectorcall|CallObject|CallNoArgs|CallOneArg|CallMethod|CallFunctionObjArgs|IsTrue)|"
    r"PyNumber_Index|PyFloat_AsDouble|PyErr_WarnEx|PyErr_CheckSignals|"
    r"PySequence_(?:Fast|List|Tuple|GetItem|Size))\("
)
# These only look for the words of an error or of a document, at the very end of a call.
WORDS_ONLY = {"source_line.cpp", "errors.cpp", "anomaly.cpp", "help.cpp", "signature.cpp"}
WRAPPED = re.compile(r"(?:from_python|number_from_python|handed_on)\(\s*$")


def test_the_core_settles_when_it_comes_back_from_python():
    """See Note [Who may see a waiting buffer]."""
    bare = []
    for path in CORE.rglob("*.[ch]pp"):
        text = path.read_text()
        if path.name in WORDS_ONLY:
            continue
        for call in CALLS.finditer(text):
            line = text[text.rfind("\n", 0, call.start()) + 1 : text.find("\n", call.start())]
            before = text[max(0, call.start() - 40) : call.start()]
            following = text[call.start() : call.start() + 400]
            settled_after = re.search(
                r"settle\(\)|from_python\(found\)|handed_on\(|Py_RETURN_NONE|return nullptr;", following
            )
            if not WRAPPED.search(before) and "from_python(" not in line and not settled_after:
                bare.append(f"{path.name}: {line.strip()}")
    assert bare == []
