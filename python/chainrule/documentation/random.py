"""Help. Random numbers: PyTorch's own streams, so that a seed gives the same numbers."""

TEXT = """
rand
    Numbers from 0 to below 1, all equally likely.
    Shape and dtype: The sizes given; the default dtype, or `dtype`.
    Derivative: none, the result has no history
    >>> _ = torch.manual_seed(0)
    >>> torch.rand(3)
    tensor([0.4963, 0.7682, 0.0885])
randn
    Standard normal numbers: mean 0, variance 1.
    Shape and dtype: The sizes given; the default dtype, or `dtype`.
    Derivative: none, the result has no history
    >>> _ = torch.manual_seed(0)
    >>> torch.randn(3)
    tensor([ 1.5410, -0.2934, -2.1788])
randint
    Whole numbers from `low` (0) to below `high`, all equally likely.
    Shape and dtype: The size given; int64, or `dtype`.
    Derivative: none, the result has no history
    >>> _ = torch.manual_seed(0)
    >>> torch.randint(0, 10, (3,))
    tensor([4, 9, 3])
randperm
    The numbers from 0 to n - 1 in random order.
    Shape and dtype: (n,); int64, or `dtype`.
    Derivative: none, the result has no history
    >>> _ = torch.manual_seed(0)
    >>> torch.randperm(4)
    tensor([0, 1, 3, 2])
rand_like
    Numbers from 0 to below 1, with the shape, dtype and layout of `input`.
    Shape and dtype: The shape of the input; its dtype, or `dtype`.
    Derivative: none, the values of the input are not used
    >>> _ = torch.manual_seed(0)
    >>> torch.rand_like(torch.zeros(3))
    tensor([0.4963, 0.7682, 0.0885])
randn_like
    Standard normal numbers, with the shape, dtype and layout of `input`.
    Shape and dtype: The shape of the input; its dtype, or `dtype`.
    Derivative: none, the values of the input are not used
    >>> _ = torch.manual_seed(0)
    >>> torch.randn_like(torch.zeros(3))
    tensor([ 1.5410, -0.2934, -2.1788])
randint_like
    Whole numbers from `low` (0) to below `high`, with the shape, dtype and layout of `input`.
    Shape and dtype: The shape of the input; its dtype, or `dtype`.
    Derivative: none, the values of the input are not used
    >>> _ = torch.manual_seed(0)
    >>> torch.randint_like(torch.zeros(3), 0, 10)
    tensor([4., 9., 3.])
bernoulli
    1 with the probability that `input` says, or `p`, and 0 otherwise.
    Shape and dtype: The shape and the dtype of the input.
    Derivative: 0
    >>> _ = torch.manual_seed(0)
    >>> torch.bernoulli(torch.tensor([0., 0.5, 1.]))
    tensor([0., 0., 1.])
binomial
    How many of `count` attempts succeed, each with the probability `prob`.
    Shape and dtype: The inputs are broadcast to one shape and have one dtype.
    >>> _ = torch.manual_seed(0)
    >>> torch.binomial(torch.tensor([10., 10.]), torch.tensor([0., 1.]))
    tensor([ 0., 10.])
normal
    Normal numbers with mean `mean` and standard deviation `std`, which are tensors or numbers.
    Shape and dtype: The inputs are broadcast to one shape, or `size`; the dtype of the inputs, or `dtype`.
    Derivative: 0
    >>> _ = torch.manual_seed(0)
    >>> torch.normal(torch.tensor([0., 100.]), 1.)
    tensor([ 1.5410, 99.7066])
poisson
    Counts of events of which `input` are expected.
    Shape and dtype: The shape and the dtype of the input.
    >>> _ = torch.manual_seed(0)
    >>> torch.poisson(torch.tensor([0., 3., 100.]))
    tensor([ 0.,  6., 96.])
multinomial
    Draws `num_samples` positions from each row, as likely as the numbers there say; each once, unless `replacement`.
    Shape and dtype: (num_samples,) of an input with one dimension, (rows, num_samples) of one with two; int64.
    Derivative: none, the result is of integers
    >>> _ = torch.manual_seed(0)
    >>> torch.multinomial(torch.tensor([0., 1., 0.]), 1)
    tensor([1])
uniform_
    Fills the tensor with numbers between `from` and `to`, all equally likely, and returns it.
    Shape and dtype: Any shape; floating or complex.
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(3).uniform_(1, 2)
    tensor([1.4963, 1.7682, 1.0885])
normal_
    Fills the tensor with normal numbers of mean `mean` and standard deviation `std`, and returns it.
    Shape and dtype: Any shape; floating or complex.
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(3).normal_(10, 1)
    tensor([11.5410,  9.7066,  7.8212])
log_normal_
    Fills the tensor with numbers whose logarithms are normal with `mean` and `std`, and returns it.
    Shape and dtype: Any shape; floating.
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(3).log_normal_()
    tensor([5.9263e+01, 1.5116e+00, 3.4819e-02])
cauchy_
    Fills the tensor with numbers of the Cauchy distribution around `median`, `sigma` wide, and returns it.
    Shape and dtype: Any shape; floating.
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(3).cauchy_()
    tensor([10.5977,  0.7648, -0.1283])
exponential_
    Fills the tensor with exponentially distributed numbers of mean 1 / lambd, and returns it.
    Shape and dtype: Any shape; floating.
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(3).exponential_()
    tensor([3.5083, 1.2304, 0.6150])
geometric_
    Fills the tensor with the number of attempts until the first success, each of probability `p`, and returns it.
    Shape and dtype: Any shape; any dtype but bool and complex.
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(3).geometric_(0.5)
    tensor([1., 1., 2.])
random_
    Fills the tensor with whole numbers from `from` to below `to`, or all that the dtype holds, and returns it.
    Shape and dtype: Any shape; any dtype but complex.
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(3).random_(0, 10)
    tensor([4., 9., 3.])
bernoulli_
    Fills the tensor with 1 with probability `p`, a number or a tensor, and 0 otherwise, and returns it.
    Shape and dtype: Any shape; any dtype but complex.
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(3).bernoulli_(0.5)
    tensor([0., 0., 1.])
"""
