"""Recurrent layers."""

from __future__ import annotations

import math
import numbers
from typing import Any

from ..._core import Tensor, is_autocast_enabled
from ...error_words import at_call
from ...lazy import elsewhere
from ...user_warning import warn_user
from .. import init
from ..functional.core import core
from ..packed import PackedSequence
from ..parameter import Parameter, fresh
from .module import Module

__all__ = ["GRU", "LSTM", "RNN", "RNNBase"]

__getattr__ = elsewhere(__name__, "rnn_cells")

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
_SEQUENCES = {mode: core(mode.lower()) for mode in _GATES}


class RNNBase(Module):
    """What RNN, LSTM and GRU share.

    Args:
        input_size, hidden_size: features of the input and of the hidden state.
        num_layers: each layer reads what the one before gives.
        bias: whether there are any.
        batch_first: the input is (batch, length, features), not (length, batch, features).
        dropout: its probability, after each layer but the last.
        bidirectional: a second network reads the sequence from its end.
        proj_size: (LSTM) project the hidden state to so many features.

    >>> issubclass(torch.nn.LSTM, torch.nn.RNNBase)
    True
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        _check_arguments(mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size)
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for suffix in ["", "_reverse"][: self._directions]:
                self._add_layer(layer, f"_l{layer}{suffix}", {"device": device, "dtype": dtype})
        self.reset_parameters()

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def _output_size(self) -> int:
        return self.proj_size or self.hidden_size

    def _add_layer(self, layer: int, suffix: str, options: dict) -> None:
        gates = _GATES[self.mode] * self.hidden_size
        inputs = self.input_size if layer == 0 else self._output_size * self._directions
        shapes = {"weight_ih": (gates, inputs), "weight_hh": (gates, self._output_size)}
        if self.bias:
            shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
        if self.proj_size:
            shapes |= {"weight_hr": (self.proj_size, self.hidden_size)}
        for name, shape in shapes.items():
            setattr(self, name + suffix, fresh(*shape, **options))
        self._all_weights.append([name + suffix for name in shapes])

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The weights of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    _also_saved = ("_flat_weights_names", "_flat_weights")

    def __setstate__(self, state: dict) -> None:
        kept = {name: value for name, value in state.items() if name not in self._also_saved}
        super().__setstate__({"proj_size": 0, **kept})

    @property
    def _flat_weights_names(self) -> list[str]:
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self) -> list[Parameter]:
        return [getattr(self, name) for name in self._flat_weights_names]

    def flatten_parameters(self) -> None:
        """Does nothing: it is for GPUs."""

    def reset_parameters(self) -> None:
        """Draws the parameters: uniform between -1 and 1 over the root of hidden_size."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        parts += [f"proj_size={self.proj_size}"] if self.proj_size != 0 else []
        parts += [f"num_layers={self.num_layers}"] if self.num_layers != 1 else []
        parts += [f"bias={self.bias}"] if self.bias is not True else []
        parts += [f"batch_first={self.batch_first}"] if self.batch_first is not False else []
        parts += [f"dropout={self.dropout}"] if self.dropout != 0 else []
        parts += [f"bidirectional={self.bidirectional}"] if self.bidirectional is not False else []
        return ", ".join(parts)

    # ---- checks

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Raises unless the input fits the weights."""
        weight = getattr(self, "weight_ih_l0")  # noqa: B009
        if input.dtype is not weight.dtype and not is_autocast_enabled():
            raise at_call(
                ValueError,
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). Convert input: "
                f"input.to({weight.dtype}), or convert model: model.to({input.dtype})",
            )
        expected = 2 if batch_sizes is not None else 3
        if input.dim() != expected:
            raise at_call(RuntimeError, f"input must have {expected} dimensions, got {input.dim()}")
        if self.input_size != input.shape[-1]:
            raise at_call(
                RuntimeError,
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}",
            )

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The shape that the hidden state has to have."""
        batch = int(batch_sizes[0]) if batch_sizes is not None else input.shape[0 if self.batch_first else 1]
        return self.num_layers * self._directions, batch, self._output_size

    def check_hidden_size(
        self, hx: Tensor, expected_hidden_size: tuple, msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        """Raises unless the hidden state has that shape."""
        if hx.shape != expected_hidden_size:
            raise at_call(RuntimeError, msg.format(expected_hidden_size, list(hx.shape)))

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Raises unless input and hidden state fit."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The hidden state with its sequences in another order."""
        return hx if permutation is None else hx[:, permutation]

    # ---- forward

    def _no_state(self, input: Tensor, batch: int) -> Any:
        return input.new_zeros(self.num_layers * self._directions, batch, self.hidden_size)

    def _check_state_dims(self, hx: Any, batched: bool) -> None:
        dims = 3 if batched else 2
        if hx.dim() != dims:
            raise at_call(
                RuntimeError,
                f"For {'' if batched else 'un'}batched {dims}-D input, hx should also be {dims}-D but got "
                f"{hx.dim()}-D tensor",
            )

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The last layer's outputs for all steps, and the state at the end."""
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        name = self.mode.partition("_")[0]
        if input.dim() not in (2, 3):
            kind = " tensor" if name == "RNN" else ""
            raise at_call(ValueError, f"{name}: Expected input to be 2D or 3D, got {input.dim()}D{kind} instead")
        batched, batch_dim = input.dim() == 3, 0 if self.batch_first else 1
        if hx is not None:
            self._check_state_dims(hx, batched)
        if not batched:
            input = input.unsqueeze(batch_dim)
            hx = None if hx is None else _each(hx, lambda part: part.unsqueeze(1))
        batch = input.shape[batch_dim]
        hx = self._no_state(input, batch) if hx is None else hx
        self.check_forward_args(input, hx, None)
        if input.shape[1 - batch_dim] == 0:
            raise at_call(RuntimeError, "Expected sequence length to be larger than 0 in RNN")
        output, state = self._run(hx, input, self.batch_first)
        if batched:
            return output, state
        return output.squeeze(batch_dim), _each(state, lambda part: part.squeeze(1))

    def _forward_packed(self, packed: PackedSequence, hx: Any) -> tuple[PackedSequence, Any]:
        data, batch_sizes, order, back = packed
        hx = self._no_state(data, int(batch_sizes[0])) if hx is None else self.permute_hidden(hx, order)
        self.check_forward_args(data, hx, batch_sizes)
        output, state = self._run(hx, data, batch_sizes)
        return PackedSequence(output, batch_sizes, order, back), self.permute_hidden(state, back)

    def _run(self, hx: Any, input: Tensor, more: Any) -> tuple[Tensor, Any]:
        """The core's sequence; `more` is batch_first, or the batch sizes of packed data."""
        options = (self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        sequence, weights = _SEQUENCES[self.mode], self._flat_weights
        if isinstance(more, Tensor):
            output, *state = sequence(input, more, hx, weights, *options)
        else:
            output, *state = sequence(input, hx, weights, *options, more)
        return output, tuple(state) if len(state) == 2 else state[0]


def _each(state: Any, change: Any) -> Any:
    return tuple(map(change, state)) if isinstance(state, tuple) else change(state)


def _check_arguments(
    mode: str,
    input_size: Any,
    hidden_size: Any,
    num_layers: int,
    bias: Any,
    batch_first: Any,
    dropout: Any,
    proj_size: int,
) -> None:
    if not isinstance(dropout, numbers.Number) or isinstance(dropout, bool) or not 0 <= dropout <= 1:  # type: ignore[operator]
        raise at_call(
            ValueError,
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed",
        )
    if dropout > 0 and num_layers == 1:  # type: ignore[operator]
        warn_user(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
            f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}"
        )
    for name, value, kind in (
        ("bias", bias, bool),
        ("batch_first", batch_first, bool),
        ("input_size", input_size, int),
        ("hidden_size", hidden_size, int),
    ):
        if not isinstance(value, kind):
            raise at_call(TypeError, f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
    for name, value in (("input_size", input_size), ("hidden_size", hidden_size), ("num_layers", num_layers)):
        if value <= 0:
            raise at_call(ValueError, f"{name} must be greater than zero")
    if proj_size < 0:
        raise at_call(ValueError, "proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise at_call(ValueError, "proj_size has to be smaller than hidden_size")
    if mode not in _GATES:
        raise at_call(ValueError, "Unrecognized RNN mode: " + mode)


class RNN(RNNBase):
    """tanh or relu of input and hidden state. See RNNBase; nonlinearity ("tanh" or "relu") comes after num_layers.

    >>> rnn = torch.nn.RNN(input_size=3, hidden_size=4, batch_first=True)
    >>> output, last = rnn(torch.ones(2, 5, 3))
    >>> output.shape, last.shape
    (torch.Size([2, 5, 4]), torch.Size([1, 2, 4]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise at_call(ValueError, "proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            nonlinearity, args = args[3], args[:3] + args[4:]
        else:
            nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise at_call(ValueError, f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)
        self.nonlinearity = nonlinearity


class GRU(RNNBase):
    """Gated recurrent units. See RNNBase for the arguments.

    >>> rnn = torch.nn.GRU(input_size=3, hidden_size=4, batch_first=True)
    >>> output, last = rnn(torch.ones(2, 5, 3))
    >>> output.shape, last.shape
    (torch.Size([2, 5, 4]), torch.Size([1, 2, 4]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise at_call(ValueError, "proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


class LSTM(RNNBase):
    """Long short-term memory; the state is a pair of hidden state and memory. See RNNBase for the arguments.

    >>> rnn = torch.nn.LSTM(input_size=3, hidden_size=4, batch_first=True)
    >>> output, (hidden, cell) = rnn(torch.ones(2, 5, 3))
    >>> output.shape, hidden.shape, cell.shape
    (torch.Size([2, 5, 4]), torch.Size([1, 2, 4]), torch.Size([1, 2, 4]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The shape that the memory has to have."""
        return *self.get_expected_hidden_size(input, batch_sizes)[:2], self.hidden_size

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Raises unless input, hidden state and memory fit."""
        self.check_input(input, batch_sizes)
        for i, expected in enumerate((self.get_expected_hidden_size, self.get_expected_cell_size)):
            self.check_hidden_size(hidden[i], expected(input, batch_sizes), f"Expected hidden[{i}] size {{}}, got {{}}")

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """Hidden state and memory with their sequences in another order."""
        return hx if permutation is None else tuple(part[:, permutation] for part in hx)

    def _no_state(self, input: Tensor, batch: int) -> Any:
        lead = (self.num_layers * self._directions, batch)
        return input.new_zeros(*lead, self._output_size), input.new_zeros(*lead, self.hidden_size)

    def _check_state_dims(self, hx: Any, batched: bool) -> None:
        dims = 3 if batched else 2
        if hx[0].dim() != dims or hx[1].dim() != dims:
            raise at_call(
                RuntimeError,
                f"For {'' if batched else 'un'}batched {dims}-D input, hx and cx should also be {dims}-D but got "
                f"({hx[0].dim()}-D, {hx[1].dim()}-D) tensors",
            )
