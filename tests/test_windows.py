"""Window functions against PyTorch's: signal.windows and the older ones of the torch namespace."""

from __future__ import annotations

import inspect

import pytest
import torch

import chainrule
from oracle import assert_same, assert_same_outcome, outcome

WINDOWS = torch.signal.windows.__all__
OWN = {
    "exponential": [{"tau": 2.5}, {"center": 1.5, "sym": False}, {"center": 1.0}, {"tau": 0}],
    "gaussian": [{"std": 0.7}, {"std": -1.0}],
    "general_cosine": [{"a": [0.5, 0.3, 0.2]}, {"a": [0.4]}, {"a": []}, {"a": 3}, {}],
    "general_hamming": [{"alpha": 0.3}],
    "kaiser": [{"beta": 3.0}, {"beta": 0.0}, {"beta": -1.0}],
}


def test_every_window_is_there():
    assert sorted(chainrule.signal.windows.__all__) == sorted(WINDOWS)


@pytest.mark.parametrize("name", WINDOWS)
def test_window(name):
    for own in OWN.get(name, []) + ([] if name == "general_cosine" else [{}]):
        for size in (0, 1, 2, 5, 8, -1):
            for options in ({}, {"sym": False}, {"dtype": "float64"}, {"dtype": "float16"}, {"dtype": "int64"}):
                compare(name, size, options | own)


def compare(name: str, size: int, options: dict) -> None:
    def run(library):
        kwargs = {k: getattr(library, v) if k == "dtype" else v for k, v in options.items()}
        return getattr(library.signal.windows, name)(size, **kwargs)

    results = outcome(run, chainrule), outcome(run, torch)
    assert_same_outcome(*results, 1.0, f"{name} {size} {options}")
    if results[1][1] is not None:
        # PyTorch names the window that it is a case of, as general_cosine for hann.
        first_words = str(results[1][1]).removeprefix("general_cosine").split(",")[0]
        assert first_words in str(results[0][1])


@pytest.mark.parametrize("name", WINDOWS)
def test_arguments(name):
    mine, reference = (inspect.signature(getattr(m.signal.windows, name)).parameters for m in (chainrule, torch))
    assert list(mine) == list(reference)
    for key, parameter in reference.items():
        assert repr(mine[key].default) == repr(parameter.default)
        assert mine[key].kind == parameter.kind


@pytest.mark.parametrize("name", WINDOWS)
def test_refusals(name):
    window = getattr(chainrule.signal.windows, name)
    needed = {"a": [1.0]} if name == "general_cosine" else {}
    with pytest.raises(ValueError, match="strided tensors only"):
        window(3, layout=chainrule.sparse_coo, **needed)
    with pytest.raises(TypeError, match="unexpected keyword"):
        window(3, phase=1, **needed)


def test_requires_grad():
    assert chainrule.signal.windows.hann(4, requires_grad=True).requires_grad
    assert chainrule.hann_window(4, requires_grad=True).requires_grad


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hann", "hamming", "kaiser"])
def test_older_window(name):
    name += "_window"
    for size in (0, 1, 2, 5, 8, -1):
        for args in ((), (False,)):
            for dtype in ("float32", "float64", "int64"):
                results = (outcome(getattr(m, name), size, *args, dtype=getattr(m, dtype)) for m in (chainrule, torch))
                assert_same_outcome(*results, 1.0, f"{name} {size} {args} {dtype}")


def test_shape_of_older_windows():
    assert_same(chainrule.hamming_window(6, True, 0.6, 0.4), torch.hamming_window(6, True, 0.6, 0.4))
    assert_same(chainrule.kaiser_window(6, False, 3.0), torch.kaiser_window(6, False, 3.0))
