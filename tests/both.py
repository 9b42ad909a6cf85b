"""Runs one program on chainrule and on PyTorch and compares what comes out of it."""

import gc
import math
import os
import re
import sys
import warnings

import pytest
import torch as reference

import chainrule

# What PyTorch warns about and chainrule has no reason to: its cycles are collected, its cuts are remembered.
_KNOWN_WARNINGS = (
    r"Using backward\(\) with create_graph=True will create a reference cycle"
    r"|Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior"
)


# Such a build takes its own time and keeps what was freed, to find uses of it.
unless_sanitized = pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""), reason="time and memory are not those of the sanitized build"
)


@pytest.fixture
def no_leaks():
    """Fails a test after which more tensors or nodes live than before it."""
    # pytest keeps the last failure, with the tensors of its frames, until the next test is called.
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        vars(sys).pop(name, None)
    gc.collect()
    gc.freeze()  # what lives now need not be looked at again below
    before = chainrule._core.live_tensors(), chainrule._core.live_nodes()
    yield
    gc.collect()
    assert (chainrule._core.live_tensors(), chainrule._core.live_nodes()) == before


class Raised:
    """What remains of an exception: its class and its words, without the layer and the line that chainrule adds."""

    def __init__(self, error: Exception):
        self.kind, self.text = type(error), re.split(r"\n  (?:at|In) ", str(error))[0]

    def __repr__(self) -> str:
        return f"{self.kind.__name__}: {self.text}"


def plain(value):
    """The value without its library: tensors become (dtype, shape, requires_grad, numbers)."""
    if isinstance(value, (chainrule.Tensor, reference.Tensor)):
        detached = value.detach()
        return ("tensor", str(value.dtype), tuple(value.shape), value.requires_grad, detached.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def close(a, b, tolerance: float) -> bool:
    """Whether two plain values are equal, floating-point numbers up to the tolerance."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(close(x, y, tolerance) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(close(a[key], b[key], tolerance) for key in a)
    if isinstance(a, (float, complex)) and isinstance(b, (float, complex)):
        return a == b or (a != a and b != b) or abs(a - b) <= tolerance * max(1.0, abs(b)) or _both_infinite(a, b)
    return type(a) is type(b) and a == b


def _both_infinite(a, b) -> bool:
    return isinstance(a, float) and isinstance(b, float) and math.isinf(a) and a == b


def outcome(program, library):
    """What the program returns for this library, or what it raises."""
    library.manual_seed(0)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", _KNOWN_WARNINGS)
        if library is reference:
            warnings.simplefilter("ignore", DeprecationWarning)  # PyTorch's own use of its own old names
        try:
            return plain(program(library))
        except Exception as error:
            return Raised(error)


def same_words(ours: str, theirs: str, count: int) -> bool:
    """Whether two messages begin with the same `count` words."""
    return ours.split()[:count] == theirs.split()[:count]


def agree(program, tolerance: float = 2e-6, words: int = 0) -> None:
    """The program gives the same values on both libraries, or raises the same class (and first words) on both."""
    ours, theirs = outcome(program, chainrule), outcome(program, reference)
    if isinstance(ours, Raised) and isinstance(theirs, Raised):
        assert ours.kind is theirs.kind, f"chainrule {ours!r}\nPyTorch {theirs!r}"
        assert same_words(ours.text, theirs.text, words), f"chainrule {ours!r}\nPyTorch {theirs!r}"
        return
    assert not isinstance(ours, Raised), f"chainrule raised {ours!r}\nPyTorch gave {theirs!r}"
    assert not isinstance(theirs, Raised), f"PyTorch raised {theirs!r}\nchainrule gave {ours!r}"
    assert close(ours, theirs, tolerance), f"chainrule {ours!r}\nPyTorch {theirs!r}"
