"""One operation of PyTorch's database in one dtype, on chainrule beside PyTorch, aspect by aspect."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

import chainrule
from carrying import Carrier, name_of, tensors_in
from comparing import FREE, TOLERANCES, DifferenceError, allowed, require_close, require_same, require_same_factors

SAMPLES = 8
# PyTorch itself leaves out= unwritten for some arguments of ihfftn.
EXCLUDED = {("fft.ihfftn", "out")}


def thinned(samples: Iterator, count: int) -> list:
    """Spread evenly over the first four hundred."""
    made = list(itertools.islice(samples, 400))
    if len(made) <= count:
        return made
    return [made[i] for i in sorted({round(i * (len(made) - 1) / max(count - 1, 1)) for i in range(count)})]


class UnmeasuredError(Exception):
    """PyTorch itself refuses the sample."""


class EmptyError(Exception):
    """The same, and without elements: that says little of an operation that is random elsewhere."""


class RandomError(Exception):
    """The result is random: its dtype and shape are right, and there is no more to compare."""


class Case:
    """One operation in one dtype. A method per aspect yields one thunk per sample; a thunk raises where they differ."""

    def __init__(self, op: Any, dtype: torch.dtype) -> None:
        self.op, self.dtype = op, dtype
        self.extra = allowed(op, dtype)
        self.theirs, self.ours = Carrier(torch), Carrier(chainrule)
        self.theirs.whole_memory = self.ours.whole_memory = op.name.startswith("as_strided")
        self.differentiable = dtype.is_floating_point or dtype.is_complex
        self.differentiable &= op.supports_autograd and dtype in op.backward_dtypes
        torch.manual_seed(0)  # the same samples in every run
        samples = op.sample_inputs("cpu", dtype, requires_grad=self.differentiable)
        self.samples = thinned(iter(samples), 1 if "grid_sampler_3d" in op.name else SAMPLES)
        if op.name == "nn.functional.multi_head_attention_forward":  # dropout off, so that values can be compared
            for s in self.samples:
                s.args = tuple(0.0 if i == 9 else value for i, value in enumerate(s.args))
                s.kwargs.update({"dropout_p": 0.0} if "dropout_p" in s.kwargs else {})

    def arguments(self, carrier: Carrier, sample: Any, grad: bool) -> tuple[tuple, dict, list]:
        """Those of a call, and the tensors among them that require gradients."""
        known: dict = {}
        args, kwargs = carrier((sample.input, *sample.args), known, grad), carrier(sample.kwargs, known, grad)
        inputs = tensors_in([sample.input, sample.args, sample.kwargs])
        return args, kwargs, [known[t] for t in inputs if t.requires_grad]

    def results(self, carrier: Carrier, f: Callable, sample: Any, seed: int = 42) -> list:
        carrier.seed = seed
        carrier.library.manual_seed(seed)
        args, kwargs, _ = self.arguments(carrier, sample, False)
        return list(carrier.leaves(f(*args, **kwargs)))

    def wanted(self, f: Callable, sample: Any) -> tuple[list, bool]:
        """PyTorch's results, and whether they are random."""
        try:
            results = self.results(self.theirs, f, sample)
            again = self.results(self.theirs, f, sample, 7)
        except Exception as error:
            raise UnmeasuredError(str(error)) from None
        return results, self.op.has_nondeterministic_output or self.bits(results) != self.bits(again)

    def bits(self, results: list) -> list:
        return [self.theirs.array(x).tobytes() if isinstance(x, torch.Tensor) else str(x) for x in results]

    def compare(self, mine: list, theirs: list, is_random: bool, sample: Any) -> None:
        try:
            require_same(mine, theirs, self.ours, self.extra, not is_random)
        except DifferenceError:
            if self.op.name not in FREE:
                raise
            require_same_factors(self.op.name, sample.input, mine, theirs, self.ours)
        if is_random:
            raise RandomError
        if theirs and all(isinstance(t, torch.Tensor) and t.numel() == 0 for t in theirs):
            raise EmptyError

    def call(self, theirs: Callable, ours: Callable, sample: Any) -> None:
        wanted, is_random = self.wanted(theirs, sample)
        self.compare(self.results(self.ours, ours, sample), wanted, is_random, sample)

    # ---- aspects

    def forward(self) -> Iterator[Callable]:
        for s in self.samples:
            yield lambda s=s: self.call(self.theirs(self.op.op), self.ours(self.op.op), s)

    def method(self) -> Iterator[Callable]:
        for s in self.samples[:3]:
            if isinstance(s.input, torch.Tensor):
                yield lambda s=s: self.call(*self.variants(self.op.method_variant), s)

    def variants(self, f: Any) -> tuple[Callable, Callable]:
        """A method, by its name or as the lambda that the database has for it."""
        if getattr(f, "__name__", "<lambda>") == "<lambda>":
            return self.theirs(f), self.ours(f)
        return f, lambda input, *args, **kwargs: getattr(input, f.__name__)(*args, **kwargs)

    def written_samples(self) -> list:
        return [s for s in self.samples if isinstance(s.input, torch.Tensor) and not s.broadcasts_input]

    def inplace(self) -> Iterator[Callable]:
        def both(f: Callable) -> Callable:
            return lambda input, *args, **kwargs: [f(input, *args, **kwargs), input]

        theirs, ours = self.variants(self.op.inplace_variant)
        for s in self.written_samples():
            yield lambda s=s: self.call(both(theirs), both(ours), s)

    def out(self) -> Iterator[Callable]:
        for s in self.samples[:3]:
            if "out" not in s.kwargs:
                yield lambda s=s: self.fill(s)

    def fill(self, sample: Any) -> None:
        wanted, is_random = self.wanted(self.op.op, sample)
        if not wanted or not all(isinstance(t, torch.Tensor) for t in wanted):
            raise UnmeasuredError("no tensors")

        def filled(carrier: Carrier) -> list:
            out = [carrier.tensor(torch.zeros(t.shape, dtype=t.dtype)) for t in wanted]
            args, kwargs, _ = self.arguments(carrier, sample, False)
            carrier(self.op.op)(*args, **kwargs, out=out[0] if len(out) == 1 else tuple(out))
            return out

        try:
            filled(self.theirs)
        except Exception as error:
            raise UnmeasuredError(str(error)) from None
        self.compare(filled(self.ours), wanted, is_random, sample)

    def alias(self) -> Iterator[Callable]:
        for alias in self.op.aliases:
            for s in self.samples[:2] if alias.op else ():
                yield lambda alias=alias, s=s: self.call(alias.op, self.ours(alias.op), s)
            for ending in ["_"] * bool(alias.inplace_variant) + [""] * bool(alias.method_variant):
                yield lambda name=alias.name + ending: getattr(chainrule.Tensor, name)

    def grad(self) -> Iterator[Callable]:
        for s in self.samples:
            yield lambda s=s: self.compare_gradients(self.theirs(self.op.op), self.ours(self.op.op), s, False)

    def gradgrad(self) -> Iterator[Callable]:
        for s in self.samples:
            yield lambda s=s: self.compare_gradients(self.theirs(self.op.op), self.ours(self.op.op), s, True)

    def inplace_grad(self) -> Iterator[Callable]:
        def of_copy(f: Callable) -> Callable:
            return lambda input, *args, **kwargs: f(input.clone(), *args, **kwargs)

        theirs, ours = self.variants(self.op.inplace_variant)
        for s in self.written_samples():
            yield lambda s=s: self.compare_gradients(of_copy(theirs), of_copy(ours), s, False)

    def gradients(self, carrier: Carrier, f: Callable, sample: Any, second: bool) -> list:
        """Of fixed random numbers times the results; those of the gradients themselves where `second`."""
        carrier.seed = 42
        carrier.library.manual_seed(42)
        args, kwargs, inputs = self.arguments(carrier, sample, True)
        wrapper = self.op.gradcheck_wrapper
        if wrapper.__qualname__ != "OpInfo.<lambda>":
            result = carrier(wrapper)(f, *args, **kwargs)
        else:
            result = f(*args, **kwargs)
        leaves = carrier.leaves(carrier(sample.output_process_fn_grad)(result))
        outputs = [t for t in leaves if isinstance(t, carrier.library.Tensor) and t.requires_grad]
        if not inputs or not outputs:
            raise DifferenceError("no result requires a gradient")
        source = np.random.RandomState(0)

        def drawn(t: Any, grad: bool) -> Any:
            shape, dtype = tuple(t.shape), getattr(torch, name_of(t.dtype))
            numbers = source.standard_normal(shape) + (1j * source.standard_normal(shape) if dtype.is_complex else 0)
            return carrier.tensor(torch.from_numpy(np.asarray(numbers)).to(dtype), grad)

        upstream = [drawn(t, second) for t in outputs]
        grad = carrier.library.autograd.grad
        found = grad(outputs, inputs, upstream, create_graph=second, allow_unused=True)
        if second:
            first = [g for g in found if g is not None and g.requires_grad]
            again = [drawn(g, False) for g in first]
            found = grad(first, [*inputs, *upstream], again, allow_unused=True) if first else ()
        return [g if g is None else (name_of(g.dtype), carrier.array(g)) for g in found]

    def compare_gradients(self, theirs: Callable, ours: Callable, sample: Any, second: bool) -> None:
        if self.wanted(theirs, sample)[1]:
            raise RandomError
        try:
            wanted = self.gradients(self.theirs, theirs, sample, second)
        except Exception as error:
            raise UnmeasuredError(str(error)) from None
        found = self.gradients(self.ours, ours, sample, second)
        if len(found) != len(wanted):
            raise DifferenceError(f"{len(found)} gradients instead of {len(wanted)}")
        for i, (m, t) in enumerate(zip(found, wanted, strict=True)):
            if m is None or t is None:  # no gradient is as good as one of zeros
                if any(g is not None and np.any(g[1] != 0) for g in (m, t)):
                    raise DifferenceError(f"gradient {i}: {m} instead of {t}")
                continue
            if m[0] != t[0]:
                raise DifferenceError(f"gradient {i}: {m[0]} instead of {t[0]}")
            scale = 100 if second else 10
            relative, absolute = (max(scale * x, y) for x, y in zip(TOLERANCES[t[0]], self.extra, strict=True))
            largest = np.abs(t[1][np.isfinite(t[1])]).max(initial=1)  # gradients of badly scaled samples are large
            require_close(m[1], t[1], relative, absolute * min(largest, 1e6), f"gradient {i}")


