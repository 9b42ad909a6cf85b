"""Draws a call by its number: of a function by its signature, or of a valid sample with something in it changed."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from random import Random
from typing import Any

import chainrule
from samples import CREATION, RECORDS
from samples.record import Draw, Record

from . import tensors
from .arguments import Argument, Call
from .signatures import Parameter, signatures_of
from .surface import Target, targets

SMALL = ("0", "1", "2", "3", "-1", "-2", "4", "5")
LARGE = (
    *("2**31 - 1", "2**31", "-2**31", "2**32", "2**40", "2**62", "2**63 - 1", "-2**63", "2**63", "10**30", "10**5"),
    *("2**61", "2**33 + 1", "-2**62", "65537", "2**53 + 1"),
)
FLOATS = ("0.0", "0.5", "-1.5", "1e-5", "2.0", "1e308", "float('nan')", "float('inf')", "-float('inf')", "1e20", "-0.0")
WORDS = (
    *(
        "none",
        "mean",
        "sum",
        "fro",
        "nuc",
        "floor",
        "trunc",
        "same",
        "valid",
        "zeros",
        "border",
        "reflection",
        "reflect",
    ),
    *("constant", "replicate", "circular", "nearest", "bilinear", "linear", "bicubic", "area", "nearest-exact", "max"),
    *(
        "trilinear",
        "relu",
        "tanh",
        "ij",
        "xy",
        "amax",
        "prod",
        "lower",
        "higher",
        "midpoint",
        "forward",
        "ortho",
        "cpu",
    ),
    *("meta", "", "a", "batchmean", "ii->i", "ij,jk->ik", "...->...", "reduced", "complete", "left", "right", "U", "L"),
)
HOSTILE = (
    *("None", "...", "slice(None)", "slice(2**62, -2**62, 3)", "object()", "Raising()", "Lying(2**40, [1, 2])"),
    *("Lying(3, [1])", "Lying(0, [1, 2])", "changing('clear')", "changing('grow')", "changing('replace')"),
    *(
        "changing('nest')",
        "changing('clear', 'asked')",
        "within_itself()",
        "deep(2000)",
        "{}",
        "{1}",
        "b'x'",
        "range(3)",
    ),
    *("bytearray(8)", "torch.float32", "torch.Tensor", "float", "lambda *a: 0", "lambda x: x * 2", "iter([1, 2])"),
    *(
        "numpy.ones(3)",
        "numpy.float32(2)",
        "numpy.ones((2, 0))",
        "numpy.int64(2**40)",
        "numpy.array('x')",
        "1j",
        "True",
    ),
    *("torch.Size((2, 3))", "torch.default_generator", "torch.device('cpu')", "torch.strided", "memoryview(b'abcd')"),
    *("numpy.ones((3, 4))[::-1, ::2]", "torch.channels_last", "{'a': torch.ones(2)}", "torch.Generator()", "'\\ud800'"),
    *("Asked(1, lambda: v.a.resize_(0))", "Asked(2, lambda: v.a.zero_())", "Asked(0, lambda: v.a.set_())"),
    *("[Asked(1, lambda: v.a.resize_(0)), 1]", "torch.nn.Linear(3, 2)", "type", "'x' * 10000", "deep(200000)"),
)
KEYWORDS = {  # texts for what is neither a number nor a tensor
    "dtype": [f"torch.{d}" for d in (*tensors.DTYPES, "complex32", "float8_e5m2", "quint8")]
    + ["None", "float", "int", "bool"],
    "device": ["'cpu'", "'meta'", "torch.device('cpu')", "'cuda'", "None", "'nowhere'", "0"],
    "layout": ["torch.strided", "None", "torch.sparse_coo"],
    "memory_format": [*(f"torch.{f}_format" for f in ("contiguous", "preserve")), "torch.channels_last"],
    "Generator": ["None", "torch.default_generator", "torch.Generator()"],
    "bool": ["True", "False"],
    "str": [repr(word) for word in WORDS],
}
USES = ("read",) * 6 + ("backward",) * 6 + (
    *("write_and_backward", "hook_resizes", "hook_writes", "hook_answers", "backward_twice", "second_order"),
    *("forward_mode", "batched", "without_grad", "inference", "overwritten_before_backward", "printed", "methods"),
)  # fmt: skip


# What goes on as often as it is told to, in PyTorch too: layers, turns of an iteration, steps of a recurrence.
REPEATS = re.compile(r"polynomial|polygamma|zeta|diff$|lowrank|lobpcg|Transformer|dirac|RNN|LSTM|GRU")
_BEYOND = re.compile("|".join(map(re.escape, sorted(LARGE, key=len, reverse=True))))


def call_of(seed: int, number: int) -> Call:
    """The call of a number; it depends on nothing else."""
    r = Random((seed << 40) + number)
    call = _of_sample(r) if r.random() < 0.45 else _of_signature(r)
    call.use = r.choice(USES)
    if REPEATS.search(call.target):
        call.args = [_countable(a) for a in call.args]
        call.kwargs = {name: _countable(a) for name, a in call.kwargs.items()}
    return call


def _countable(argument: Argument) -> Argument:
    """With small numbers in place of those that nobody lives to see the end of."""
    if isinstance(argument, str):
        return _BEYOND.sub("3", argument)
    return type(argument)(map(_countable, argument))


# ---- by the signature


def _of_signature(r: Random) -> Call:
    target = r.choice(targets())
    variables = {"a": tensors.tensor(r), "b": tensors.tensor(r)}
    if target.is_property:
        return _of_property(r, target, variables)
    parameters = r.choice(signatures_of(target))
    theme = r.choice(tensors.SHAPES) if r.random() < 0.7 else None
    args, kwargs = _given(r, parameters, theme)
    if r.random() < 0.05:
        args.append(anything(r))
    if r.random() < 0.03:
        kwargs[r.choice(("out", "dim", "dtype", "input", "self", "x"))] = anything(r)
    return Call(target.path, args, kwargs, variables, "read")


def _given(r: Random, parameters: list[Parameter], theme: Any) -> tuple[list[Argument], dict[str, Argument]]:
    args: list[Argument] = []
    kwargs: dict[str, Argument] = {}
    by_name = False
    for p in parameters:
        if not p.required and r.random() < 0.6:
            by_name = True
            continue
        value = of_kind(r, p.kind, theme) if r.random() < 0.88 else anything(r)
        if by_name or p.keyword_only or r.random() < 0.05:
            kwargs[p.name] = value
            by_name = True
        else:
            args.append(value)
    return args, kwargs


def _of_property(r: Random, target: Target, variables: dict[str, str]) -> Call:
    if r.random() < 0.5:
        return Call("getattr", ["v.a", repr(target.name)], {}, variables, "read")
    return Call("setattr", ["v.a", repr(target.name), anything(r)], {}, variables, "read")


# ---- arguments


def of_kind(r: Random, kind: str, theme: tuple[int, ...] | None) -> Argument:
    """An argument of the right kind, if with an odd value."""
    if kind in ("Tensor", "Operand") and r.random() < 0.12:
        return r.choice(("v.a", "v.b", "v.a", "v.a[1:]", "v.a.t()", "v.a.detach()"))
    if kind == "Tensor" or (kind == "Operand" and r.random() < 0.7):
        return tensors.indices(r) if r.random() < 0.1 else tensors.tensor(r, theme if r.random() < 0.8 else None)
    if kind in ("Operand", "Number", "float"):
        return r.choice(FLOATS if r.random() < 0.6 else SMALL if r.random() < 0.7 else LARGE)
    if kind == "int":
        return _integer(r)
    if kind.startswith("int["):
        return [_integer(r) for _ in range(r.choice((0, 1, 1, 2, 2, 3, 4, 7)))] if r.random() < 0.85 else _integer(r)
    if kind.startswith("Tensor["):
        return [tensors.tensor(r, theme) for _ in range(r.choice((0, 1, 2, 2, 3)))]
    return r.choice(KEYWORDS[kind]) if kind in KEYWORDS else anything(r)


def _integer(r: Random) -> str:
    return r.choice(SMALL if r.random() < 0.75 else LARGE)


def anything(r: Random) -> Argument:
    """An argument of any kind."""
    kind = r.random()
    if kind < 0.3:
        return tensors.tensor(r)
    if kind < 0.6:
        return r.choice(HOSTILE)
    if kind < 0.75:
        return r.choice((*SMALL, *LARGE, *FLOATS))
    if kind < 0.85:
        return r.choice(KEYWORDS[r.choice(list(KEYWORDS))])
    items = [anything(r) if r.random() < 0.3 else _integer(r) for _ in range(r.choice((0, 1, 2, 3)))]
    return items if r.random() < 0.6 else tuple(items)


# ---- of a sample


@lru_cache
def samples() -> list[tuple[str, Record]]:
    """The records of the test suite with the paths of their functions."""
    paths: dict[str, list[str]] = {}
    for target in targets():
        if not target.is_property:
            paths.setdefault(target.name, []).append(target.path)
            paths.setdefault(f"{target.path.split('.')[1]}_{target.name}", []).append(target.path)
    inner = chainrule._core.functions
    found = [(path, record) for record in (*RECORDS, *CREATION) for path in paths.get(record.name, ())]
    rest = (record for record in RECORDS if record.name not in paths and record.name in inner)
    return [*found, *((f"torch._core.functions[{record.name!r}]", record) for record in rest)]


def _of_sample(r: Random) -> Call:
    path, record = r.choice(samples())
    dtype = r.choice(("float32", "float64")) if r.random() < 0.6 else r.choice(tensors.DTYPES)
    args = [_sampled(a, dtype, r) for a in record.args]
    kwargs = {k: _sampled(a, dtype, r) for k, a in record.kwargs.items()}
    variables = {"a": tensors.tensor(r), "b": tensors.tensor(r)}
    for _ in range(r.choice((0, 1, 1, 1, 2, 2, 3))):
        _change(r, args, kwargs)
    if r.random() < 0.08:
        kwargs["out"] = r.choice(("v.a", "torch.empty(0)", "torch.empty(3).requires_grad_()", "v.a[:1]", "(v.a, v.b)"))
    return Call(path, args, kwargs, variables, "read")


def _sampled(value: Any, dtype: str, r: Random) -> Argument:
    if isinstance(value, Draw):
        return drawn(value, dtype, r.randrange(3, 9))
    if isinstance(value, list | tuple):
        return type(value)(_sampled(item, dtype, r) for item in value)
    return repr(value)


def drawn(d: Draw, dtype: str, start: int) -> str:
    """The text of a sample's tensor; its numbers look random, and depend on where they start."""
    count, size = math.prod(d.shape), f"({', '.join(map(str, d.shape))}{',' if len(d.shape) == 1 else ''})"
    if d.fixed == "bool":
        return f"torch.arange({count}).remainder(2).bool().reshape({size})"
    if d.fixed == "int64":
        return f"torch.arange({count}).remainder({max(int(d.high - d.low), 1)}).add({int(d.low)}).reshape({size})"
    if d.ascending:
        text = f"torch.linspace({d.low}, {d.high}, {count}, dtype=torch.float64)"
    else:  # the same to the bit in any library
        text = f"torch.arange({count}).add({start}).pow(3).remainder(1009).double()"
        text = f"{text}.div(1009).mul({d.high - d.low}).add({d.low})"
    text = f"{text}{'.abs()' if dtype.startswith('uint') else ''}.reshape({size}).to(torch.{dtype})"
    grad = d.grad and dtype in (*tensors.FLOATS, *tensors.COMPLEX)
    return f"{text}.requires_grad_()" if grad else text


