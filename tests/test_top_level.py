"""Names of the top level that are no operations: old storages, files, branches, symbolic numbers, what was removed."""

from __future__ import annotations

import importlib
import math
import pickle
import warnings

import pytest
import torch as reference

import chainrule

BOTH = pytest.mark.parametrize("torch", [chainrule, reference], ids=["chainrule", "torch"])


@BOTH
def test_a_storage_is_an_instance_of_the_class_of_its_dtype(torch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's: the classes are old
        storage = torch.LongStorage([1, 2, 3])
        assert storage.tolist() == [1, 2, 3]
        assert isinstance(storage, torch.LongStorage)
        assert not isinstance(storage, torch.FloatStorage)
        assert isinstance(torch.ones(2).storage(), torch.FloatStorage)
        assert len(torch.DoubleStorage(4)) == 4
        assert issubclass(torch.BoolStorage, torch.TypedStorage)
        with pytest.raises(RuntimeError, match="received an invalid combination of arguments"):
            torch.FloatStorage(1, 2)
        with pytest.raises(TypeError, match="invalid data type 'str'"):
            torch.FloatStorage("ab")


@BOTH
def test_a_file_as_a_tensor(torch, tmp_path):
    path = tmp_path / "numbers"
    torch.from_file(str(path), shared=True, size=3, dtype=torch.int32).copy_(torch.tensor([1, 2, 3]))
    assert path.stat().st_size == 12
    private = torch.from_file(str(path), size=2, dtype=torch.int32)
    private[0] = 7
    assert torch.from_file(str(path), size=3, dtype=torch.int32).tolist() == [1, 2, 3]
    with pytest.raises(RuntimeError, match="size <12> is smaller than the required mapping size <16>"):
        torch.from_file(str(path), size=4)
    with pytest.raises(RuntimeError, match="unable to open file"):
        torch.from_file(str(tmp_path / "none"), size=4)


@BOTH
def test_symbolic_numbers_are_plain_ones(torch):
    assert (torch.sym_int(-2.7), torch.sym_float(2), torch.sym_not(0), torch.sym_sum([1, 2])) == (-2, 2.0, True, 3)
    assert repr((torch.sym_max(2, 1.0), torch.sym_min(2, 3), torch.sym_ite(False, 1, 2))) == "(2.0, 2, 2)"
    assert math.isnan(torch.sym_max(math.nan, 1))
    assert not isinstance(torch.ones(2).shape[0], torch.SymInt)


def test_branches_and_loops():
    """PyTorch compiles both branches first, which takes a while; the words of its errors are compared by hand."""
    torch = chainrule
    x = torch.tensor(2.0, requires_grad=True)
    (gradient,) = torch.autograd.grad(torch.cond(x > 1, lambda t: t * t, lambda t: -t, (x,)), x)
    assert gradient.item() == 4
    count, power = torch.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (torch.tensor(0), x))
    assert (count.item(), power.item()) == (3, 16)
    with pytest.raises(RuntimeError, match="Expected pred to be bool or tensor, but got a"):
        torch.cond("a", int, int)
    with pytest.raises(RuntimeError, match="Expected pred to be bool or single-element tensor"):
        torch.cond(torch.ones(2), int, int)


@BOTH
@pytest.mark.parametrize("name", ["solve", "eig", "symeig", "lstsq", "matrix_rank"])
def test_what_was_removed_says_so(torch, name):
    words = "This function was deprecated since version 1.9 and is now removed"
    with pytest.raises(RuntimeError, match=words):
        getattr(torch, name)(torch.ones(2, 2), torch.ones(2, 2))
    if name != "matrix_rank":
        with pytest.raises(RuntimeError, match=words):
            getattr(torch.ones(2, 2), name)(torch.ones(2, 2))


@BOTH
def test_named_results_are_found_by_pickle(torch):
    result = torch.max(torch.tensor([[1.0, 3.0]]), 1)
    again = pickle.loads(pickle.dumps(result))
    assert type(again) is type(result) is torch.return_types.max is type(torch.ones(2, 2).max(1))
    assert again.values.tolist() == [3.0]


@BOTH
def test_functions_by_their_file(torch):
    assert torch.functional.einsum is torch.einsum
    assert torch.get_device_module() is torch.cpu
    assert torch.random.thread_safe_generator() is None


def test_settings_of_pytorchs_compiler(monkeypatch):
    """Scripts set them without an import."""
    monkeypatch.setattr(chainrule._dynamo.config, "suppress_errors", True)
    monkeypatch.setattr(chainrule._inductor.config.triton, "cudagraphs", True)
    assert importlib.import_module("chainrule._dynamo.config").suppress_errors
