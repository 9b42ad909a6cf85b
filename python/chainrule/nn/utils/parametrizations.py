"""Ready-made parametrizations: orthogonal matrices, weight norm, spectral norm."""

from __future__ import annotations

import importlib
from typing import Any

from ... import _core
from ..._core import Tensor
from ...autograd.grad_mode import no_grad
from ...error_words import at_call
from ...type_info import finfo
from ..functional.normalization import normalize
from ..modules.module import Module
from .parametrize import register_parametrization
from .spectral_norm import matrix_of, usual_dim
from .weight_norm import norm_except_dim, normalised

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

_functions = _core.functions
_MAPS = ("matrix_exp", "cayley", "householder")


def _linalg() -> Any:
    return importlib.import_module("chainrule.linalg")


def _given_weight(module: Module, name: str) -> Tensor:
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise at_call(ValueError, f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


# ---- orthogonal matrices


def _is_orthogonal(q: Tensor) -> bool:
    n, k = q.shape[-2:]
    unit = _functions["eye"](k, dtype=q.dtype, device=q.device)
    return bool(((q.mH @ q - unit).abs() <= 10.0 * n * finfo(q.dtype).eps + 1e-5 * unit.abs()).all())


def _make_orthogonal(a: Tensor) -> Tensor:
    """The factor Q of a QR decomposition whose R has a positive diagonal."""
    q, r = _linalg().qr(a)
    return q * r.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _Orthogonal(Module):
    base: Tensor | None

    def __init__(self, weight: Tensor, orthogonal_map: str, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise at_call(ValueError, "The householder parametrization does not support complex tensors.")
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x: Tensor) -> Tensor:
        transposed = x.shape[-2] < x.shape[-1]
        x = x.mT if transposed else x
        q = self._householder(x) if self.orthogonal_map == "householder" else self._from_skew(x)
        if "base" in self._buffers:
            q = self.base @ q  # type: ignore[operator]
        return q.mT if transposed else q

    def _householder(self, x: Tensor) -> Tensor:
        a = x.tril(-1)
        tau = 2.0 / (1.0 + (a * a).sum(-2))
        q = _linalg().householder_product(a, tau)
        return q * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    def _from_skew(self, x: Tensor) -> Tensor:
        n, k = x.shape[-2:]
        x = x.tril()
        if n != k:
            x = _functions["cat"]([x, x.new_zeros(n, n - k).expand(*x.shape[:-2], -1, -1)], -1)
        a = x - x.mH
        if self.orthogonal_map == "matrix_exp":
            q = _linalg().matrix_exp(a)
        else:
            unit = _functions["eye"](n, dtype=a.dtype, device=a.device)
            q = _linalg().solve(unit - a * 0.5, unit + a * 0.5)
        return q[..., :k] if n != k else q

    @no_grad()
    def right_inverse(self, q: Tensor) -> Tensor:
        if q.shape != self.shape:
            raise at_call(
                ValueError,
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {q.shape}.",
            )
        given = q
        transposed = q.shape[-2] < q.shape[-1]
        q = q.mT if transposed else q
        n, k = q.shape[-2:]
        if "base" not in self._buffers:
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            a, tau = _functions["geqrf"](q)
            diagonal = a.diagonal(dim1=-2, dim2=-1)
            diagonal.copy_(_functions["where"](tau == 0.0, -diagonal.sign(), diagonal.sign()))
            return a.mT if transposed else a
        if n == k:
            q = q.clone() if _is_orthogonal(q) else _make_orthogonal(q)
        else:
            more = _functions["randn"](*q.shape[:-2], n, n - k, dtype=q.dtype, device=q.device)
            q = _make_orthogonal(_functions["cat"]([q, more], -1))
        self.base = q
        start = _functions["zeros_like"](given)
        start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return start


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Keeps a matrix orthogonal: "matrix_exp" or "cayley" of a skew matrix, or a product of "householder" reflections.

    Args:
        use_trivialization: multiply by a fixed orthogonal matrix, so that any matrix can be assigned.

    >>> layer = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(3, 3))
    >>> torch.allclose(layer.weight @ layer.weight.T, torch.eye(3), atol=1e-5)
    True
    """
    weight = _given_weight(module, name)
    if weight.ndim < 2:
        raise at_call(ValueError, f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in _MAPS:
        raise at_call(
            ValueError, f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    parametrization = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    return register_parametrization(module, name, parametrization, unsafe=True)


# ---- weight norm


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return normalised(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int = 0) -> Module:
    """Length and direction of a weight as two parameters; `dim` keeps lengths apart, None: one length for all.

    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
    >>> layer.parametrizations.weight.original0.shape
    torch.Size([2, 1])
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def take_old_names(state_dict: Any, prefix: str, *others: Any) -> None:
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(take_old_names)
    return module


# ---- spectral norm


class _SpectralNorm(Module):
    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        ndim = weight.ndim
        if not -ndim <= dim < ndim:
            raise at_call(
                IndexError, f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise at_call(
                ValueError,
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}",
            )
        self.dim, self.eps = dim % ndim, eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = matrix_of(weight, self.dim)
            u = matrix.new_empty(matrix.shape[0]).normal_(0, 1)
            v = matrix.new_empty(matrix.shape[1]).normal_(0, 1)
            self.register_buffer("_u", normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", normalize(v, dim=0, eps=eps))
            self._power_method(matrix, 15)

    @no_grad()
    def _power_method(self, matrix: Tensor, n_power_iterations: int) -> None:
        for _ in range(n_power_iterations):
            self._u.copy_(normalize(matrix.mv(self._v), dim=0, eps=self.eps))
            self._v.copy_(normalize(matrix.H.mv(self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = matrix_of(weight, self.dim)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()  # the next iteration overwrites what backward will read
        return weight / _functions["vdot"](u, matrix.mv(v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """A weight divided by its largest singular value, which power iteration approaches in each forward of training.

    >>> layer = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(3, 2))
    >>> layer.weight.shape
    torch.Size([2, 3])
    """
    weight = _given_weight(module, name)
    dim = usual_dim(module) if dim is None else dim
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
