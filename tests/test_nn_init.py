"""nn.init: the same seed gives PyTorch's numbers."""

import pytest
import torch as reference

import chainrule
from both import agree, outcome

EXACT = {
    "uniform_": lambda init, t: init.uniform_(t, -2, 3),
    "normal_": lambda init, t: init.normal_(t, 1, 2),
    "constant_": lambda init, t: init.constant_(t, 0.3),
    "ones_": lambda init, t: init.ones_(t),
    "zeros_": lambda init, t: init.zeros_(t),
    "xavier_uniform_": lambda init, t: init.xavier_uniform_(t, gain=2),
    "xavier_normal_": lambda init, t: init.xavier_normal_(t),
    "kaiming_uniform_": lambda init, t: init.kaiming_uniform_(t, a=0.1),
    "kaiming_normal_": lambda init, t: init.kaiming_normal_(t, mode="fan_out", nonlinearity="relu"),
    "trunc_normal_": lambda init, t: init.trunc_normal_(t, 0.1, 0.5, -1, 1),
    "trunc_normal_, far from the mean": lambda init, t: init.trunc_normal_(t, 0, 1, 1.5, 2.5),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(3, 5), (4, 3, 2), (20, 30)])
@pytest.mark.parametrize("name", EXACT)
def test_bit_for_bit(name, shape, dtype):
    def program(torch):
        parameter = torch.nn.Parameter(torch.empty(*shape, dtype=getattr(torch, dtype)))
        result = EXACT[name](torch.nn.init, parameter)
        return [result, result is parameter, torch.rand(3)]

    agree(program, tolerance=0)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 2, 2)])
def test_orthogonal(shape):
    def program(torch):
        return torch.nn.init.orthogonal_(torch.empty(*shape), gain=1.5)

    agree(program, tolerance=2e-6)


def test_the_others():
    def program(torch):
        init = torch.nn.init
        return [
            init.eye_(torch.empty(3, 4)),
            init.dirac_(torch.empty(4, 2, 3)),
            init.dirac_(torch.empty(4, 2, 3, 3), groups=2),
            init.dirac_(torch.empty(2, 2, 2, 3, 3)),
            init.sparse_(torch.empty(6, 4), 0.4),
            [
                init.calculate_gain(name)
                for name in ("linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu")
            ],
            init.calculate_gain("leaky_relu", 0.3),
            list(init._calculate_fan_in_and_fan_out(torch.empty(4, 3, 2, 2))),
        ]

    agree(program, tolerance=0)


@pytest.mark.parametrize(
    "step",
    [
        lambda init, torch: init.calculate_gain("none"),
        lambda init, torch: init.calculate_gain("leaky_relu", "a"),
        lambda init, torch: init.xavier_uniform_(torch.empty(3)),
        lambda init, torch: init.kaiming_uniform_(torch.empty(3, 3), mode="fan"),
        lambda init, torch: init.eye_(torch.empty(3)),
        lambda init, torch: init.dirac_(torch.empty(3, 3)),
        lambda init, torch: init.dirac_(torch.empty(3, 3, 3), groups=2),
        lambda init, torch: init.orthogonal_(torch.empty(3)),
        lambda init, torch: init.sparse_(torch.empty(3), 0.1),
    ],
)
def test_mistakes(step):
    def program(torch):
        return step(torch.nn.init, torch)

    assert repr(outcome(program, chainrule)) == repr(outcome(program, reference))


def test_old_names_warn():
    with pytest.warns(FutureWarning, match=r"`nn.init.uniform` is now deprecated in favor of `nn.init.uniform_`"):
        chainrule.nn.init.uniform(chainrule.empty(2))
