"""How a tensor prints: the text of `repr(tensor)`, equal to PyTorch's, and the options that steer it.

A text is made in three steps: gather the values that will be seen, turn them into cells of one width, lay the cells out
in brackets. Tensors are only asked for their public attributes, so that any tensor of the same manners can be printed.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

__all__ = ["get_printoptions", "printoptions", "set_printoptions", "tensor_repr"]

_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}

_options: dict[str, Any] = {**_PROFILES["default"], "sci_mode": None}


# ---- Options ---------------------------------------------------------------------------------------------------------


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors print; an option left at None keeps its value, except `sci_mode`.

    Args:
        precision: digits after the decimal point (4).
        threshold: a tensor with more elements than this is summarised (1000).
        edgeitems: how many items a summary shows at either end of each dimension (3).
        linewidth: columns after which a line is broken (80).
        profile: "default", "short" or "full", a set of the four above, which may still be given with it.
        sci_mode: True or False to force or forbid scientific notation; None (also if left out): the values decide.

    >>> torch.set_printoptions(precision=2)
    >>> torch.tensor([0.12345])
    tensor([0.12])
    >>> torch.set_printoptions(profile="default")
    """
    # As in PyTorch: an unknown profile changes nothing, and bad values fail only when something is printed.
    if isinstance(profile, str):
        _options.update(_PROFILES.get(profile, {}))
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    _options.update((name, value) for name, value in given.items() if value is not None)
    _options["sci_mode"] = sci_mode


def get_printoptions() -> dict[str, Any]:
    """The options now in force, as keyword arguments for `set_printoptions`."""
    return dict(_options)


