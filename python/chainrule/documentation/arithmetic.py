"""Help. Adding, multiplying, dividing, rounding, and choosing between elements."""

TEXT = """
add
    The sum of `input` and `other`; with `alpha`, input + alpha * other.
    >>> torch.add(torch.tensor([1., 2.]), torch.tensor([10., 20.]), alpha=2)
    tensor([21., 42.])
sub
    The difference of `input` and `other`; with `alpha`, input - alpha * other.
    >>> torch.sub(torch.tensor([5., 7.]), 2)
    tensor([3., 5.])
rsub
    The difference the other way round: other - alpha * input.
    >>> torch.rsub(torch.tensor([1., 2.]), 10)
    tensor([9., 8.])
mul
    The product of `input` and `other`, element by element.
    >>> torch.mul(torch.tensor([1., 2., 3.]), 10)
    tensor([10., 20., 30.])
div
    The quotient of `input` and `other`; `rounding_mode` "floor" or "trunc" rounds it, down or towards zero.
    >>> torch.div(torch.tensor([7., -7.]), 2)
    tensor([ 3.5000, -3.5000])
    >>> torch.div(torch.tensor([7., -7.]), 2, rounding_mode="floor")
    tensor([ 3., -4.])
floor_divide
    The quotient of `input` and `other`, rounded down.
    >>> torch.floor_divide(torch.tensor([7, -7]), 2)
    tensor([ 3, -4])
remainder
    What is left of `input` after dividing by `other` and rounding down; it has the sign of `other`, as in Python.
    >>> torch.remainder(torch.tensor([-3., 3., 7.]), 4)
    tensor([1., 3., 3.])
fmod
    What is left of `input` after dividing by `other` and rounding towards zero; it has the sign of `input`, as in C.
    >>> torch.fmod(torch.tensor([-3., 3., 7.]), 4)
    tensor([-3.,  3.,  3.])
neg
    Each element with the opposite sign.
    >>> torch.neg(torch.tensor([1., -2.]))
    tensor([-1.,  2.])
positive
    The input itself: what the operator + gives.
    >>> torch.positive(torch.tensor([1., -2.]))
    tensor([ 1., -2.])
reciprocal
    One divided by each element.
    >>> torch.reciprocal(torch.tensor([1., 2., 4.]))
    tensor([1.0000, 0.5000, 0.2500])
square
    The square of each element.
    >>> torch.square(torch.tensor([-1., 2., 3.]))
    tensor([1., 4., 9.])
abs
    The absolute value of each element.
    >>> torch.abs(torch.tensor([-1., 0., 2.]))
    tensor([1., 0., 2.])
sign
    -1, 0 or 1, as each element is negative, zero or positive.
    >>> torch.sign(torch.tensor([-3., 0., 2.]))
    tensor([-1.,  0.,  1.])
sgn
    The sign of each element; of a complex number, the number of magnitude 1 in its direction.
    >>> torch.sgn(torch.tensor([3 + 4j, 0j]))
    tensor([0.6000+0.8000j, 0.0000+0.0000j])
copysign
    The magnitude of `input` with the sign of `other`.
    >>> torch.copysign(torch.tensor([1., 2.]), torch.tensor([-1., 1.]))
    tensor([-1.,  2.])
maximum
    The larger of two elements; NaN if either is NaN. Equal elements share the gradient.
    >>> torch.maximum(torch.tensor([1., 5.]), torch.tensor([3., 2.]))
    tensor([3., 5.])
minimum
    The smaller of two elements; NaN if either is NaN. Equal elements share the gradient.
    >>> torch.minimum(torch.tensor([1., 5.]), torch.tensor([3., 2.]))
    tensor([1., 2.])
fmax
    The larger of two elements; NaN only if both are NaN.
    >>> torch.fmax(torch.tensor([1., float("nan")]), torch.tensor([3., 2.]))
    tensor([3., 2.])
fmin
    The smaller of two elements; NaN only if both are NaN.
    >>> torch.fmin(torch.tensor([1., float("nan")]), torch.tensor([3., 2.]))
    tensor([1., 2.])
clamp
    Each element, moved up to `min` or down to `max` where it lies outside; either bound may be left out.
    >>> torch.clamp(torch.tensor([-2., 0.5, 3.]), min=-1, max=1)
    tensor([-1.0000,  0.5000,  1.0000])
clamp_min
    Each element, moved up to `min` where it is smaller.
    >>> torch.clamp_min(torch.tensor([-2., 0.5, 3.]), 0)
    tensor([0.0000, 0.5000, 3.0000])
clamp_max
    Each element, moved down to `max` where it is larger.
    >>> torch.clamp_max(torch.tensor([-2., 0.5, 3.]), 1)
    tensor([-2.0000,  0.5000,  1.0000])
addcmul
    input + value * tensor1 * tensor2, in one pass.
    >>> torch.addcmul(torch.ones(2), torch.tensor([2., 3.]), torch.tensor([4., 5.]), value=0.5)
    tensor([5.0000, 8.5000])
addcdiv
    input + value * tensor1 / tensor2, in one pass.
    >>> torch.addcdiv(torch.ones(2), torch.tensor([2., 3.]), torch.tensor([4., 6.]), value=2)
    tensor([2., 2.])
lerp
    The point that lies the fraction `weight` of the way from `input` to `end`.
    >>> torch.lerp(torch.tensor([0., 10.]), torch.tensor([10., 20.]), 0.25)
    tensor([ 2.5000, 12.5000])
where
    `input` where the condition is true, `other` elsewhere. With the condition alone, the places where it is true, as
    nonzero(condition, as_tuple=True) gives them.
    >>> x = torch.tensor([-1., 2., -3.])
    >>> torch.where(x > 0, x, 0.)
    tensor([0., 2., 0.])
heaviside
    0 for negative elements, 1 for positive ones, and the element of `values` for zero.
    >>> torch.heaviside(torch.tensor([-1., 0., 2.]), torch.tensor([0.5]))
    tensor([0.0000, 0.5000, 1.0000])
nextafter
    The floating number that follows `input` in the direction of `other`.
    >>> torch.nextafter(torch.tensor([1.]), torch.tensor([2.])) > 1
    tensor([True])
ldexp
    input * 2 ** other.
    >>> torch.ldexp(torch.tensor([1., 3.]), torch.tensor([2, 4]))
    tensor([ 4., 48.])
hypot
    The length of the vector (input, other).
    >>> torch.hypot(torch.tensor([3., 5.]), torch.tensor([4., 12.]))
    tensor([ 5., 13.])
nan_to_num
    Each element, with NaN replaced by `nan` (0) and the infinities by `posinf` and `neginf` (the largest and the
    smallest finite numbers).
    >>> torch.nan_to_num(torch.tensor([float("nan"), 1., float("inf")]), posinf=9.)
    tensor([0., 1., 9.])
floor
    The largest whole number that is not larger than the element.
    >>> torch.floor(torch.tensor([-1.5, 1.5]))
    tensor([-2.,  1.])
ceil
    The smallest whole number that is not smaller than the element.
    >>> torch.ceil(torch.tensor([-1.5, 1.5]))
    tensor([-1.,  2.])
trunc
    The whole part of each element: rounded towards zero.
    >>> torch.trunc(torch.tensor([-1.5, 1.5]))
    tensor([-1.,  1.])
round
    The nearest whole number, of two equally near ones the even one; with `decimals`, rounded to that many.
    >>> torch.round(torch.tensor([0.5, 1.5, 2.6]))
    tensor([0., 2., 3.])
    >>> torch.round(torch.tensor([1.2345]), decimals=2)
    tensor([1.2300])
frac
    The part of each element after the decimal point, with its sign.
    >>> torch.frac(torch.tensor([-1.5, 2.25]))
    tensor([-0.5000,  0.2500])
gcd
    The greatest common divisor.
    >>> torch.gcd(torch.tensor([12, 18]), torch.tensor([8, 27]))
    tensor([4, 9])
lcm
    The least common multiple.
    >>> torch.lcm(torch.tensor([4, 6]), torch.tensor([6, 9]))
    tensor([12, 18])
bitwise_and
    The bits that are set in both; of bool, logical and.
    >>> torch.bitwise_and(torch.tensor([6, 12]), 5)
    tensor([4, 4])
bitwise_or
    The bits that are set in either; of bool, logical or.
    >>> torch.bitwise_or(torch.tensor([6, 12]), 5)
    tensor([ 7, 13])
bitwise_xor
    The bits that are set in one of the two only.
    >>> torch.bitwise_xor(torch.tensor([6, 12]), 5)
    tensor([3, 9])
bitwise_not
    The bits that are not set; of bool, logical not.
    >>> torch.bitwise_not(torch.tensor([0, 5]))
    tensor([-1, -6])
bitwise_left_shift
    input * 2 ** other, by moving bits.
    >>> torch.bitwise_left_shift(torch.tensor([1, 3]), 2)
    tensor([ 4, 12])
bitwise_right_shift
    input / 2 ** other rounded down, by moving bits.
    >>> torch.bitwise_right_shift(torch.tensor([8, 13]), 2)
    tensor([2, 3])
float_power
    input ** exponent, calculated in float64 or complex128.
    Shape and dtype: The inputs are broadcast to one shape. The result is float64, of complex numbers complex128.
    Derivative: input: g * exponent * input ** (exponent - 1), exponent: g * y * log(input)
    >>> torch.float_power(torch.tensor([1, 2, 3]), 2)
    tensor([1., 4., 9.], dtype=torch.float64)
frexp
    Shape and dtype: Both results have the shape of the input; the mantissa its dtype, which is floating, the exponent
    int32.
    Derivative: g / 2 ** exponent
    >>> torch.frexp(torch.tensor([1., 6., 0.75]))
    torch.return_types.frexp(
    mantissa=tensor([0.5000, 0.7500, 0.7500]),
    exponent=tensor([1, 3, 0], dtype=torch.int32))
"""
