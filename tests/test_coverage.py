"""Nothing goes untried: every public name has a record or a test, and exists in PyTorch with the same arguments."""

from __future__ import annotations

import inspect
import re
import types

import pytest
import torch

import chainrule
from chainrule import _core
from oracle import find
from samples import CREATION, RECORDS

# Lines of the table that serve another public name, by an argument of it.
SERVES = {
    "add_scaled": "add",
    "sub_scaled": "sub",
    "div_floor": "div",
    "div_trunc": "div",
    "round_decimals": "round",
    "gelu_tanh": "gelu",
}

# Names whose result is not a function of tensors alone; each is tried in the file beside it.
ELSEWHERE = {
    "test_creation.py": "empty empty_like new_empty from_numpy range",
    "test_interop.py": "frombuffer",
    "test_storages.py": "untyped_storage is_conj is_neg is_distributed is_same_size is_set_to is_nonzero get_device "
    "const_data_ptr",
    "test_random_streams.py": "rand randn randint randperm rand_like randn_like randint_like normal bernoulli poisson "
    "binomial multinomial uniform_ normal_ log_normal_ cauchy_ exponential_ geometric_ bernoulli_ random_ dropout "
    "feature_dropout alpha_dropout feature_alpha_dropout native_dropout rrelu dropout_ feature_dropout_ "
    "alpha_dropout_ feature_alpha_dropout_ rrelu_",
    "test_views.py": "imag view_as_real requires_grad_ is_contiguous storage_offset stride data_ptr detach_",
    "test_stored_dtypes.py": "chalf",
    "test_dtypes.py": "bfloat16 bool byte cdouble cfloat char double float half int long short is_complex "
    "is_floating_point "
    "is_signed element_size item tolist copy_ fill_ zero_ dim ndimension nelement numel size",
    "test_engine.py": "backward retain_grad",
    "test_composed.py": "chain_matmul",
    "test_linalg.py": "linalg_svd svd linalg_eigh linalg_eig linalg_eigvals linalg_lstsq linalg_cholesky "
    "linalg_cholesky_ex cholesky cholesky_solve cholesky_inverse lu_unpack linalg_lu_solve lu_solve linalg_ldl_factor "
    "linalg_ldl_factor_ex linalg_ldl_solve svd_lowrank pca_lowrank lobpcg qr",
    "test_windows.py": "bartlett_window blackman_window hann_window hamming_window kaiser_window",
    "test_fft.py": "fft_fftfreq fft_rfftfreq istft",
    "test_arguments.py": "cpu to type",
    "test_networks.py": "embedding_renorm_",
    "test_sparse_expressions.py": "sparse_coo_tensor sparse_compressed_tensor sparse_csr_tensor sparse_csc_tensor "
    "sparse_bsr_tensor sparse_bsc_tensor to_sparse to_sparse_coo to_sparse_csr to_sparse_csc to_sparse_bsr "
    "to_sparse_bsc to_dense indices values crow_indices col_indices ccol_indices row_indices coalesce is_coalesced "
    "sparse_dim dense_dim sparse_mask sparse_resize_ sparse_resize_and_clear_ resize_as_sparse_ smm sspaddmm",
    "test_positions.py": "empty_strided new_empty_strided empty_permuted resize_ resize_as_ set_ view_as_real_copy "
    "fill_diagonal_",
}
NAMED_ELSEWHERE = {name for names in ELSEWHERE.values() for name in names.split()}

# Python names that differ from the operator's schema, which is all that can be inspected.
UNINSPECTABLE = {"as_tensor", "linalg_vector_norm", "lu", "unique", "unique_consecutive"}

TRIED = {record.name for record in [*RECORDS, *CREATION]}
PUBLIC = sorted({(form, name) for form, name, _ in _core.signatures() if not name.startswith("_")})


def test_every_line_of_the_table_has_a_record():
    missing = [op["name"] for op in _core.op_table() if SERVES.get(op["name"], op["name"]) not in TRIED]
    assert not missing


def test_every_alias_has_a_record():
    assert not [name for name, _ in _core.op_aliases() if name not in TRIED]


def test_every_name_has_a_record():
    """An in-place name is tried with its op's record."""
    known = TRIED | NAMED_ELSEWHERE
    assert not [name for _, name in PUBLIC if name not in known and name.removesuffix("_") not in TRIED]


@pytest.mark.parametrize(("form", "name"), PUBLIC, ids=lambda value: value)
def test_name_exists_in_pytorch(form, name):
    """As a function of torch, torch.special, torch.linalg or nn.functional, or as a method."""
    if form == "method":
        assert hasattr(torch.Tensor, name)
    else:
        assert find(torch, name)


# ---- arguments


def argument_names(text: str) -> tuple[list[str], list[str]]:
    """Positional and keyword-only names of "f(Tensor input, *, int[2]? dim=None) -> Tensor"."""
    inside = text[text.index("(") + 1 :]
    inside = inside[: inside.rindex(") ->")] if ") ->" in inside else inside[: inside.rindex(")")]
    inside = re.sub(r"\[[^\]]*\]|\([^)]*\)|'[^']*'", "", inside)
    positional: list[str] = []
    keywords: list[str] = []
    target = positional
    for part in filter(None, (p.strip() for p in inside.split(","))):
        if part == "*":
            target = keywords
        else:
            target.append(part.split("=")[0].split()[-1])
    return positional, keywords


def pytorch_signatures(form: str, name: str) -> list[list[str]]:
    """Positional argument names of PyTorch's overloads, those of the Python function or of its operator's schema."""
    function = getattr(torch.Tensor, name) if form == "method" else find(torch, name)
    if inspect.isfunction(function):
        parameters = inspect.signature(function).parameters.values()
        names = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
        return [["input" if n == "self" else n for n in names]]
    rows = [argument_names(str(s))[0] for s in torch._C._jit_get_schemas_for_operator(f"aten::{name}")]
    first = {"self": "input", "x": "input"} if name.startswith("special_") else {"self": "input"}  # ours takes both
    return [[first.get(n, n) for n in row] for row in rows]


INSPECTABLE = [
    (form, name)
    for form, name in PUBLIC
    if name not in UNINSPECTABLE and not name.startswith("atleast_") and pytorch_signatures(form, name)
]


@pytest.mark.parametrize(("form", "name"), INSPECTABLE, ids=lambda value: value)
def test_argument_names(form, name):
    """Each of our overloads takes, by position, what one of PyTorch's takes: the same names in the same order."""
    known = pytorch_signatures(form, name)
    for text in [text for f, n, text in _core.signatures() if (f, n) == (form, name)]:
        mine = argument_names(text)[0]
        if form == "method":
            assert any(sorted(mine) == sorted(row[: len(mine)]) for row in known), f"{text}\nPyTorch: {known}"
        else:
            assert any(mine == row[: len(mine)] for row in known), f"{text}\nPyTorch: {known}"


def test_public_names_exist_in_pytorch():
    """Modules apart: an import of chainrule's own ones puts them beside the names."""
    ours = {name for name in dir(chainrule) if not name.startswith("_")} - set(_core.functions)
    values = {name for name in ours if not isinstance(getattr(chainrule, name), types.ModuleType)}
    beyond = {"explain_none", "nan_guard", "record", "set_thresholds", "load_ipython_extension"}
    assert not [name for name in values - beyond if not hasattr(torch, name)]
