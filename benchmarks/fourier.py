"""Fourier transforms: powers of two, products of small primes, primes, two dimensions, forward and backward."""

from harness import Workload, main, ramp


def complex_numbers(torch, *shape):
    x = ramp(torch, *shape)
    return torch.complex(x, x.flip(0))


def inputs(*shape):
    return lambda torch: {"x": complex_numbers(torch, *shape), "fft": torch.fft}


def differentiated(*shape):
    return lambda torch: {"x": ramp(torch, *shape).requires_grad_(), "fft": torch.fft}


def workloads():
    for shape in ((64, 256), (64, 1000), (16, 1009), (1, 1 << 18)):
        yield Workload(f"fft of {shape}", 1.5, inputs(*shape), "y = fft.fft(x)", "y.abs().sum(1) / x.shape[1]", 15)
    yield Workload("fft2 of (256, 256)", 1.5, inputs(256, 256), "y = fft.fft2(x)", "y.abs().sum(1) / 256", 15)
    step = "x.grad = None; y = fft.rfft(x).abs().sum(); y.backward()"
    yield Workload(
        "rfft of (64, 1024), forward and backward", 1.0, differentiated(64, 1024), step, "x.grad.abs().sum(1)", 15
    )


if __name__ == "__main__":
    main("fourier", list(workloads()))
