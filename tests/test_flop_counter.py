"""How many floating-point operations a block takes: the numbers are PyTorch's."""

import importlib

import pytest
import torch as reference

import chainrule
from chainrule.utils.flop_counter import FlopCounterMode

PROGRAMS = {
    "linear": lambda torch, r: torch.nn.Linear(3, 4)(r(2, 5, 3)),
    "linear without bias": lambda torch, r: torch.nn.Linear(3, 4, bias=False)(r(2, 3)),
    "first layer": lambda torch, r: torch.nn.Linear(3, 4)(r(2, 3).detach()),
    "matmul": lambda torch, r: r(2, 3, 4) @ r(2, 4, 5),
    "matmul with a vector": lambda torch, r: r(3, 4) @ r(4),
    "addmm": lambda torch, r: torch.addmm(r(5), r(3, 4), r(4, 5)),
    "baddbmm": lambda torch, r: torch.baddbmm(r(2, 3, 5), r(2, 3, 4), r(2, 4, 5)),
    "einsum": lambda torch, r: torch.einsum("bij,jk->bik", r(2, 3, 4), r(4, 5)),
    "tensordot": lambda torch, r: torch.tensordot(r(2, 3, 4), r(4, 5), 1),
    "conv": lambda torch, r: torch.nn.Conv2d(3, 8, 3, stride=2)(r(2, 3, 9, 9)),
    "transposed conv": lambda torch, r: torch.nn.ConvTranspose1d(4, 2, 3)(r(2, 4, 9)),
    "named arguments": lambda torch, r: torch.nn.functional.conv1d(r(1, 2, 5), weight=r(3, 2, 3), bias=r(3)),
    "heads": lambda torch, r: torch.nn.MultiheadAttention(4, 2)(*[r(5, 1, 4)] * 3)[0],
}


def counted(torch, program):
    counter = importlib.import_module(f"{torch.__name__}.utils.flop_counter").FlopCounterMode(display=False)
    with counter:
        y = program(torch, lambda *shape: torch.rand(*shape, requires_grad=True))
        forward = counter.get_total_flops()
        y.sum().backward()
    return forward, {
        module: {str(op): flops for op, flops in counts.items()} for module, counts in counter.get_flop_counts().items()
    }


@pytest.mark.parametrize("name", PROGRAMS)
def test_counts(name):
    assert counted(chainrule, PROGRAMS[name]) == counted(reference, PROGRAMS[name])


@pytest.mark.parametrize("kind", ["GRU", "RNN", "LSTMCell", "GRUCell"])
def test_recurrent_counts(kind):
    def forward(torch):
        return counted(torch, lambda torch, r: getattr(torch.nn, kind)(3, 4)(r(2, 3))[0])[0]

    assert forward(chainrule) == forward(reference)


def test_what_pytorch_does_not_count_on_a_cpu():
    forward, counts = counted(
        chainrule,
        lambda torch, r: torch.nn.functional.scaled_dot_product_attention(
            r(1, 2, 5, 4), r(1, 2, 6, 4), r(1, 2, 6, 4), attn_mask=torch.zeros(5, 6)
        ),
    )
    assert forward == 2 * 2 * 5 * 6 * (4 + 4)
    assert sum(counts["Global"].values()) == 3 * forward
    assert counted(chainrule, lambda torch, r: torch.nn.LSTM(3, 4)(r(5, 2, 3))[0])[0] == 2 * 10 * (16 * 3 + 16 * 4)


def test_table(capsys):
    net = chainrule.nn.Sequential(chainrule.nn.Linear(10, 100), chainrule.nn.Linear(100, 1))
    with FlopCounterMode() as counter:
        net(chainrule.ones(1, 10))
    assert capsys.readouterr().out == counter.get_table() + "\n"
    assert counter.get_table(1).splitlines() == [
        "Module         FLOP  % Total",
        "-------------  ----  -------",
        "Sequential     2200  100.00%",
        " - aten.addmm  2200  100.00%",
    ]
    with pytest.raises(RuntimeError, match="custom_mapping is not supported"):
        FlopCounterMode(custom_mapping={"op": len})
