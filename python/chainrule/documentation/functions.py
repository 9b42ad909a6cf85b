"""Help. Powers, exponentials, logarithms, trigonometry, and the gamma and error functions."""

TEXT = """
pow
    input ** exponent.
    >>> torch.pow(torch.tensor([1., 2., 3.]), 2)
    tensor([1., 4., 9.])
sqrt
    The square root of each element; NaN where it is negative.
    >>> torch.sqrt(torch.tensor([1., 4., 2.]))
    tensor([1.0000, 2.0000, 1.4142])
rsqrt
    One divided by the square root of each element.
    >>> torch.rsqrt(torch.tensor([1., 4., 2.]))
    tensor([1.0000, 0.5000, 0.7071])
exp
    e to the power of each element.
    >>> torch.exp(torch.tensor([0., 1., 2.]))
    tensor([1.0000, 2.7183, 7.3891])
exp2
    2 to the power of each element.
    >>> torch.exp2(torch.tensor([0., 1., 3.]))
    tensor([1., 2., 8.])
expm1
    exp(x) - 1, exact for small x.
    >>> torch.expm1(torch.tensor([0., 1.]))
    tensor([0.0000, 1.7183])
log
    The natural logarithm of each element.
    >>> torch.log(torch.tensor([1., 2., 10.]))
    tensor([0.0000, 0.6931, 2.3026])
log2
    The logarithm to base 2.
    >>> torch.log2(torch.tensor([1., 2., 8.]))
    tensor([0., 1., 3.])
log10
    The logarithm to base 10.
    >>> torch.log10(torch.tensor([1., 10., 1000.]))
    tensor([0., 1., 3.])
log1p
    log(1 + x), exact for small x.
    >>> torch.log1p(torch.tensor([0., 1.]))
    tensor([0.0000, 0.6931])
logaddexp
    log(exp(input) + exp(other)), without overflow.
    >>> torch.logaddexp(torch.tensor([0., 1000.]), torch.tensor([0., 1000.]))
    tensor([6.9315e-01, 1.0007e+03])
logaddexp2
    log2(2 ** input + 2 ** other), without overflow.
    >>> torch.logaddexp2(torch.tensor([0., 10.]), torch.tensor([0., 10.]))
    tensor([ 1., 11.])
xlogy
    input * log(other), and 0 where `input` is 0.
    >>> torch.xlogy(torch.tensor([0., 2.]), torch.tensor([0., 3.]))
    tensor([0.0000, 2.1972])
sigmoid
    1 / (1 + exp(-x)): any number to one between 0 and 1.
    >>> torch.sigmoid(torch.tensor([-1., 0., 1.]))
    tensor([0.2689, 0.5000, 0.7311])
logit
    log(x / (1 - x)), the inverse of sigmoid; with `eps`, x is first held between eps and 1 - eps.
    >>> torch.logit(torch.tensor([0.25, 0.5, 0.9]))
    tensor([-1.0986,  0.0000,  2.1972])
sin
    The sine of each element, an angle in radians.
    >>> torch.sin(torch.tensor([0., 1., 2.]))
    tensor([0.0000, 0.8415, 0.9093])
cos
    The cosine of each element, an angle in radians.
    >>> torch.cos(torch.tensor([0., 1., 2.]))
    tensor([ 1.0000,  0.5403, -0.4161])
tan
    The tangent of each element, an angle in radians.
    >>> torch.tan(torch.tensor([0., 1., 2.]))
    tensor([ 0.0000,  1.5574, -2.1850])
asin
    The angle between -pi/2 and pi/2 whose sine the element is; NaN outside of -1 to 1.
    >>> torch.asin(torch.tensor([-1., 0., 0.5]))
    tensor([-1.5708,  0.0000,  0.5236])
acos
    The angle between 0 and pi whose cosine the element is; NaN outside of -1 to 1.
    >>> torch.acos(torch.tensor([-1., 0., 0.5]))
    tensor([3.1416, 1.5708, 1.0472])
atan
    The angle between -pi/2 and pi/2 whose tangent the element is.
    >>> torch.atan(torch.tensor([-1., 0., 2.]))
    tensor([-0.7854,  0.0000,  1.1071])
atan2
    The angle of the point (other, input), between -pi and pi.
    >>> torch.atan2(torch.tensor([1., 1.]), torch.tensor([1., -1.]))
    tensor([0.7854, 2.3562])
sinh
    The hyperbolic sine, (exp(x) - exp(-x)) / 2.
    >>> torch.sinh(torch.tensor([0., 1., 2.]))
    tensor([0.0000, 1.1752, 3.6269])
cosh
    The hyperbolic cosine, (exp(x) + exp(-x)) / 2.
    >>> torch.cosh(torch.tensor([0., 1., 2.]))
    tensor([1.0000, 1.5431, 3.7622])
tanh
    The hyperbolic tangent, sinh(x) / cosh(x): any number to one between -1 and 1.
    >>> torch.tanh(torch.tensor([-1., 0., 2.]))
    tensor([-0.7616,  0.0000,  0.9640])
asinh
    The inverse of sinh.
    >>> torch.asinh(torch.tensor([0., 1., 2.]))
    tensor([0.0000, 0.8814, 1.4436])
acosh
    The inverse of cosh; NaN below 1.
    >>> torch.acosh(torch.tensor([1., 2., 3.]))
    tensor([0.0000, 1.3170, 1.7627])
atanh
    The inverse of tanh; NaN outside of -1 to 1.
    >>> torch.atanh(torch.tensor([-0.5, 0., 0.5]))
    tensor([-0.5493,  0.0000,  0.5493])
sinc
    sin(pi * x) / (pi * x), and 1 at 0.
    >>> torch.sinc(torch.tensor([0., 0.5, 1.5]))
    tensor([ 1.0000,  0.6366, -0.2122])
deg2rad
    Degrees as radians.
    >>> torch.deg2rad(torch.tensor([90., 180.]))
    tensor([1.5708, 3.1416])
rad2deg
    Radians as degrees.
    >>> torch.rad2deg(torch.tensor([1., 3.]))
    tensor([ 57.2958, 171.8873])
angle
    The angle of a complex number; of a real one 0, or pi where it is negative.
    >>> torch.angle(torch.tensor([1 + 1j, -1 + 0j]))
    tensor([0.7854, 3.1416])
erf
    The error function.
    >>> torch.erf(torch.tensor([0., 0.5, 1.]))
    tensor([0.0000, 0.5205, 0.8427])
erfc
    1 - erf(x), exact for large x.
    >>> torch.erfc(torch.tensor([0., 0.5, 1.]))
    tensor([1.0000, 0.4795, 0.1573])
erfinv
    The inverse of erf.
    >>> torch.erfinv(torch.tensor([0., 0.5, -0.5]))
    tensor([ 0.0000,  0.4769, -0.4769])
lgamma
    The logarithm of the absolute value of the gamma function.
    >>> torch.lgamma(torch.tensor([1., 3., 5.]))
    tensor([0.0000, 0.6931, 3.1781])
digamma
    The derivative of lgamma.
    >>> torch.digamma(torch.tensor([1., 2.]))
    tensor([-0.5772,  0.4228])
polygamma
    The derivative of order `n` of digamma.
    >>> torch.polygamma(1, torch.tensor([1., 2.]))
    tensor([1.6449, 0.6449])
igamma
    The regularised lower incomplete gamma function P(input, other).
    >>> torch.igamma(torch.tensor([2., 3.]), torch.tensor([1., 3.]))
    tensor([0.2642, 0.5768])
igammac
    The regularised upper incomplete gamma function Q(input, other) = 1 - P(input, other).
    >>> torch.igammac(torch.tensor([2., 3.]), torch.tensor([1., 3.]))
    tensor([0.7358, 0.4232])
i0
    The modified Bessel function of the first kind of order 0.
    >>> torch.i0(torch.tensor([0., 1., 2.]))
    tensor([1.0000, 1.2661, 2.2796])
mvlgamma
    Shape and dtype: The shape of the input. Bool and integers are converted to the default float dtype first.
    Derivative: g * the sum of digamma(x - i / 2) for i = 0 ... p - 1
    >>> torch.mvlgamma(torch.tensor([2., 3.]), p=2)
    tensor([0.4516, 1.5502])
real
    The real parts of complex numbers, as a view; a real tensor itself.
    Shape and dtype: The shape of the input; float32 of complex64, float64 of complex128.
    Derivative: the complex number with real part g and imaginary part 0
    >>> torch.real(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([1., 3.])
imag
    The imaginary parts of complex numbers, as a view.
    Shape and dtype: The shape of the input, which is complex; float32 of complex64, float64 of complex128.
    Derivative: the complex number with real part 0 and imaginary part g
    >>> torch.imag(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([ 2., -4.])
conj
    The complex conjugate: each imaginary part with the opposite sign. A real tensor itself. It is a view: writing into
    it changes the input, and resolve_conj() makes a copy that shares nothing.
    Shape and dtype: The shape and the dtype of the input.
    >>> torch.conj(torch.tensor([1 + 2j, 3 - 4j])).resolve_conj()
    tensor([1.-2.j, 3.+4.j])
conj_physical
    The complex conjugate, calculated at once.
    Shape and dtype: The shape and the dtype of the input.
    >>> torch.conj_physical(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([1.-2.j, 3.+4.j])
resolve_conj
    A copy in which the conjugation of a conjugate view is carried out; any other tensor itself.
    Shape and dtype: The shape and the dtype of the input.
    Derivative: g
    >>> torch.resolve_conj(torch.tensor([1 + 2j]).conj())
    tensor([1.-2.j])
resolve_neg
    A copy in which the negation of a view that negates is carried out; any other tensor itself.
    Shape and dtype: The shape and the dtype of the input.
    Derivative: g
    >>> torch.resolve_neg(torch.tensor([1., -2.]))
    tensor([ 1., -2.])
complex
    Complex numbers of their real and their imaginary parts.
    Shape and dtype: The inputs are broadcast to one shape and have one dtype; of float32 complex64, of float64
    complex128.
    >>> torch.complex(torch.tensor([1., 2.]), torch.tensor([3., -4.]))
    tensor([1.+3.j, 2.-4.j])
polar
    Complex numbers of their magnitudes and their angles.
    Shape and dtype: The inputs are broadcast to one shape and have one dtype; of float32 complex64, of float64
    complex128.
    >>> torch.polar(torch.tensor([1., 2.]), torch.tensor([0., 3.])).real
    tensor([ 1.0000, -1.9800])
view_as_real
    Complex numbers as pairs of real ones: a view with a last dimension of size 2.
    Shape and dtype: (*, 2) of an input of shape (*); float32 of complex64, float64 of complex128.
    >>> torch.view_as_real(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([[ 1.,  2.],
            [ 3., -4.]])
view_as_complex
    Pairs of real numbers, along the last dimension, as complex ones: a view.
    Shape and dtype: (*) of an input of shape (*, 2); complex64 of float32, complex128 of float64.
    >>> torch.view_as_complex(torch.tensor([[1., 2.], [3., -4.]]))
    tensor([1.+2.j, 3.-4.j])
"""
