"""Einstein summation: the equation is read once, then operands are contracted two at a time as matrix products."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import combinations
from math import prod
from typing import Any

from .._core import Tensor
from ..error_words import at_call
from ..overrides import handle_torch_function, has_torch_function

MANY = 16  # operands: comparing all pairs of more takes longer than it saves

# A dimension of an operand: a letter, or its place under an ellipsis, counted from the last: -1, -2, ...
Label = str | int


def einsum(*args: Any) -> Tensor:
    """Sums of products of elements, by an equation such as "bij,bjk->bik".

    The letters name the dimensions of each operand; those that the output does not name are summed. `...` stands for
    dimensions that broadcast. In place of the equation each operand may be followed by a list of numbers below 52.

    Shape and dtype: A dimension for each letter of the output; all operands have one dtype.
    Derivative: each operand: the same sum of products with g in its place

    >>> torch.einsum("ij,j->i", torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1., 1.]))
    tensor([3., 7.])
    """
    if len(args) < 2:
        raise at_call(
            ValueError,
            "einsum(): must specify the equation string and at least one operand, "
            "or at least one operand and its subscripts list",
        )
    if isinstance(args[0], Tensor):
        equation, operands = _from_sublists(args)
    else:
        equation, operands = args[0], args[1:]
        if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
            return einsum(equation, *operands[0])
    if not isinstance(equation, str):
        raise at_call(
            TypeError, f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}"
        )
    for i, operand in enumerate(operands):
        if not isinstance(operand, Tensor):
            if has_torch_function(operands):
                return handle_torch_function(einsum, operands, equation, *operands)
            raise at_call(TypeError, f"expected Tensor as element {i} in argument 1, but got {type(operand).__name__}")
    labels, output = _read(equation, tuple(t.ndim for t in operands))
    return _contract(
        [_diagonal(t, list(row), i) for i, (t, row) in enumerate(zip(operands, labels, strict=True))], output
    )


# ---- reading the equation


def _from_sublists(args: tuple) -> tuple[str, tuple]:
    """(x, [0, 1], y, [1, 2], [0, 2]) -> "AB,BC->AC", (x, y)."""

    def letter(n: Any) -> str:
        if n is Ellipsis:
            return "..."
        if 0 <= n < 52:
            return chr(ord("A") + n) if n < 26 else chr(ord("a") + n - 26)
        raise at_call(ValueError, "einsum(): subscript in subscript list is not within the valid range [0, 52)")

    rows = ["".join(letter(n) for n in row) for row in args[1::2]]
    if len(args) % 2 == 0:
        return ",".join(rows), args[::2]
    return ",".join(rows) + "->" + "".join(letter(n) for n in args[-1]), args[:-1:2]


@lru_cache(maxsize=256)
def _read(equation: str, ndims: tuple[int, ...]) -> tuple[list[list[Label]], list[Label]]:
    """The labels of each operand's dimensions and those of the output."""
    arrow = equation.find("->")
    left = equation if arrow < 0 else equation[:arrow]
    terms = _split_terms(left)
    if len(terms) != len(ndims):
        more_or_fewer = "more" if len(terms) < len(ndims) else "fewer"
        raise at_call(RuntimeError, f"einsum(): {more_or_fewer} operands were provided than specified in the equation")
    labels = [_spread(term, ndim, i) for i, (term, ndim) in enumerate(zip(terms, ndims, strict=True))]
    hidden = sorted({name for row in labels for name in row if isinstance(name, int)})
    if arrow >= 0:
        return labels, _read_output(equation, arrow + 2, labels, hidden)
    counts = Counter(name for row in labels for name in row)
    once = sorted(name for name, n in counts.items() if n == 1 and isinstance(name, str))
    return labels, [*hidden, *once]


def _split_terms(left: str) -> list[list[str]]:
    """One list of letters and "..." per operand."""
    terms: list[list[str]] = [[]]
    at = 0
    while at < len(left):
        c, term, at = left[at], terms[-1], at + 1
        if c == ",":
            terms.append([])
        elif c == ".":
            operand = len(terms) - 1
            if "..." in term:
                raise at_call(
                    RuntimeError, f"einsum(): found '.' for operand {operand} for which an ellipsis was already found"
                )
            if left[at : at + 2] != "..":
                raise at_call(
                    RuntimeError, f"einsum(): found '.' for operand {operand} that is not part of any ellipsis"
                )
            term.append("...")
            at += 2
        elif c != " ":
            term.append(_letter(c, at - 1))
    return terms


