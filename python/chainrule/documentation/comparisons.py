"""Help. Questions about elements and about tensors."""

TEXT = """
eq
    Whether the elements are equal; NaN equals nothing.
    >>> torch.eq(torch.tensor([1, 2, 3]), torch.tensor([1, 5, 3]))
    tensor([ True, False,  True])
ne
    Whether the elements differ.
    >>> torch.ne(torch.tensor([1, 2, 3]), 2)
    tensor([ True, False,  True])
lt
    Whether `input` is smaller than `other`.
    >>> torch.lt(torch.tensor([1, 2, 3]), 2)
    tensor([ True, False, False])
le
    Whether `input` is smaller than or equal to `other`.
    >>> torch.le(torch.tensor([1, 2, 3]), 2)
    tensor([ True,  True, False])
gt
    Whether `input` is larger than `other`.
    >>> torch.gt(torch.tensor([1, 2, 3]), 2)
    tensor([False, False,  True])
ge
    Whether `input` is larger than or equal to `other`.
    >>> torch.ge(torch.tensor([1, 2, 3]), 2)
    tensor([False,  True,  True])
logical_and
    Whether both elements are true, that is, not zero.
    >>> torch.logical_and(torch.tensor([True, True]), torch.tensor([True, False]))
    tensor([ True, False])
logical_or
    Whether one of the elements is true, that is, not zero.
    >>> torch.logical_or(torch.tensor([True, False]), torch.tensor([False, False]))
    tensor([ True, False])
logical_xor
    Whether exactly one of the elements is true, that is, not zero.
    >>> torch.logical_xor(torch.tensor([True, True]), torch.tensor([True, False]))
    tensor([False,  True])
logical_not
    Whether the element is false, that is, zero.
    >>> torch.logical_not(torch.tensor([0., 2.]))
    tensor([ True, False])
isnan
    Whether the element is NaN; of a complex number, whether a part is.
    >>> torch.isnan(torch.tensor([1., float("nan")]))
    tensor([False,  True])
isinf
    Whether the element is infinite; of a complex number, whether a part is.
    >>> torch.isinf(torch.tensor([1., float("-inf")]))
    tensor([False,  True])
isfinite
    Whether the element is neither infinite nor NaN.
    >>> torch.isfinite(torch.tensor([1., float("inf"), float("nan")]))
    tensor([ True, False, False])
isposinf
    Whether the element is plus infinity.
    >>> torch.isposinf(torch.tensor([float("inf"), float("-inf")]))
    tensor([ True, False])
isneginf
    Whether the element is minus infinity.
    >>> torch.isneginf(torch.tensor([float("inf"), float("-inf")]))
    tensor([False,  True])
signbit
    Whether the element has a minus sign, as -0.0 does too.
    >>> torch.signbit(torch.tensor([-1., -0., 2.]))
    tensor([ True,  True, False])
isreal
    Shape and dtype: The shape of the input. The result is bool.
    Derivative: none, the result is bool
    >>> torch.isreal(torch.tensor([1 + 0j, 1j]))
    tensor([ True, False])
isclose
    Shape and dtype: The inputs are broadcast to one shape and have one dtype. The result is bool.
    Derivative: none, the result is bool
    >>> torch.isclose(torch.tensor([1., 2.]), torch.tensor([1.000001, 2.1]))
    tensor([ True, False])
allclose
    Shape and dtype: The inputs are broadcast to one shape and have one dtype. The result is a Python bool.
    Derivative: none, the result is a bool
    >>> torch.allclose(torch.tensor([1., 2.]), torch.tensor([1.000001, 2.]))
    True
equal
    Shape and dtype: The dtypes have to agree. The result is a Python bool, False where the shapes differ.
    Derivative: none, the result is a bool
    >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2]))
    True
isin
    Shape and dtype: The shape of `elements`. The result is bool.
    Derivative: none, the result is bool
    >>> torch.isin(torch.tensor([1, 2, 3, 4]), torch.tensor([2, 4]))
    tensor([False,  True, False,  True])
is_same_size
    Whether both tensors have the same shape.
    Shape and dtype: Any shapes and dtypes. The result is a Python bool.
    Derivative: none, the result is a bool
    >>> torch.is_same_size(torch.ones(2, 3), torch.zeros(2, 3))
    True
is_nonzero
    Whether the one element is not zero.
    Shape and dtype: One element of any dtype. The result is a Python bool.
    Derivative: none, the result is a bool
    >>> torch.is_nonzero(torch.tensor([0.]))
    False
is_complex
    Whether the dtype is complex.
    Shape and dtype: Any tensor. The result is a Python bool.
    Derivative: none, the result is a bool
    >>> torch.is_complex(torch.tensor([1j]))
    True
is_floating_point
    Whether the dtype is floating.
    Shape and dtype: Any tensor. The result is a Python bool.
    Derivative: none, the result is a bool
    >>> torch.is_floating_point(torch.tensor([1, 2]))
    False
is_signed
    Whether the dtype has negative numbers.
    Shape and dtype: Any tensor. The result is a Python bool.
    Derivative: none, the result is a bool
    >>> torch.is_signed(torch.tensor([1], dtype=torch.uint8))
    False
is_conj
    Whether the tensor is a view that conjugates when it is read: that of conj().
    Shape and dtype: Any tensor. The result is a Python bool.
    Derivative: none, the result is a bool
    >>> torch.is_conj(torch.tensor([1j]).conj())
    True
is_neg
    Whether the tensor is a view that negates when it is read: the imaginary part of a conjugate.
    Shape and dtype: Any tensor. The result is a Python bool.
    Derivative: none, the result is a bool
    >>> torch.is_neg(torch.tensor([1j]).conj().imag)
    True
is_distributed
    Whether the tensor is spread over several processes.
    Shape and dtype: Any tensor. The result is a Python bool.
    Derivative: none, the result is a bool
    >>> torch.is_distributed(torch.tensor([1.]))
    False
"""
