"""Texts of tensors: every dtype, odd shapes, odd layouts, odd values."""

from __future__ import annotations

import math
from random import Random

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")
COMPLEX = ("complex64", "complex128")
RARE = ("uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e8m0fnu", "complex32")
DTYPES = (*FLOATS, *INTEGERS, *COMPLEX, "bool", *RARE)

SHAPES: list[tuple[int, ...]] = [
    *((), (0,), (1,), (2,), (3,), (5,), (17,), (2, 3), (3, 3), (3, 2), (1, 4), (0, 3), (3, 0), (4, 4), (2, 3, 4)),
    *((2, 0, 3), (1, 1, 1), (3, 4, 5), (2, 3, 4, 4), (1, 3, 5, 5), (2, 2, 2, 2, 2), (1, 2, 3, 4, 5), (1,) * 9, (64,)),
    *((0, 0), (300,), (40, 40), (2, 1, 3, 1, 2)),
]
HUGE_EMPTY = [
    "torch.empty(0, 2**40)",
    "torch.empty(2**62, 0)",
    "torch.empty(2**31, 0, 2**31)",
    "torch.empty(0, 1, 2**62)",
]
VALUES = ("ones", "zeros", "counted", "counted", "wave", "wave", "odd", "negative")
LAYOUTS = ("plain",) * 6 + ("turned", "spread", "expanded", "offset", "overlapping", "reversed")
KINDS = ("plain",) * 8 + ("grad",) * 5 + ("inner", "meta", "subclass", "parameter", "view", "inference", "odd class")


def tensor(r: Random, shape: tuple[int, ...] | None = None, dtype: str | None = None, friendly: bool = False) -> str:
    """A tensor of a shape and a dtype, drawn where they are not given."""
    if not friendly and r.random() < 0.02:
        return r.choice(HUGE_EMPTY)
    shape = r.choice(SHAPES) if shape is None else shape
    dtype = dtype or (
        r.choice(FLOATS[:2]) if r.random() < 0.6 else r.choice(DTYPES[: -len(RARE)] if friendly else DTYPES)
    )
    text = laid_out(valued(shape, dtype, r.choice(VALUES)), shape, r.choice(LAYOUTS))
    if friendly:
        return f"{text}.requires_grad_()" if dtype in FLOATS[:2] and r.random() < 0.5 else text
    return of_kind(text, dtype, r.choice(KINDS), r)


def valued(shape: tuple[int, ...], dtype: str, values: str) -> str:
    """A contiguous tensor with such values."""
    count = math.prod(shape)
    size = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
    kind, positive = f"dtype=torch.{dtype}", ".abs()" if dtype.startswith("uint") else ""
    if values in ("ones", "zeros"):
        return f"torch.{values}({size}, {kind})"
    if values == "odd" and dtype in (*FLOATS, *COMPLEX) and count:
        odd = "float('nan'), float('inf'), -float('inf'), 0.0, -0.0, 1e30, 1.5"
        return f"torch.tensor([{odd}], {kind}).repeat({-(-count // 7)})[:{count}].reshape({size})"
    if values == "odd" and dtype in INTEGERS and count:
        ends = f"torch.iinfo(torch.{dtype}).max, torch.iinfo(torch.{dtype}).min, 0, 1"
        return f"torch.tensor([{ends}], {kind}).repeat({-(-count // 4)})[:{count}].reshape({size})"
    if values in ("wave", "odd"):
        return f"torch.arange({count}, dtype=torch.float64).mul(1.7).sin(){positive}.reshape({size}).to(torch.{dtype})"
    if values == "negative":
        return f"torch.arange({count}).sub(2){positive}.reshape({size}).to(torch.{dtype})"
    return f"torch.arange({count}).remainder(5).reshape({size}).to(torch.{dtype})"


def laid_out(text: str, shape: tuple[int, ...], layout: str) -> str:
    """The same, with other strides; some of them are views of several elements on one place."""
    if layout == "turned" and len(shape) > 1:
        return f"{text}.transpose(0, -1).contiguous().transpose(0, -1)"
    if layout == "spread" and shape and math.prod(shape):
        return f"{text}.repeat_interleave(2, -1)[..., ::2]"
    if layout == "expanded" and shape and shape[0]:
        return f"{text}[:1].expand({', '.join(map(str, shape))})"
    if layout == "offset" and shape:
        return f"torch.cat([{text}, {text}])[{shape[0]}:]"
    if layout == "overlapping" and len(shape) == 1 and shape[0] > 2:
        return f"{text}.unfold(0, 2, 1)"
    if layout == "reversed" and len(shape) > 1:
        return f"{text}.mT"
    return text


def of_kind(text: str, dtype: str, kind: str, r: Random) -> str:
    """The same as a leaf with a gradient, a result, a meta tensor, an object of a subclass."""
    differentiable = dtype in FLOATS or dtype in COMPLEX
    if kind == "grad" and differentiable:
        return f"{text}.requires_grad_()"
    if kind == "inner" and differentiable:
        return f"{text}.requires_grad_().clone()"
    if kind == "view" and differentiable:
        return f"{text}.requires_grad_().clone()[...]"
    if kind == "parameter" and differentiable:
        return f"torch.nn.Parameter({text})"
    if kind == "meta":
        return (
            f"{text}.to('meta')"
            if r.random() < 0.7
            else f"torch.empty(2**31, 2**20, device='meta', dtype=torch.{dtype})"
        )
    if kind == "subclass":
        return f"{text}.as_subclass(subclass(torch))"
    if kind == "inference":
        return f"torch.inference_mode()(lambda: {text})()"
    if kind == "odd class" and r.random() < 0.5:
        return f"{text}.as_subclass(wrapper(torch, {r.choice(('raise', 'none', 'text', 'resize'))!r}))"
    return text


def indices(r: Random, friendly: bool = False) -> str:
    """A tensor of positions, some of them out of range."""
    pool = ["[0]", "[0, 1]", "[1, 0, 2]", "[[0, 1], [1, 0]]", "[]", "0"]
    odd = ["[-1]", "[5]", "[-7, 2]", "[2**40]", "[-2**63]", "[2**63 - 1, 0]"]
    return f"torch.tensor({r.choice(pool if friendly or r.random() < 0.7 else odd)}, dtype=torch.int64)"