def _change(r: Random, args: list[Argument], kwargs: dict[str, Argument]) -> None:
    """Something in the arguments becomes odd."""
    places: list[Any] = [*range(len(args)), *kwargs]
    if not places:
        args.append(anything(r))
        return
    place = r.choice(places)
    holder: Any = kwargs if isinstance(place, str) else args
    holder[place] = _changed(r, holder[place])


def _changed(r: Random, value: Argument) -> Argument:
    if isinstance(value, list | tuple) and value and r.random() < 0.8:
        items = list(value)
        i = r.randrange(len(items))
        if r.random() < 0.15:
            items.pop(i)
        elif r.random() < 0.15:
            items.append(items[i])
        else:
            items[i] = _changed(r, items[i])
        return type(value)(items)
    if isinstance(value, str) and value.startswith("torch."):
        return _changed_tensor(r, value)
    if isinstance(value, str) and value.lstrip("-").isdigit() and r.random() < 0.8:
        return _integer(r)
    if value in ("True", "False") and r.random() < 0.7:
        return "False" if value == "True" else "True"
    return anything(r)


def _changed_tensor(r: Random, text: str) -> Argument:
    way = r.random()
    plain = text.removesuffix(".requires_grad_()")
    if way < 0.25:
        return tensors.tensor(r)
    if way < 0.4:
        return f"{plain}{r.choice(('[:0]', '[..., :0]', '[None]', '.sum()', '[..., :1]', '.flatten()', '[:1]', '.mT'))}"
    if way < 0.55:
        return tensors.of_kind(plain, "float32", r.choice(tensors.KINDS), r)
    if way < 0.65:
        return f"{plain}.to(torch.{r.choice(tensors.DTYPES)})"
    if way < 0.75:
        return f"{plain}.mul({r.choice((*FLOATS, *LARGE[:4]))})"
    if way < 0.85:
        return r.choice(("v.a", "v.b", "v.a[1:]"))
    return tensors.indices(r) if way < 0.9 else anything(r)
