"""Recurrent networks."""

from __future__ import annotations

from compare import main, numbers, same, torch

import chainrule.nn as nn

DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


def parameters_of(module: nn.Module) -> list:
    """Different numbers for each, the same on every machine."""
    return [
        numbers(*p.shape, dtype=p.dtype, seed=i).mul(0.3).detach().requires_grad_()
        for i, p in enumerate(module.parameters())
    ]


def through(module: nn.Module, *inputs) -> None:
    """The module's results and all gradients, with its parameters as inputs."""
    names = [name for name, _ in module.named_parameters()]

    def calculate(*tensors):
        given = dict(zip(names, tensors[: len(names)], strict=True))
        return torch.func.functional_call(module, given, tuple(tensors[len(names) :]))

    same(calculate, *parameters_of(module), *inputs)


def cells() -> None:
    for dtype in DTYPES:
        for kind in (nn.LSTMCell, nn.GRUCell, nn.RNNCell):
            through(kind(5, 7, dtype=dtype), numbers(3, 5, dtype=dtype))


def layers() -> None:
    for dtype in (torch.float32, torch.float64):
        for kind in (nn.LSTM, nn.GRU, nn.RNN):
            through(kind(5, 6, num_layers=2, dtype=dtype), numbers(4, 3, 5, dtype=dtype))
            through(kind(5, 6, bidirectional=True, batch_first=True, dtype=dtype), numbers(3, 4, 5, dtype=dtype))
            through(kind(5, 6, bias=False, dtype=dtype), numbers(4, 5, dtype=dtype))
    through(nn.LSTM(5, 6, proj_size=3), numbers(4, 3, 5))


if __name__ == "__main__":
    main(globals())