def wrong_inputs(op: Any) -> dict[str, int]:
    """Of the wrong inputs that PyTorch refuses: how many are refused, with its class, with its words."""
    theirs, ours = Carrier(torch), Carrier(chainrule)
    counts: dict[str, int] = dict.fromkeys(("n", "ok", "type_match", "message_match"), 0)

    def arguments(carrier: Carrier, sample: Any) -> tuple[tuple, dict]:
        known: dict = {}
        return carrier((sample.input, *sample.args), known), carrier(sample.kwargs, known)

    def refusal(carrier: Carrier, args: tuple, kwargs: dict) -> Exception | None:
        try:
            carrier(op.op)(*args, **kwargs)
        except Exception as error:
            return error

    for wrong in op.error_inputs("cpu"):
        try:
            given = arguments(theirs, wrong.sample_input)
        except (TypeError, ValueError):  # a tensor of another device, or of 65 dimensions
            continue
        wanted = refusal(theirs, *given)
        if wanted is not None:
            found = refusal(ours, *arguments(ours, wrong.sample_input))
            kind = wrong.error_type if isinstance(wrong.error_type, (type, tuple)) else type(wanted)
            counts["n"] += 1
            counts["ok"] += found is not None
            counts["type_match"] += isinstance(found, kind)
            counts["message_match"] += found is not None and bool(re.search(str(wrong.error_regex), str(found)))
    return counts


def public(name: str) -> Any:
    return functools.reduce(lambda place, part: getattr(place, part, None), name.split("."), torch)


def aspects_of(op: Any, dtype: torch.dtype, second: bool) -> list[str]:
    differentiable = (dtype.is_floating_point or dtype.is_complex) and op.supports_autograd
    differentiable &= dtype in op.backward_dtypes
    has = {
        "forward": True,
        "grad": differentiable,
        "gradgrad": differentiable and op.supports_gradgrad and second,
        "inplace": op.inplace_variant is not None,
        "inplace_grad": op.inplace_variant is not None and differentiable and op.supports_inplace_autograd,
        "method": op.method_variant is not None,
        "out": op.supports_out and public(op.name) is op.op,
        "alias": bool(op.aliases),
    }
    return [aspect for aspect, there in has.items() if there and (op.name, aspect) not in EXCLUDED]
