"""Help. Running results along a dimension, differences and integrals."""

TEXT = """
cumsum
    Sums of all elements up to each one along `dim`; with `dtype`, converted first.
    Shape and dtype: The shape of the input; its dtype (int64 for bool and integers), or `dtype`.
    >>> torch.cumsum(torch.tensor([1., 2., 3.]), dim=0)
    tensor([1., 3., 6.])
cumprod
    Products of all elements up to each one along `dim`; with `dtype`, converted first.
    Shape and dtype: The shape of the input; its dtype (int64 for bool and integers), or `dtype`.
    >>> torch.cumprod(torch.tensor([1., 2., 3.]), dim=0)
    tensor([1., 2., 6.])
cummax
    The largest of all elements up to each one along `dim`, and where it is.
    Shape and dtype: The shape of the input; values have its dtype, indices int64.
    >>> torch.cummax(torch.tensor([1., 3., 2.]), dim=0)
    torch.return_types.cummax(
    values=tensor([1., 3., 3.]),
    indices=tensor([0, 1, 1]))
cummin
    The smallest of all elements up to each one along `dim`, and where it is.
    Shape and dtype: The shape of the input; values have its dtype, indices int64.
    >>> torch.cummin(torch.tensor([3., 1., 2.]), dim=0)
    torch.return_types.cummin(
    values=tensor([3., 1., 1.]),
    indices=tensor([0, 1, 1]))
logcumsumexp
    The logarithm of the sum of exp(x) over all elements up to each one along `dim`, without overflow.
    Shape and dtype: Those of the input, which is floating or complex.
    >>> torch.logcumsumexp(torch.tensor([0., 0., 0.]), dim=0)
    tensor([0.0000, 0.6931, 1.0986])
diff
    Shape and dtype: The size at `dim` smaller by n; the dtype of the input.
    Derivative: the differences of g, shifted the other way
    >>> torch.diff(torch.tensor([1, 4, 9, 16]))
    tensor([3, 5, 7])
gradient
    Shape and dtype: A tensor of the shape of the input for each dimension; its dtype.
    Derivative: the same differences of g, transposed
    >>> torch.gradient(torch.tensor([1., 4., 9., 16.]))
    (tensor([3., 4., 6., 7.]),)
trapezoid
    The integral along `dim` by the trapezoidal rule, with the sample points `x` or the distance `dx` between them.
    Shape and dtype: The shape of `y` without `dim`; the dtype to which y and x are promoted.
    Derivative: y: g times the mean of the distances on both sides
    >>> torch.trapezoid(torch.tensor([1., 2., 3.]))
    tensor(4.)
trapz = trapezoid
cumulative_trapezoid
    Shape and dtype: The shape of `y` with one element less at `dim`; the dtype to which y and x are promoted.
    Derivative: y: g summed from the other end, times the distances
    >>> torch.cumulative_trapezoid(torch.tensor([1., 2., 3.]))
    tensor([1.5000, 4.0000])
"""
