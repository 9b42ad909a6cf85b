"""float16 and bfloat16 beside numbers: what is rounded before it is calculated with, bit for bit as in PyTorch."""

import math

import pytest
import torch as reference

import chainrule

QUOTIENTS = {
    "trunc": lambda torch, a, b: torch.div(a, b, rounding_mode="trunc"),
    "floor": lambda torch, a, b: torch.div(a, b, rounding_mode="floor"),
    "operator": lambda torch, a, b: a // b,
    "number first": lambda torch, a, b: 3.7 // b,
    "one divisor": lambda torch, a, b: torch.div(a, b[:1], rounding_mode="trunc"),
    "in place": lambda torch, a, b: a.clone().floor_divide_(b),
}

ROUNDED = {
    "add": lambda x, number: x + number,
    "subtract": lambda x, number: x - number,
    "subtract from": lambda x, number: number - x,
    "add in place": lambda x, number: x.clone().add_(number),
    "remainder": lambda x, number: x % number,
    "compare": lambda x, number: x < number,
    "equal": lambda x, number: x == number,
    "multiply": lambda x, number: x * number,
    "multiply from the left": lambda x, number: number * x,
    "divide": lambda x, number: x / number,
    "divide, rounded": lambda x, number: x // number,
    "weight": lambda x, number: x.lerp(-x, number),
    "single tensor": lambda x, number: x + x.new_tensor(number).float().add(number - x.new_tensor(number).float()),
    "large integer": lambda x, number: x + int(number * 1000),
    "count": lambda x, number: x / int(number * 100000),
}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("program", ROUNDED)
def test_numbers_beside_halves_are_rounded_as_pytorch_rounds_them(program, dtype):
    for number in (2.5728300, -1.3461637, 3.4442185):
        results = []
        for torch in (chainrule, reference):
            x = torch.linspace(-4, 4, 33, dtype=torch.float64).to(getattr(torch, dtype))
            results.append(ROUNDED[program](x, number).tolist())
        assert results[0] == results[1]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_neighbours_of_halves(dtype):
    results = []
    for torch in (chainrule, reference):
        kind = getattr(torch, dtype)
        x = torch.tensor([1.0, -1.0, 0.0, 0.0, 65504.0, math.inf, -math.inf, 6e-8, 2.0, math.nan], dtype=kind)
        y = torch.tensor([2.0, 2.0, -1.0, 1.0, math.inf, 0.0, 0.0, 0.0, 2.0, 1.0], dtype=kind)
        results.append(str(torch.nextafter(x, y).tolist()))
    assert results[0] == results[1]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("program", QUOTIENTS)
def test_quotients_of_halves_are_rounded_step_by_step(program, dtype):
    results = []
    for torch in (chainrule, reference):
        torch.manual_seed(0)
        a, b = (torch.randn(2000) * 100).to(getattr(torch, dtype)), torch.randn(2000).to(getattr(torch, dtype))
        b[1::50] = 0
        results.append(str(QUOTIENTS[program](torch, a, b).tolist()))
    assert results[0] == results[1]


def test_the_spread_of_halves_whose_square_is_too_large():
    for program in (lambda t, x: x.std(), lambda t, x: t.std_mean(x, 0)[0], lambda t, x: t.std_mean(x, 0)[1]):
        mine, theirs = (program(t, t.tensor([0.0, -1000.0, 4.0, 3.9], dtype=t.float16)) for t in (chainrule, reference))
        assert (mine.item(), str(mine.dtype)) == (theirs.item(), str(theirs.dtype))