@contextlib.contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Set print options, as `set_printoptions` does, for the length of a `with` block."""
    before = get_printoptions()
    set_printoptions(**options)
    try:
        yield
    finally:
        _options.update(before)


# ---- The whole text --------------------------------------------------------------------------------------------------


def tensor_repr(tensor: Any, *, tensor_contents: str | None = None) -> str:
    """The text of `repr(tensor)`; `tensor_contents` replaces what stands for the values."""
    cls = type(tensor)
    plain = _is_own(cls, "Tensor") or _is_own(cls, "Parameter")
    prefix = "tensor(" if plain else f"{cls.__name__}("
    contents = _contents(tensor, len(prefix)) if tensor_contents is None else tensor_contents
    text = _append_suffixes(prefix + contents, _suffixes(tensor), len(prefix), _layout(tensor) == "sparse_coo")
    return f"Parameter({text})" if not plain and _is_parameter(tensor) else text


def _is_own(cls: type, name: str) -> bool:
    """Whether a class is the library's own `name`, and not a user's class that happens to be called so."""
    return cls.__name__ == name and cls.__module__.partition(".")[0] in ("chainrule", "torch")


def _is_parameter(tensor: Any) -> bool:
    # A parameter made from a subclass keeps that class and carries a flag instead.
    return getattr(tensor, "_is_param", False) or any(_is_own(cls, "Parameter") for cls in type(tensor).__mro__)


def _layout(tensor: Any) -> str:
    """Which sparse layout it has; "" for none."""
    name = str(tensor.layout).rpartition(".")[2]
    return name if name.startswith("sparse") else ""


def _append_suffixes(text: str, suffixes: list[str], indent: int, on_a_new_line: bool = False) -> str:
    linewidth = _options["linewidth"]
    # PyTorch counts the first comma and space twice; the breaks of long lines depend on it.
    column = len(text) - (text.rfind("\n") + 1) + 2
    for suffix in suffixes:
        if on_a_new_line or column + len(suffix) + 2 > linewidth:
            text += ",\n" + " " * indent + suffix
            column, on_a_new_line = indent + len(suffix), False
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text + ")"


# ---- Suffixes: what the values do not tell ---------------------------------------------------------------------------


def _suffixes(tensor: Any) -> list[str]:
    device = tensor.device
    if _layout(tensor):
        return _sparse_suffixes(tensor)
    suffixes = [] if device.type == "cpu" else [f"device='{device}'"]
    no_data = device.type == "meta"
    unseen = no_data or tensor.numel() == 0
    # An empty vector's size is clear from its brackets.
    if no_data or (unseen and len(tensor.shape) != 1) or not (unseen or _options["edgeitems"]):
        suffixes.append(f"size={tuple(tensor.shape)}")
    dtype = _dtype_name(tensor.dtype)
    if dtype not in _implied_dtypes(unseen):
        suffixes.append(f"dtype=torch.{dtype}")
    return suffixes + _gradient_suffix(tensor) + _tangent_suffix(tensor)


def _sparse_suffixes(tensor: Any) -> list[str]:
    suffixes = [f"size={tuple(tensor.shape)}", f"nnz={tensor._nnz()}"]
    dtype = _dtype_name(tensor.dtype)
    if dtype not in _implied_dtypes(False):
        suffixes.append(f"dtype=torch.{dtype}")
    return [*suffixes, f"layout=torch.{_layout(tensor)}", *_gradient_suffix(tensor), *_tangent_suffix(tensor)]


def _dtype_name(dtype: Any) -> str:
    return str(dtype).rpartition(".")[2]


def _default_dtype_name() -> str:
    from . import _core

    return _dtype_name(_core.get_default_dtype())


def _implied_dtypes(unseen: bool) -> tuple[str, ...]:
    """The dtypes that go without saying: those which `tensor(...)` would infer from the values shown, if any are."""
    default = _default_dtype_name()
    if unseen:
        return (default,)
    return (default, "complex128" if default == "float64" else "complex64", "int64", "bool")


def _gradient_suffix(tensor: Any) -> list[str]:
    from .autograd.grad_mode import enable_grad

    try:
        with enable_grad():
            node = tensor.grad_fn
    except RuntimeError:  # a view made and overwritten without recording has no valid history
        return ["grad_fn=<Invalid>"]
    if node is not None:
        return [f"grad_fn=<{_node_name(node)}>"]
    return ["requires_grad=True"] if tensor.requires_grad else []


def _tangent_suffix(tensor: Any) -> list[str]:
    from .autograd.forward_ad import unpack_dual

    tangent = unpack_dual(tensor).tangent
    return [] if tangent is None else [f"tangent={tangent!r}"]


def _node_name(node: Any) -> str:
    name = getattr(node, "name", None)
    return str(name()).rpartition("::")[2] if callable(name) else type(node).__name__


# ---- Contents: the values in brackets --------------------------------------------------------------------------------


def _sparse_contents(tensor: Any, indent: int) -> str:
    """The indices and the values, each as a tensor of its own."""
    layout, parts = _layout(tensor), {}
    if layout == "sparse_coo":
        parts = {"indices": tensor._indices(), "values": tensor._values()}
    else:
        names = ("crow_indices", "col_indices") if layout[-1] == "r" else ("ccol_indices", "row_indices")
        parts = {**{name: getattr(tensor, name)() for name in names}, "values": tensor.values()}
    texts = []
    for name, part in parts.items():
        start = f"{name}=tensor("
        size = f", size={tuple(part.shape)}" if part.numel() == 0 else ""
        texts.append(f"{start}{_contents(part.detach(), indent + len(start))}{size})")
    return (",\n" + " " * indent).join(texts)


def _contents(tensor: Any, indent: int) -> str:
    if _layout(tensor):
        return _sparse_contents(tensor, indent)
    if tensor.device.type == "meta":
        return "..."
    count = tensor.numel()
    if count == 0:
        return "[]"
    shape, edge = tuple(tensor.shape), None
    if count > _options["threshold"] and shape:
        edge = _options["edgeitems"]
        if edge <= 0:
            return "[...]"
    values = tensor.tolist() if edge is None else _edge_values(tensor, edge, ())
    cells, width = _cells(_flatten(values, len(shape)), tensor.dtype)
    return _Layout(cells, width, edge).render(shape, indent)


def _edge_values(tensor: Any, edge: int, index: tuple[slice, ...]) -> Any:
    """The nested lists of a summary: each long dimension keeps `edge` items at either end.

    Only the corner blocks are read, so that the cost does not depend on the tensor's size.
    """
    dim = len(index)
    if dim == len(tensor.shape):
        return tensor[index].tolist()
    if tensor.shape[dim] <= 2 * edge:
        return _edge_values(tensor, edge, (*index, slice(None)))
    head = _edge_values(tensor, edge, (*index, slice(None, edge)))
    tail = _edge_values(tensor, edge, (*index, slice(-edge, None)))
    return _join(head, tail, dim)


def _join(head: list[Any], tail: list[Any], depth: int) -> list[Any]:
    """Concatenate nested lists along the dimension `depth`."""
    if depth == 0:
        return head + tail
    return [_join(first, second, depth - 1) for first, second in zip(head, tail, strict=True)]


def _flatten(values: Any, depth: int) -> list[Any]:
    if depth == 0:
        return [values]
    for _ in range(depth - 1):
        values = chain.from_iterable(values)
    return list(values)


class _Layout:
    """Sets a row-major stream of cells in brackets, lines and, with `edge` given, ellipses."""

    def __init__(self, cells: list[str], width: int, edge: int | None) -> None:
        self.cells = iter(cells)
        self.cell_columns = width + 2  # with its comma and space
        self.edge = edge

    def render(self, shape: tuple[int, ...], indent: int) -> str:
        if not shape:
            return next(self.cells)
        if len(shape) == 1:
            return self._render_row(shape[0], indent)
        count, gap = self._shown(shape[0])
        parts = [self.render(shape[1:], indent + 1) for _ in range(count)]
        if gap:
            parts.insert(gap, "...")
        separator = "," + "\n" * (len(shape) - 1) + " " * (indent + 1)
        return f"[{separator.join(parts)}]"

    def _render_row(self, size: int, indent: int) -> str:
        count, gap = self._shown(size)
        row = list(islice(self.cells, count))
        if gap:
            row.insert(gap, " ...")
        per_line = max(1, math.floor((_options["linewidth"] - indent) / self.cell_columns))
        lines = [", ".join(row[start : start + per_line]) for start in range(0, len(row), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"

    def _shown(self, size: int) -> tuple[int, int]:
        """How many items of a dimension are shown, and before which one the ellipsis stands (0: none)."""
        if self.edge is None or size <= 2 * self.edge:
            return size, 0
        return 2 * self.edge, self.edge


# ---- Cells: one text per value ---------------------------------------------------------------------------------------


def _cells(values: list[Any], dtype: Any) -> tuple[list[str], int]:
    """The padded texts and the width they were padded to, which nan, inf and zeros may exceed."""
    if dtype.is_complex:
        return _complex_cells(values)
    if dtype.is_floating_point:
        return _exponent_cells(values) if _dtype_name(dtype) == "float8_e8m0fnu" else _float_cells(values)
    texts = [str(value) for value in values]
    return _pad(texts, texts)


def _pad(texts: list[str], measured: list[str]) -> tuple[list[str], int]:
    width = max(map(len, measured), default=1)
    return [text.rjust(width) for text in texts], width


def _complex_cells(values: list[complex]) -> tuple[list[str], int]:
    reals, real_width = _float_cells([value.real for value in values])
    imags, imag_width = _float_cells([value.imag for value in values])
    cells = [f"{real}{_with_sign(imag.lstrip())}j" for real, imag in zip(reals, imags, strict=True)]
    return cells, real_width + imag_width + 1


def _with_sign(text: str) -> str:
    return text if text[0] == "-" else "+" + text


def _float_cells(values: list[float]) -> tuple[list[str], int]:
    regular = [value for value in values if value and math.isfinite(value)]
    spec, point = _float_format(regular)
    if len(regular) == len(values):
        texts = [format(value, spec) + point for value in values]
        return _pad(texts, texts)
    texts = [format(value, spec) + (point if math.isfinite(value) else "") for value in values]
    return _pad(texts, [text for text, value in zip(texts, values, strict=True) if value and math.isfinite(value)])


def _exponent_cells(values: list[float]) -> tuple[list[str], int]:
    """float8_e8m0fnu: PyTorch takes its smallest number for zero, and NaN for a number of any size."""
    values = [0.0 if value == 2.0**-127 else value for value in values]
    if not any(map(math.isnan, values)):
        return _float_cells(values)
    texts = [format(value, f".{_options['precision']}f") for value in values]
    return _pad(texts, texts)


def _float_format(regular: list[float]) -> tuple[str, str]:
    """The format of all values and what follows them, chosen by those that are neither zero nor nan nor inf."""
    if regular and _wants_scientific(regular):
        return f".{_options['precision']}e", ""
    if all(map(float.is_integer, regular)):
        return ".0f", "."
    return f".{_options['precision']}f", ""


def _wants_scientific(regular: list[float]) -> bool:
    if _options["sci_mode"] is not None:
        return _options["sci_mode"]
    sizes = [abs(value) for value in regular]
    smallest, largest = min(sizes), max(sizes)
    return largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4
