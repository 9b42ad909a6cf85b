"""Help. torch.special: functions of mathematical physics and of probability."""

TEXT = """
special_entr
    -x * log(x), the entropy of a probability; 0 at 0 and minus infinity below.
    >>> torch.special.entr(torch.tensor([0., 0.5, 1.]))
    tensor([0.0000, 0.3466, -0.0000])
special_xlog1py
    input * log1p(other), and 0 where `input` is 0.
    >>> torch.special.xlog1py(torch.tensor([0., 2.]), torch.tensor([-1., 3.]))
    tensor([0.0000, 2.7726])
special_erfcx
    exp(x ** 2) * erfc(x), without overflow for large x.
    >>> torch.special.erfcx(torch.tensor([0., 1., 10.]))
    tensor([1.0000, 0.4276, 0.0561])
special_ndtr
    The probability that a standard normal number is smaller than x.
    >>> torch.special.ndtr(torch.tensor([-1., 0., 1.]))
    tensor([0.1587, 0.5000, 0.8413])
special_log_ndtr
    The logarithm of ndtr(x), exact far to the left.
    >>> torch.special.log_ndtr(torch.tensor([-10., 0., 1.]))
    tensor([-53.2313,  -0.6931,  -0.1728])
special_ndtri
    The inverse of ndtr: which number a standard normal one lies below with this probability.
    >>> torch.special.ndtri(torch.tensor([0.1, 0.5, 0.975]))
    tensor([-1.2816,  0.0000,  1.9600])
special_zeta
    The Hurwitz zeta function: the sum of 1 / (k + other) ** input over k = 0, 1, 2 ...
    >>> torch.special.zeta(torch.tensor([2., 4.]), 1)
    tensor([1.6449, 1.0823])
special_i0e
    The modified Bessel function of the first kind of order 0, times exp(-|x|).
    >>> torch.special.i0e(torch.tensor([0., 1., 2.]))
    tensor([1.0000, 0.4658, 0.3085])
special_i1
    The modified Bessel function of the first kind of order 1.
    >>> torch.special.i1(torch.tensor([0., 1., 2.]))
    tensor([0.0000, 0.5652, 1.5906])
special_i1e
    The modified Bessel function of the first kind of order 1, times exp(-|x|).
    >>> torch.special.i1e(torch.tensor([0., 1., 2.]))
    tensor([0.0000, 0.2079, 0.2153])
special_bessel_j0
    The Bessel function of the first kind of order 0.
    >>> torch.special.bessel_j0(torch.tensor([0., 1., 2.]))
    tensor([1.0000, 0.7652, 0.2239])
special_bessel_j1
    The Bessel function of the first kind of order 1.
    >>> torch.special.bessel_j1(torch.tensor([0., 1., 2.]))
    tensor([0.0000, 0.4401, 0.5767])
special_bessel_y0
    The Bessel function of the second kind of order 0.
    >>> torch.special.bessel_y0(torch.tensor([0.5, 1., 2.]))
    tensor([-0.4445,  0.0883,  0.5104])
special_bessel_y1
    The Bessel function of the second kind of order 1.
    >>> torch.special.bessel_y1(torch.tensor([0.5, 1., 2.]))
    tensor([-1.4715, -0.7812, -0.1070])
special_modified_bessel_i0
    The modified Bessel function of the first kind of order 0.
    >>> torch.special.modified_bessel_i0(torch.tensor([0., 1., 2.]))
    tensor([1.0000, 1.2661, 2.2796])
special_modified_bessel_i1
    The modified Bessel function of the first kind of order 1.
    >>> torch.special.modified_bessel_i1(torch.tensor([0., 1., 2.]))
    tensor([0.0000, 0.5652, 1.5906])
special_modified_bessel_k0
    The modified Bessel function of the second kind of order 0.
    >>> torch.special.modified_bessel_k0(torch.tensor([0.5, 1., 2.]))
    tensor([0.9244, 0.4210, 0.1139])
special_modified_bessel_k1
    The modified Bessel function of the second kind of order 1.
    >>> torch.special.modified_bessel_k1(torch.tensor([0.5, 1., 2.]))
    tensor([1.6564, 0.6019, 0.1399])
special_scaled_modified_bessel_k0
    The modified Bessel function of the second kind of order 0, times exp(x).
    >>> torch.special.scaled_modified_bessel_k0(torch.tensor([0.5, 1., 2.]))
    tensor([1.5241, 1.1445, 0.8416])
special_scaled_modified_bessel_k1
    The modified Bessel function of the second kind of order 1, times exp(x).
    >>> torch.special.scaled_modified_bessel_k1(torch.tensor([0.5, 1., 2.]))
    tensor([2.7310, 1.6362, 1.0335])
special_spherical_bessel_j0
    The spherical Bessel function of order 0: sin(x) / x.
    >>> torch.special.spherical_bessel_j0(torch.tensor([0., 1., 2.]))
    tensor([1.0000, 0.8415, 0.4546])
special_airy_ai
    The Airy function Ai.
    >>> torch.special.airy_ai(torch.tensor([0., 1., 2.]))
    tensor([0.3550, 0.1353, 0.0349])
special_chebyshev_polynomial_t
    The Chebyshev polynomial of the first kind T of degree n.
    >>> torch.special.chebyshev_polynomial_t(torch.tensor([0., 0.5, 1.]), 2)
    tensor([-1.0000, -0.5000,  1.0000])
special_chebyshev_polynomial_u
    The Chebyshev polynomial of the second kind U of degree n.
    >>> torch.special.chebyshev_polynomial_u(torch.tensor([0., 0.5, 1.]), 2)
    tensor([-1.,  0.,  3.])
special_chebyshev_polynomial_v
    The Chebyshev polynomial of the third kind V of degree n.
    >>> torch.special.chebyshev_polynomial_v(torch.tensor([0., 0.5, 1.]), 2)
    tensor([-1., -1.,  1.])
special_chebyshev_polynomial_w
    The Chebyshev polynomial of the fourth kind W of degree n.
    >>> torch.special.chebyshev_polynomial_w(torch.tensor([0., 0.5, 1.]), 2)
    tensor([-1.,  1.,  5.])
special_shifted_chebyshev_polynomial_t
    T of degree n at 2 * x - 1, so that its interval is 0 to 1.
    >>> torch.special.shifted_chebyshev_polynomial_t(torch.tensor([0., 0.5, 1.]), 2)
    tensor([ 1., -1.,  1.])
special_shifted_chebyshev_polynomial_u
    U of degree n at 2 * x - 1, so that its interval is 0 to 1.
    >>> torch.special.shifted_chebyshev_polynomial_u(torch.tensor([0., 0.5, 1.]), 2)
    tensor([ 3., -1.,  3.])
special_shifted_chebyshev_polynomial_v
    V of degree n at 2 * x - 1, so that its interval is 0 to 1.
    >>> torch.special.shifted_chebyshev_polynomial_v(torch.tensor([0., 0.5, 1.]), 2)
    tensor([ 5., -1.,  1.])
special_shifted_chebyshev_polynomial_w
    W of degree n at 2 * x - 1, so that its interval is 0 to 1.
    >>> torch.special.shifted_chebyshev_polynomial_w(torch.tensor([0., 0.5, 1.]), 2)
    tensor([ 1., -1.,  5.])
special_hermite_polynomial_h
    The physicists' Hermite polynomial H of degree n.
    >>> torch.special.hermite_polynomial_h(torch.tensor([0., 0.5, 1.]), 2)
    tensor([-2., -1.,  2.])
special_hermite_polynomial_he
    The probabilists' Hermite polynomial He of degree n.
    >>> torch.special.hermite_polynomial_he(torch.tensor([0., 0.5, 1.]), 2)
    tensor([-1.0000, -0.7500,  0.0000])
special_laguerre_polynomial_l
    The Laguerre polynomial L of degree n.
    >>> torch.special.laguerre_polynomial_l(torch.tensor([0., 0.5, 1.]), 2)
    tensor([ 1.0000,  0.1250, -0.5000])
special_legendre_polynomial_p
    The Legendre polynomial P of degree n.
    >>> torch.special.legendre_polynomial_p(torch.tensor([0., 0.5, 1.]), 2)
    tensor([-0.5000, -0.1250,  1.0000])
special_multigammaln = mvlgamma
special_round = round
special_softmax = softmax
special_log_softmax = log_softmax
special_logsumexp = logsumexp
"""