def _letter(c: str, at: int) -> str:
    if not (c.isascii() and c.isalpha()):
        raise at_call(
            RuntimeError,
            f"einsum(): invalid subscript given at index {at} in the equation string, subscripts must be in [a-zA-Z]",
        )
    return c


def _spread(term: list[str], ndim: int, operand: int) -> list[Label]:
    """The term with the dimensions under its ellipsis in place of it."""
    has_ellipsis = "..." in term
    hidden = ndim - len(term) + has_ellipsis
    if hidden < 0 or (hidden and not has_ellipsis):
        relation = "is more than" if has_ellipsis else "does not match"
        end = "" if has_ellipsis else " and no ellipsis was given"
        raise at_call(
            RuntimeError,
            f"einsum(): the number of subscripts in the equation ({len(term) - has_ellipsis}) {relation} "
            f"the number of dimensions ({ndim}) for operand {operand}{end}",
        )
    row: list[Label] = []
    for name in term:
        row += range(-hidden, 0) if name == "..." else [name]
    return row


def _read_output(equation: str, at: int, labels: list[list[Label]], hidden: list[int]) -> list[Label]:
    known = {name for row in labels for name in row}
    output: list[Label] = []
    seen_ellipsis = False
    while at < len(equation):
        c, at = equation[at], at + 1
        if c == " ":
            continue
        if c == ".":
            if seen_ellipsis:
                raise at_call(RuntimeError, "einsum(): found '.' for output but an ellipsis (...) was already found")
            if equation[at : at + 2] != "..":
                raise at_call(RuntimeError, "einsum(): found '.' for output that is not part of any ellipsis (...)")
            seen_ellipsis, at = True, at + 2
            output += hidden
            continue
        if _letter(c, at - 1) in output:
            raise at_call(RuntimeError, f"einsum(): output subscript {c} appears more than once in the output")
        if c not in known:
            raise at_call(
                RuntimeError, f"einsum(): output subscript {c} does not appear in the equation for any input operand"
            )
        output.append(c)
    return output


# ---- calculating


def _diagonal(t: Tensor, row: list[Label], operand: int) -> tuple[Tensor, list[Label]]:
    """The operand with each letter once: "ii" takes the diagonal."""
    for name in [name for name, n in Counter(row).items() if n > 1]:
        while row.count(name) > 1:
            first = row.index(name)
            second = row.index(name, first + 1)
            if t.shape[first] != t.shape[second]:
                raise at_call(
                    RuntimeError,
                    f"einsum(): subscript {name} is repeated for operand {operand} but the sizes don't match, "
                    f"{t.shape[second]} != {t.shape[first]}",
                )
            t = t.diagonal(0, first, second)
            del row[second], row[first]
            row.append(name)
    return t, row


def _contract(parts: list[tuple[Tensor, list[Label]]], output: list[Label]) -> Tensor:
    sizes = _sizes(parts)
    parts = [_without_broadcast(t, row, sizes) for t, row in parts]
    if len(parts) == 2 and {*parts[0][1], *parts[1][1]} >= set(output):
        parts = [_last_pair(parts[0], parts[1], output, sizes)]
    while len(parts) > 1:
        i, j = (0, 1) if len(parts) == 2 or len(parts) > MANY else _cheapest(parts, output, sizes)
        (a, b), parts = (parts[i], parts[j]), [part for k, part in enumerate(parts) if k not in (i, j)]
        needed = {*output, *(name for _, row in parts for name in row)}
        parts.append(_pair(_summed(*a, needed | set(b[1])), _summed(*b, needed | set(a[1])), needed, sizes))
    t, row = _summed(*parts[0], set(output))
    order = [row.index(name) for name in output]
    return t if order == list(range(len(order))) and t is not parts[0][0] else t.permute(order)


def _sizes(parts: list[tuple[Tensor, list[Label]]]) -> dict[Label, int]:
    sizes: dict[Label, int] = {}
    for i, (t, row) in enumerate(parts):
        for name, size in zip(row, t.shape, strict=True):
            known = sizes.setdefault(name, size)
            if known == 1:
                sizes[name] = size
            elif size not in (1, known):
                which = "for a dimension under the ellipsis" if isinstance(name, int) else f"subscript {name}"
                raise at_call(
                    RuntimeError,
                    f"einsum(): {which} has size {size} for operand {i} "
                    f"which does not broadcast with previously seen size {known}",
                )
    return sizes


