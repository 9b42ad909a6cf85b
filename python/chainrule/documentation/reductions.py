"""Help. Many elements to one: sums, means, extremes, norms. Without `dim` over all elements; `keepdim` keeps size 1."""

TEXT = """
sum
    The sum of the elements, over `dim` or all; with `dtype`, converted first.
    Shape and dtype: Without the dimensions summed over; the dtype of the input (int64 for bool and integers), or
    `dtype`.
    >>> torch.sum(torch.tensor([[1., 2.], [3., 4.]]), dim=1)
    tensor([3., 7.])
mean
    The mean of the elements, over `dim` or all.
    Shape and dtype: Without the dimensions averaged over; the dtype of the input, which is floating or complex, or
    `dtype`.
    >>> torch.mean(torch.tensor([[1., 2.], [3., 4.]]), dim=0)
    tensor([2., 3.])
prod
    The product of the elements, along `dim` or all.
    Shape and dtype: Without `dim`; the dtype of the input (int64 for bool and integers), or `dtype`.
    >>> torch.prod(torch.tensor([2., 3., 4.]))
    tensor(24.)
nansum
    The sum of the elements that are not NaN.
    Shape and dtype: Without the dimensions summed over; the dtype of the input (int64 for bool and integers), or
    `dtype`.
    >>> torch.nansum(torch.tensor([1., float("nan"), 2.]))
    tensor(3.)
nanmean
    The mean of the elements that are not NaN.
    Shape and dtype: Without the dimensions averaged over; the dtype of the input, which is floating or complex, or
    `dtype`.
    Derivative: g / the number of such elements where x is a number, else 0
    >>> torch.nanmean(torch.tensor([1., float("nan"), 2.]))
    tensor(1.5000)
max
    The largest element; with `dim`, the largest along it and where it is; with `other`, maximum.
    Shape and dtype: Without `dim`; values have the dtype of the input, indices int64.
    >>> torch.max(torch.tensor([[1., 5.], [7., 2.]]))
    tensor(7.)
    >>> torch.max(torch.tensor([[1., 5.], [7., 2.]]), dim=1)
    torch.return_types.max(
    values=tensor([5., 7.]),
    indices=tensor([1, 0]))
min
    The smallest element; with `dim`, the smallest along it and where it is; with `other`, minimum.
    Shape and dtype: Without `dim`; values have the dtype of the input, indices int64.
    >>> torch.min(torch.tensor([[1., 5.], [7., 2.]]))
    tensor(1.)
    >>> torch.min(torch.tensor([[1., 5.], [7., 2.]]), dim=1)
    torch.return_types.min(
    values=tensor([1., 2.]),
    indices=tensor([0, 1]))
amax
    The largest element, over one dimension, several or all.
    Shape and dtype: Without the dimensions reduced; the dtype of the input.
    >>> torch.amax(torch.tensor([[1., 5.], [7., 2.]]), dim=1)
    tensor([5., 7.])
amin
    The smallest element, over one dimension, several or all.
    Shape and dtype: Without the dimensions reduced; the dtype of the input.
    >>> torch.amin(torch.tensor([[1., 5.], [7., 2.]]), dim=1)
    tensor([1., 2.])
segment_reduce
    Shape and dtype: The number of segments in place of the size at `axis`; the dtype of the data, which is floating.
    Derivative: that of the reduction, for each segment
    >>> torch.segment_reduce(torch.tensor([1., 2., 3., 4.]), "sum", lengths=torch.tensor([1, 3]))
    tensor([1., 9.])
aminmax
    The smallest and the largest element, along `dim` or of all.
    Shape and dtype: Without `dim`; the dtype of the input.
    >>> torch.aminmax(torch.tensor([1., 5., 3.]))
    torch.return_types.aminmax(
    min=tensor(1.),
    max=tensor(5.))
argmax
    Where the largest element is: the first one, along `dim` or counted over all.
    Shape and dtype: Without `dim`; int64.
    Derivative: none, the result is of integers
    >>> torch.argmax(torch.tensor([1., 5., 3.]))
    tensor(1)
argmin
    Where the smallest element is: the first one, along `dim` or counted over all.
    Shape and dtype: Without `dim`; int64.
    Derivative: none, the result is of integers
    >>> torch.argmin(torch.tensor([1., 5., 3.]))
    tensor(0)
all
    Whether all elements are true, that is, not zero, over `dim` or all.
    Shape and dtype: Without the dimensions reduced; bool, of uint8 uint8.
    Derivative: none, the result is bool
    >>> torch.all(torch.tensor([[True, False], [True, True]]), dim=1)
    tensor([False,  True])
any
    Whether any element is true, that is, not zero, over `dim` or all.
    Shape and dtype: Without the dimensions reduced; bool, of uint8 uint8.
    Derivative: none, the result is bool
    >>> torch.any(torch.tensor([[True, False], [False, False]]), dim=1)
    tensor([ True, False])
count_nonzero
    How many elements are not zero, over `dim` or all.
    Shape and dtype: Without the dimensions reduced; int64.
    Derivative: none, the result is of integers
    >>> torch.count_nonzero(torch.tensor([1, 0, 2]))
    tensor(2)
hash_tensor
    The exclusive or of the bits of the elements, each as float64 or int64, over `dim` or all: whether something has
    changed.
    Shape and dtype: Without the dimensions reduced; uint64.
    Derivative: none, the result is of integers
    >>> torch.hash_tensor(torch.tensor([1., 2.]))
    tensor(9218868437227405312, dtype=torch.uint64)
logsumexp
    log(sum(exp(x))) over `dim`, without overflow.
    Shape and dtype: Without the dimensions reduced; bool and integers are converted to the default float dtype first.
    >>> torch.logsumexp(torch.tensor([1000., 1000.]), dim=0)
    tensor(1000.6932)
var
    The variance over `dim` or all: squared distances from the mean, divided by n - correction (1).
    Shape and dtype: Without the dimensions reduced; the dtype of the input, which is floating (of complex numbers,
    the real dtype).
    >>> torch.var(torch.tensor([1., 2., 3., 4.]))
    tensor(1.6667)
std
    The standard deviation over `dim` or all: the root of the variance, divided by n - correction (1).
    Shape and dtype: Without the dimensions reduced; the dtype of the input, which is floating (of complex numbers,
    the real dtype).
    >>> torch.std(torch.tensor([1., 2., 3., 4.]))
    tensor(1.2910)
var_mean
    The variance and the mean, in one pass.
    Shape and dtype: Both without the dimensions reduced; the dtype of the input, which is floating.
    >>> torch.var_mean(torch.tensor([1., 2., 3., 4.]))
    (tensor(1.6667), tensor(2.5000))
std_mean
    The standard deviation and the mean, in one pass.
    Shape and dtype: Both without the dimensions reduced; the dtype of the input, which is floating.
    >>> torch.std_mean(torch.tensor([1., 2., 3., 4.]))
    (tensor(1.2910), tensor(2.5000))
norm
    The p-norm of the elements over `dim` or all: (sum of |x| ** p) ** (1 / p). "fro" is p = 2, and inf the largest
    magnitude.
    Shape and dtype: Without the dimensions reduced; the dtype of the input, which is floating or complex (the norm is
    real), or `dtype`.
    Derivative: g * sgn(x) * (|x| / y)^(p - 1)
    >>> torch.norm(torch.tensor([3., 4.]))
    tensor(5.)
median
    The middle element of all, or along `dim` with its index; of two middle ones the smaller.
    Shape and dtype: Without `dim`; values have the dtype of the input, indices int64.
    >>> torch.median(torch.tensor([3., 1., 2., 9.]))
    tensor(2.)
nanmedian
    The middle element of those that are not NaN; of two middle ones the smaller.
    Shape and dtype: Without `dim`; values have the dtype of the input, indices int64.
    >>> torch.nanmedian(torch.tensor([3., float("nan"), 1.]))
    tensor(1.)
mode
    The most frequent element along `dim`, the smallest of several, and where it is.
    Shape and dtype: Without `dim`; values have the dtype of the input, indices int64.
    >>> torch.mode(torch.tensor([1, 2, 2, 3])).values
    tensor(2)
quantile
    Shape and dtype: The shape of `q`, then the input without `dim`; the dtype of the input, float32 or float64.
    Derivative: zeros with g at the elements between which the quantile lies, each by its weight
    >>> torch.quantile(torch.tensor([1., 2., 3., 4.]), 0.5)
    tensor(2.5000)
nanquantile
    Shape and dtype: The shape of `q`, then the input without `dim`; the dtype of the input, float32 or float64.
    Derivative: zeros with g at the elements between which the quantile lies, each by its weight
    >>> torch.nanquantile(torch.tensor([1., float("nan"), 3.]), 0.5)
    tensor(2.)
trace
    The sum of the diagonal of a matrix.
    Shape and dtype: () of a matrix; its dtype (int64 for bool and integers).
    >>> torch.trace(torch.tensor([[1., 2.], [3., 4.]]))
    tensor(5.)
sum_to_size
    The sum over the dimensions that broadcasting `size` to the input's shape would expand.
    Shape and dtype: The size given; the dtype of the input.
    Derivative: g expanded to the shape of x
    >>> torch.ones(2, 3).sum_to_size(1, 3)
    tensor([[2., 2., 2.]])
cov
    Shape and dtype: (n, n) of an input of shape (n, observations), () of one dimension; the dtype of the input, of
    integers the default dtype.
    Derivative: each row: the sum over the others of (g + g.T) times their centred, weighted observations
    >>> torch.cov(torch.tensor([[1., 2., 3.], [3., 2., 1.]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
corrcoef
    Shape and dtype: (n, n) of an input of shape (n, observations), () of one dimension; the dtype of the input, of
    integers the default dtype.
    Derivative: that of cov(x) divided by the standard deviations, by the chain rule
    >>> torch.corrcoef(torch.tensor([[1., 2., 3.], [3., 2., 1.]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
"""
