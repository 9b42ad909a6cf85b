"""Calls every function and method with odd arguments: fuzz_calls.py PART PARTS. A crash is seen by its signal."""

from __future__ import annotations

import os
import random
import resource
import sys
import warnings

import chainrule
from chainrule import _core

CALLS = 150  # of each name
SLOW_OR_ENDLESS = {"backward"}  # called on purpose elsewhere


def tensors() -> list:
    made = []
    for dtype in [
        "float32",
        "float64",
        "float16",
        "bfloat16",
        "int64",
        "int32",
        "uint8",
        "uint16",
        "uint64",
        "bool",
        "complex64",
        "complex128",
    ]:
        kind = getattr(chainrule, dtype)
        made += [chainrule.ones(shape, dtype=kind) for shape in [(), (0,), (1,), (3,), (2, 3), (2, 0, 3)]]
    base = chainrule.ones(4, 5)
    made += [base.t(), base[1:3, ::2], base[:1].expand(4, 5), chainrule.ones(2, 1, 3, 1, 2), chainrule.ones([1] * 12)]
    made += [
        chainrule.ones(3, requires_grad=True),
        chainrule.ones(2, 3, requires_grad=True) * 2,
        chainrule.ones(1).expand(2**40)[:5],
    ]
    made += [chainrule.tensor([float("nan"), float("inf"), -float("inf")]), chainrule.tensor([2**63 - 1, -(2**63), -1])]
    return made


def numbers() -> list:
    return [
        0,
        1,
        -1,
        2,
        3,
        -2,
        7,
        64,
        2**40,
        2**63 - 1,
        -(2**63),
        2**63,
        10**30,
        0.0,
        1.5,
        -0.5,
        1e308,
        float("nan"),
        float("inf"),
        -float("inf"),
        1j,
        True,
        False,
    ]


def others() -> list:
    return [
        None,
        "",
        "a",
        "floor",
        "fro",
        b"x",
        (),
        [],
        (0,),
        (1, 2),
        [0, 1],
        (-1,),
        (2, 3),
        (10**9, 10**9),
        (2**62, 4),
        [None],
        ["a"],
        [1.5],
        {},
        {1},
        object(),
        chainrule.float32,
        chainrule.int64,
        chainrule.bool,
        chainrule.strided,
        chainrule.device("cpu"),
        chainrule.contiguous_format,
        chainrule.channels_last,
        slice(None),
        ...,
        float,
        chainrule.Tensor,
        chainrule.default_generator,
        range(3),
        lambda: 0,
        chainrule.Size((2, 3)),
    ]


def parameter_names(name: str) -> list[str]:
    texts = [text for _, n, text in _core.signatures() if n == name]
    return sorted(
        {
            part.split("=")[0].split()[-1]
            for text in texts
            for part in text[text.index("(") + 1 : -1].split(",")
            if part.strip(" *)")
        }
    )


def one_call(choose: random.Random, function, name: str, method: bool) -> None:
    def pick():
        return choose.choice(choose.choice(POOLS))

    def argument():
        kind = choose.random()
        if kind < 0.1:
            return [choose.choice(TENSORS) for _ in range(choose.randrange(4))]
        if kind < 0.15:
            return [pick() for _ in range(choose.randrange(4))]
        return pick()

    args = [argument() for _ in range(choose.choice([0, 1, 1, 2, 2, 3, 4, 6]))]
    if method or choose.random() < 0.7:
        args.insert(0, choose.choice(TENSORS))
    keywords = (
        {choose.choice(NAMES[name]): argument() for _ in range(choose.choice([0, 0, 0, 1, 2]))} if NAMES[name] else {}
    )
    try:
        result = function(*args, **keywords)
    except Exception:
        return
    use(result)


def use(result) -> None:
    """A wrong result may crash only when it is read, or differentiated."""
    if isinstance(result, (tuple, list)):
        for item in result[:10]:
            use(item)
    elif isinstance(result, chainrule.Tensor) and result.numel() < 10_000:
        result.tolist()
        if result.requires_grad:
            try:
                chainrule.autograd.grad(result.sum(), [TENSORS[GRAD]], allow_unused=True, retain_graph=True)
            except Exception:
                return


POOLS, TENSORS, GRAD, NAMES = [], [], 0, {}


def renew() -> None:
    """In-place calls change the tensors: make them anew."""
    global GRAD
    TENSORS[:] = tensors()
    GRAD = next(i for i, t in enumerate(TENSORS) if t.requires_grad and t.is_leaf)
    POOLS[:] = [TENSORS, numbers(), others()]


def main(part: int, parts: int) -> None:
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # the sanitizer needs all addresses, and has its own limit
        limit = 3 << 30  # so that what asks for too much fails at once
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    functions = [(name, f, False) for name, f in sorted(_core.functions.items())]
    methods = [
        (name, getattr(chainrule.Tensor, name), True)
        for name in sorted({n for f, n, _ in _core.signatures() if f == "method"})
    ]
    operators = [
        (n, getattr(chainrule.Tensor, n), True)
        for n in sorted(dir(chainrule.Tensor))
        if n.startswith("__") and n.strip("_") in OPERATORS
    ]
    for name, function, method in [*functions, *methods, *operators][part::parts]:
        if name in SLOW_OR_ENDLESS:
            continue
        print(name, flush=True)
        NAMES[name] = parameter_names(name)
        choose = random.Random(name)
        for i in range(CALLS):
            if i % 40 == 0:
                renew()
            one_call(choose, function, name, method)


OPERATORS = {
    "add",
    "radd",
    "sub",
    "rsub",
    "mul",
    "rmul",
    "truediv",
    "rtruediv",
    "floordiv",
    "rfloordiv",
    "mod",
    "rmod",
    "pow",
    "rpow",
    "matmul",
    "rmatmul",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
    "iadd",
    "isub",
    "imul",
    "itruediv",
    "ifloordiv",
    "imod",
    "ipow",
    "iand",
    "ior",
    "ixor",
    "ilshift",
    "irshift",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "neg",
    "pos",
    "abs",
    "invert",
    "getitem",
    "setitem",
    "bool",
    "int",
    "float",
    "index",
    "len",
    "contains",
}

if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
