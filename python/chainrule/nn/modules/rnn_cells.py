"""Recurrent cells: one step."""

from __future__ import annotations

import math
from typing import Any

from ..._core import Tensor
from ...error_words import at_call
from .. import init
from ..functional.core import core
from ..parameter import Parameter, fresh
from .module import Module

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "RNNCellBase"]

_rnn_cells = {"tanh": core("rnn_tanh_cell"), "relu": core("rnn_relu_cell")}
_lstm_cell, _gru_cell = core("lstm_cell"), core("gru_cell")


class RNNCellBase(Module):
    """What the cells share: their weights.

    Args:
        input_size, hidden_size: features of the input and of the hidden state.
        bias: whether there are any.

    >>> issubclass(torch.nn.LSTMCell, torch.nn.RNNCellBase)
    True
    """

    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        gates, options = num_chunks * hidden_size, {"device": device, "dtype": dtype}
        self.weight_ih = fresh(gates, input_size, **options)
        self.weight_hh = fresh(gates, hidden_size, **options)
        self.register_parameter("bias_ih", fresh(gates, **options) if bias else None)
        self.register_parameter("bias_hh", fresh(gates, **options) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the parameters: uniform between -1 and 1 over the root of hidden_size."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        parts += [f"bias={self.bias}"] if self.bias is not True else []
        nonlinearity = self.__dict__.get("nonlinearity", "tanh")
        parts += [f"nonlinearity={nonlinearity}"] if nonlinearity != "tanh" else []
        return ", ".join(parts)

    def _step(self, cell: Any, input: Tensor, state: tuple | None, count: int) -> tuple:
        """One step of the cell, with or without a batch."""
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise at_call(ValueError, f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for i, part in enumerate(state or ()):
            if part.dim() not in (1, 2):
                what = f"hx[{i}]" if count == 2 else "hidden"
                raise at_call(ValueError, f"{name}: Expected {what} to be 1D or 2D, got {part.dim()}D instead")
        batched = input.dim() == 2
        rows = input if batched else input.unsqueeze(0)
        if state is None:
            state = (rows.new_zeros(rows.shape[0], self.hidden_size),) * count
        elif not batched:
            state = tuple(part.unsqueeze(0) for part in state)
        self._check(rows, state)
        weights = (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        result = tuple(cell(rows, state, *weights)) if count == 2 else (cell(rows, state[0], *weights),)
        return result if batched else tuple(part.squeeze(0) for part in result)

    def _check(self, input: Tensor, state: tuple) -> None:
        if input.shape[1] != self.input_size:
            raise at_call(
                RuntimeError, f"input has inconsistent input_size: got {input.shape[1]} expected {self.input_size}"
            )
        for i, part in enumerate(state):
            if part.shape[0] != input.shape[0]:
                raise at_call(
                    RuntimeError,
                    f"Input batch size {input.shape[0]} doesn't match hidden{i} batch size {part.shape[0]}",
                )
            if part.shape[1] != self.hidden_size:
                raise at_call(
                    RuntimeError,
                    f"hidden{i} has inconsistent hidden_size: got {part.shape[1]}, expected {self.hidden_size}",
                )


class RNNCell(RNNCellBase):
    """tanh or relu of input and hidden state.

    >>> torch.nn.RNNCell(3, 4)(torch.ones(2, 3)).shape
    torch.Size([2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next hidden state."""
        cell = _rnn_cells.get(self.nonlinearity)
        if cell is None:
            raise at_call(RuntimeError, f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(cell, input, None if hx is None else (hx,), 1)[0]


class GRUCell(RNNCellBase):
    """A gated recurrent unit.

    >>> torch.nn.GRUCell(3, 4)(torch.ones(2, 3)).shape
    torch.Size([2, 4])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next hidden state."""
        return self._step(_gru_cell, input, None if hx is None else (hx,), 1)[0]


class LSTMCell(RNNCellBase):
    """Long short-term memory.

    >>> hidden, cell = torch.nn.LSTMCell(3, 4)(torch.ones(2, 3))
    >>> hidden.shape, cell.shape
    (torch.Size([2, 4]), torch.Size([2, 4]))
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        """The next hidden state and memory."""
        return self._step(_lstm_cell, input, hx, 2)  # type: ignore[return-value]
