"""Help. Sorting, searching, counting."""

TEXT = """
sort
    The elements along `dim` in ascending or `descending` order, and where each was; `stable` keeps the order of equal
    ones.
    Shape and dtype: The shape of the input; values have its dtype, indices int64.
    >>> torch.sort(torch.tensor([3., 1., 2.]))
    torch.return_types.sort(
    values=tensor([1., 2., 3.]),
    indices=tensor([1, 2, 0]))
argsort
    Where the elements are that sort puts first, second ... along `dim`.
    Shape and dtype: The shape of the input; int64.
    Derivative: none, the result is of integers
    >>> torch.argsort(torch.tensor([3., 1., 2.]))
    tensor([1, 2, 0])
msort
    The elements sorted along the first dimension.
    Shape and dtype: Those of the input.
    Derivative: g put back to where the elements were
    >>> torch.msort(torch.tensor([[3., 1.], [2., 5.]]))
    tensor([[2., 1.],
            [3., 5.]])
topk
    The `k` largest elements along `dim`, or the smallest if not `largest`, and where they are; in order if `sorted`.
    Shape and dtype: The shape of the input with k at `dim`; values have its dtype, indices int64.
    >>> torch.topk(torch.tensor([1., 4., 2., 3.]), 2)
    torch.return_types.topk(
    values=tensor([4., 3.]),
    indices=tensor([1, 3]))
kthvalue
    The `k`-th smallest element along `dim`, and where it is.
    Shape and dtype: Without `dim`; values have the dtype of the input, indices int64.
    >>> torch.kthvalue(torch.tensor([1., 4., 2., 3.]), 2)
    torch.return_types.kthvalue(
    values=tensor(2.),
    indices=tensor(2))
unique
    The different elements, or slices along `dim`, sorted; and if asked for where each element of the input is among
    them, and how often each occurs.
    Shape and dtype: One dimension, or fewer slices at `dim`; the dtype of the input, int64 for positions and counts.
    >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
unique_consecutive
    The elements, or slices along `dim`, without those that equal the one before; and if asked for where each element
    of the input went, and how often each was repeated.
    Shape and dtype: One dimension, or fewer slices at `dim`; the dtype of the input, int64 for positions and counts.
    >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]))
    tensor([1, 2, 1])
searchsorted
    Where each of the values would be inserted in the sorted sequence so that it stays sorted: before equal ones, or
    after them if `right`.
    Shape and dtype: The shape of the values; int64, or int32 if `out_int32`.
    Derivative: none, the result is of integers
    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([3, 6]))
    tensor([1, 3])
bucketize
    Which of the intervals between the sorted `boundaries` each element lies in.
    Shape and dtype: The shape of the input; int64, or int32 if `out_int32`.
    Derivative: none, the result is of integers
    >>> torch.bucketize(torch.tensor([0, 3, 9]), torch.tensor([1, 3, 5]))
    tensor([0, 1, 3])
bincount
    How often each of the numbers 0, 1, 2 ... occurs, or the sums of their `weights`.
    Shape and dtype: (largest number + 1,), at least `minlength`; int64, or the dtype of the weights.
    Derivative: none
    >>> torch.bincount(torch.tensor([0, 2, 2]))
    tensor([1, 0, 2])
histc
    How many elements lie in each of `bins` intervals of equal width between `min` and `max`; if both are 0, between
    the smallest and the largest element.
    Shape and dtype: (bins,); the dtype of the input.
    Derivative: none
    >>> torch.histc(torch.tensor([1., 2., 2., 4.]), bins=3, min=1, max=4)
    tensor([1., 2., 1.])
histogram
    How many elements, or how much weight, lie in each of the `bins`: a number of intervals over `range`, or edges.
    Shape and dtype: (bins,) counts and (bins + 1,) edges; the dtype of the input, float32 or float64.
    Derivative: none
    >>> torch.histogram(torch.tensor([1., 2., 2., 4.]), 3, range=(1., 4.))
    torch.return_types.histogram(
    hist=tensor([1., 2., 1.]),
    bin_edges=tensor([1., 2., 3., 4.]))
histogramdd
    Shape and dtype: Counts with a dimension for each column of the input (n, d), and d tensors of edges; its dtype.
    Derivative: none
    >>> torch.histogramdd(torch.tensor([[0., 0.], [1., 1.]]), (2, 2)).hist
    tensor([[1., 0.],
            [0., 1.]])
"""