def _without_broadcast(t: Tensor, row: list[Label], sizes: dict[Label, int]) -> tuple[Tensor, list[Label]]:
    """Drops dimensions of size one that other operands have larger: then each letter has one size everywhere."""
    wide = [k for k, name in enumerate(row) if t.shape[k] == 1 != sizes[name]]
    if not wide:
        return t, row
    return t.squeeze(wide), [name for k, name in enumerate(row) if k not in wide]


def _summed(t: Tensor, row: list[Label], needed: set[Label]) -> tuple[Tensor, list[Label]]:
    over = [k for k, name in enumerate(row) if name not in needed]
    return (t.sum(over), [name for name in row if name in needed]) if over else (t, row)


def _last_pair(
    a: tuple[Tensor, list[Label]], b: tuple[Tensor, list[Label]], output: list[Label], sizes: dict[Label, int]
) -> tuple[Tensor, list[Label]]:
    """The product of two operands, laid out in memory as the output asks for it, as far as PyTorch does."""
    needed = set(output)
    a, b = _summed(*a, needed | set(b[1])), _summed(*b, needed | set(a[1]))
    (x, xs), (y, ys) = a, b
    if set(xs) & set(ys) <= needed:
        return _in_order(x, xs, output) * _in_order(y, ys, output), output
    own_x, own_y = ([k for k, name in enumerate(output) if name not in row] for row in (ys, xs))
    if own_x and own_y and max(own_y) < min(own_x):
        a, b = b, a
    return _pair(_sorted(*a, output), _sorted(*b, output), needed, sizes)


def _in_order(t: Tensor, row: list[Label], output: list[Label]) -> Tensor:
    """With the output's dimensions, of size one where the operand has none."""
    t = t.permute([row.index(name) for name in output if name in row])
    return t[tuple(slice(None) if name in row else None for name in output)]


def _sorted(t: Tensor, row: list[Label], output: list[Label]) -> tuple[Tensor, list[Label]]:
    """With the dimensions in the output's order, and those that are summed behind them."""
    names = sorted(row, key=lambda name: output.index(name) if name in output else len(output))
    return t.permute([row.index(name) for name in names]), names


def _pair(
    a: tuple[Tensor, list[Label]], b: tuple[Tensor, list[Label]], needed: set[Label], sizes: dict[Label, int]
) -> tuple[Tensor, list[Label]]:
    """Both operands as (batch, kept, summed) and (batch, summed, kept) matrices, and their product."""
    (x, xs), (y, ys) = a, b
    batch = [name for name in xs if name in ys and name in needed]
    over = [name for name in xs if name in ys and name not in needed]
    only_x, only_y = [name for name in xs if name not in ys], [name for name in ys if name not in xs]
    row = batch + only_x + only_y
    x = x.permute([xs.index(name) for name in batch + only_x + over])
    y = y.permute([ys.index(name) for name in batch + over + only_y])
    if not over:
        gap = len(batch)
        return x[(...,) + (None,) * len(only_y)] * y[(slice(None),) * gap + (None,) * len(only_x)], row

    def count(names: list[Label]) -> int:
        return prod(sizes[name] for name in names)

    x = x.reshape(count(batch), count(only_x), count(over))
    y = y.reshape(count(batch), count(over), count(only_y))
    return x.bmm(y).reshape([sizes[name] for name in row]), row


def _cheapest(parts: list[tuple[Tensor, list[Label]]], output: list[Label], sizes: dict[Label, int]) -> tuple[int, int]:
    """The two operands whose product takes the fewest multiplications, the smaller result where two are equal."""

    def cost(pair: tuple[int, int]) -> tuple[int, int]:
        rows = [parts[k][1] for k in pair]
        others = {*output, *(name for k, (_, row) in enumerate(parts) if k not in pair for name in row)}
        union = set(rows[0]) | set(rows[1])
        return prod(sizes[name] for name in union), prod(sizes[name] for name in union & others)

    return min(combinations(range(len(parts)), 2), key=cost)
