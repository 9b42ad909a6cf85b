"""Fourier transforms beside PyTorch's, and beside pocketfft as SciPy carries it (`--scipy`): time, and error.

Powers of two, products of small primes, a prime, a long one, two dimensions, real numbers, forward and backward.
"""

import sys

from harness import Workload, compare, libraries, main, ramp, report

SHAPES = ((64, 256), (64, 1000), (16, 1009), (1, 1 << 18))


def complex_numbers(torch, *shape):
    x = ramp(torch, *shape)
    return torch.complex(x, x.flip(0))


def inputs(*shape):
    return lambda torch: {"x": complex_numbers(torch, *shape), "fft": torch.fft}


def differentiated(*shape):
    return lambda torch: {"x": ramp(torch, *shape).requires_grad_(), "fft": torch.fft}


def transforms(inputs, bar):
    for shape in SHAPES:
        yield Workload(f"fft of {shape}", bar, inputs(*shape), "y = fft.fft(x)", "abs(y).sum(1) / x.shape[1]", 15)
    yield Workload("fft2 of (256, 256)", bar, inputs(256, 256), "y = fft.fft2(x)", "abs(y).sum(1) / 256", 15)


def workloads():
    yield from transforms(inputs, 1.5)
    step = "x.grad = None; y = fft.rfft(x).abs().sum(); y.backward()"
    yield Workload(
        "rfft of (64, 1024), forward and backward", 1.0, differentiated(64, 1024), step, "x.grad.abs().sum(1)", 15
    )


# ---- pocketfft


def arrays(*shape):
    """The same numbers as a tensor, or as an array where the library is SciPy."""

    def names(library):
        chainrule, _ = libraries()
        x = complex_numbers(chainrule, *shape)
        return {"x": x if library is chainrule else x.numpy(), "fft": library.fft}

    return names


def errors(scipy):
    """How far complex64 transforms are from complex128 ones, ours over SciPy's, root mean square."""
    chainrule, _ = libraries()
    for shape in SHAPES:
        x = complex_numbers(chainrule, *shape)
        exact = scipy.fft.fft(x.numpy().astype("complex128"))
        ours, theirs = (abs(y - exact) for y in (chainrule.fft.fft(x).numpy(), scipy.fft.fft(x.numpy())))
        yield shape, ((ours**2).mean() / (theirs**2).mean()) ** 0.5


def beside_scipy():
    import scipy.fft

    chainrule, _ = libraries()
    rows = [compare(workload, (chainrule, scipy)) for workload in transforms(arrays, 1.0)]
    report("fourier_scipy", rows, "SciPy")
    for shape, ratio in errors(scipy):
        print(f"error of fft of {shape}: {ratio:.2f} of SciPy's")


if __name__ == "__main__":
    beside_scipy() if "--scipy" in sys.argv else main("fourier", list(workloads()))
