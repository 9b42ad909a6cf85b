"""Help. The functions between the layers of a network."""

TEXT = """
relu
    The element where it is positive, 0 elsewhere.
    >>> torch.relu(torch.tensor([-1., 0., 2.]))
    tensor([0., 0., 2.])
hardtanh
    The element, held between `min_val` and `max_val`.
    >>> torch.nn.functional.hardtanh(torch.tensor([-2., 0.5, 2.]))
    tensor([-1.0000,  0.5000,  1.0000])
threshold
    The element where it is above `threshold`, `value` elsewhere.
    >>> torch.threshold(torch.tensor([-1., 0.5, 2.]), 1., 0.)
    tensor([0., 0., 2.])
leaky_relu
    The element where it is positive, negative_slope * x elsewhere.
    >>> torch.nn.functional.leaky_relu(torch.tensor([-1., 0., 2.]), 0.1)
    tensor([-0.1000,  0.0000,  2.0000])
prelu
    The element where it is positive, weight * x elsewhere; `weight` has one number, or one for each channel.
    >>> torch.prelu(torch.tensor([-1., 0., 2.]), torch.tensor([0.25]))
    tensor([-0.2500,  0.0000,  2.0000])
elu
    The element where it is positive, alpha * (exp(x) - 1) elsewhere.
    >>> torch.nn.functional.elu(torch.tensor([-1., 0., 2.]))
    tensor([-0.6321,  0.0000,  2.0000])
celu
    The element where it is positive, alpha * (exp(x / alpha) - 1) elsewhere.
    >>> torch.celu(torch.tensor([-1., 0., 2.]), 2.)
    tensor([-0.7869,  0.0000,  2.0000])
selu
    elu with the two constants that keep mean and variance through many layers.
    >>> torch.selu(torch.tensor([-1., 0., 2.]))
    tensor([-1.1113,  0.0000,  2.1014])
gelu
    x times the probability that a standard normal number is below x; `approximate` "tanh" takes a formula with tanh.
    >>> torch.nn.functional.gelu(torch.tensor([-1., 0., 2.]))
    tensor([-0.1587,  0.0000,  1.9545])
silu
    x * sigmoid(x).
    >>> torch.nn.functional.silu(torch.tensor([-1., 0., 2.]))
    tensor([-0.2689,  0.0000,  1.7616])
mish
    x * tanh(softplus(x)).
    >>> torch.nn.functional.mish(torch.tensor([-1., 0., 2.]))
    tensor([-0.3034,  0.0000,  1.9440])
softplus
    log(1 + exp(beta * x)) / beta, a smooth relu; x itself where beta * x is above `threshold`.
    >>> torch.nn.functional.softplus(torch.tensor([-1., 0., 2.]))
    tensor([0.3133, 0.6931, 2.1269])
hardshrink
    The element, and 0 where it lies between -lambd and lambd.
    >>> torch.hardshrink(torch.tensor([-1., 0.25, 2.]))
    tensor([-1.,  0.,  2.])
softshrink
    The element moved towards zero by `lambd`, and 0 where it lies between -lambd and lambd.
    >>> torch.nn.functional.softshrink(torch.tensor([-1., 0.25, 2.]))
    tensor([-0.5000,  0.0000,  1.5000])
hardsigmoid
    A straight line from 0 at -3 to 1 at 3, and flat outside.
    >>> torch.nn.functional.hardsigmoid(torch.tensor([-4., 0., 1.]))
    tensor([0.0000, 0.5000, 0.6667])
hardswish
    x * hardsigmoid(x).
    >>> torch.nn.functional.hardswish(torch.tensor([-4., 0., 1.]))
    tensor([-0.0000, 0.0000, 0.6667])
logsigmoid
    The logarithm of sigmoid(x), without overflow.
    >>> torch.nn.functional.logsigmoid(torch.tensor([-1., 0., 2.]))
    tensor([-1.3133, -0.6931, -0.1269])
softmax
    exp(x) along `dim`, divided by its sum: positive numbers that add up to 1. With `dtype`, converted first.
    Shape and dtype: The shape of the input; its dtype, which is floating, or `dtype`.
    >>> torch.softmax(torch.tensor([1., 2., 3.]), dim=0)
    tensor([0.0900, 0.2447, 0.6652])
log_softmax
    The logarithm of softmax along `dim`, calculated without overflow. With `dtype`, converted first.
    Shape and dtype: The shape of the input; its dtype, which is floating, or `dtype`.
    >>> torch.log_softmax(torch.tensor([1., 2., 3.]), dim=0)
    tensor([-2.4076, -1.4076, -0.4076])
rrelu
    leaky_relu with a slope for each element, drawn between `lower` and `upper` in training; their mean otherwise.
    Shape and dtype: The shape and the dtype of the input, which is floating.
    >>> torch.rrelu(torch.tensor([-1., 0., 2.]), lower=0.25, upper=0.25)
    tensor([-0.2500,  0.0000,  2.0000])
"""
