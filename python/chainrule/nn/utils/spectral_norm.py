"""Spectral normalisation by a hook: a weight divided by its largest singular value."""

from __future__ import annotations

from typing import Any, TypeVar

from ..._core import Tensor
from ...autograd.grad_mode import no_grad
from ...error_words import at_call
from ..functional.normalization import normalize
from ..modules.conv import _ConvTransposeNd
from ..modules.module import Module
from ..parameter import Parameter, is_lazy

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]

T = TypeVar("T", bound=Module)


def matrix_of(weight: Tensor, dim: int) -> Tensor:
    """The weight as a matrix whose rows run along `dim`."""
    if dim != 0:
        weight = weight.permute(dim, *(d for d in range(weight.dim()) if d != dim))
    return weight.reshape(weight.shape[0], -1)


def usual_dim(module: Module) -> int:
    """The dimension of a layer's outputs in its weight."""
    return 1 if isinstance(module, _ConvTransposeNd) else 0


class SpectralNorm:
    """The hook that calculates the weight before each forward."""

    _version = 1

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12):
        if n_power_iterations <= 0:
            raise at_call(
                ValueError,
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}",
            )
        self.name, self.dim, self.n_power_iterations, self.eps = name, dim, n_power_iterations, eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """The weight as a matrix."""
        return matrix_of(weight, self.dim)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """The weight over its largest singular value, which power iteration approaches."""
        weight = getattr(module, self.name + "_orig")
        u, v = getattr(module, self.name + "_u"), getattr(module, self.name + "_v")
        matrix = matrix_of(weight, self.dim)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(normalize(matrix.t().mv(u), dim=0, eps=self.eps))
                    u.copy_(normalize(matrix.mv(v), dim=0, eps=self.eps))
                u, v = u.clone(), v.clone()  # the next iteration overwrites what backward will read
        return weight / u.dot(matrix.mv(v))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def remove(self, module: Module) -> None:
        """Makes the weight a parameter again."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for suffix in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def right_vector(self, weight: Tensor, u: Tensor, sigma: Tensor) -> Tensor:
        """v of which u is what one step makes, and for which u @ weight @ v is sigma."""
        matrix = matrix_of(weight, self.dim)
        v = (matrix.t().mm(matrix).pinverse() @ matrix.t() @ u.unsqueeze(1)).squeeze(1)
        return v * (sigma / u.dot(matrix.mv(v)))


class _NoteVersion:
    def __init__(self, norm: SpectralNorm):
        self.norm = norm

    def __call__(self, module: Module, state_dict: Any, prefix: str, local_metadata: dict) -> None:
        versions = local_metadata.setdefault("spectral_norm", {})
        key = self.norm.name + ".version"
        if key in versions:
            raise at_call(RuntimeError, f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.norm._version


class _LoadOldVersion:
    """Makes a state of the first version, which had the weight itself instead of v, one of today's."""

    def __init__(self, norm: SpectralNorm):
        self.norm = norm

    def __call__(
        self, state_dict: Any, prefix: str, local_metadata: dict, strict: bool, missing: list, *others: Any
    ) -> None:
        version = local_metadata.get("spectral_norm", {}).get(self.norm.name + ".version")
        if version is not None and version >= 1:
            return
        key = prefix + self.norm.name
        if version is None and key not in state_dict and all(key + s in state_dict for s in ("_orig", "_u", "_v")):
            return  # put together by hand, without the version
        absent = [key + suffix for suffix in ("_orig", "", "_u") if key + suffix not in state_dict]
        if absent:
            missing += absent if strict else []
            return
        with no_grad():
            original, weight = state_dict[key + "_orig"], state_dict.pop(key)
            sigma = (original / weight).mean()
            state_dict[key + "_v"] = self.norm.right_vector(original, state_dict[key + "_u"], sigma)


def spectral_norm(
    module: T,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> T:
    """Divides a parameter by its largest singular value before each forward.

    Args:
        n_power_iterations: steps towards it in each forward of training.
        eps: the least length that is divided by.
        dim: the dimension of the outputs in the weight.

    >>> layer = torch.nn.utils.spectral_norm(torch.nn.Linear(2, 1), n_power_iterations=20)
    >>> _ = layer(torch.ones(2))
    >>> round(layer.weight.norm().item(), 4)
    1.0
    """
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            raise at_call(RuntimeError, f"Cannot register two spectral_norm hooks on the same parameter {name}")
    norm = SpectralNorm(name, n_power_iterations, usual_dim(module) if dim is None else dim, eps)
    weight = module._parameters[name]
    if weight is None:
        raise at_call(ValueError, f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    if is_lazy(weight):
        raise at_call(
            ValueError,
            "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run the dummy "
            "forward before applying spectral normalization",
        )
    with no_grad():
        height, width = matrix_of(weight, norm.dim).shape
        u = normalize(weight.new_empty(height).normal_(0, 1), dim=0, eps=eps)
        v = normalize(weight.new_empty(width).normal_(0, 1), dim=0, eps=eps)
    delattr(module, name)
    module.register_parameter(name + "_orig", weight)
    setattr(module, name, weight.data)
    module.register_buffer(name + "_u", u)
    module.register_buffer(name + "_v", v)
    module.register_forward_pre_hook(norm)
    module._register_state_dict_hook(_NoteVersion(norm))
    module._register_load_state_dict_pre_hook(_LoadOldVersion(norm))
    return module


def remove_spectral_norm(module: T, name: str = "weight") -> T:
    """Takes spectral_norm back.

    >>> layer = torch.nn.utils.spectral_norm(torch.nn.Linear(2, 1))
    >>> sorted(name for name, _ in torch.nn.utils.remove_spectral_norm(layer).named_parameters())
    ['bias', 'weight']
    """
    for id, hook in list(module._forward_pre_hooks.items()):
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[id]
            break
    else:
        raise at_call(ValueError, f"spectral_norm of '{name}' not found in {module}")
    for id, hook in list(module._state_dict_hooks.items()):
        if isinstance(hook, _NoteVersion) and hook.norm.name == name:
            del module._state_dict_hooks[id]
    for id, bound in list(module._load_state_dict_pre_hooks.items()):
        if isinstance(bound.hook, _LoadOldVersion) and bound.hook.norm.name == name:
            del module._load_state_dict_pre_hooks[id]
    return module
