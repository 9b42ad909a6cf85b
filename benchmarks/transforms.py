"""Fourier transforms: powers of two, other lengths, primes, batches and images."""

from harness import Workload, main


def scattered(torch, *shape):
    """The same floats from both libraries, between -1 and 1 and well mixed."""
    count = 1
    for size in shape:
        count *= size
    whole = torch.arange(count, dtype=torch.int64) * 40503 * 25717 % 2**24
    return ((whole.to(torch.float64) - 2**23) / 2**23).reshape(shape)


def signals(dtype, *shape):
    def make(torch):
        x = scattered(torch, *shape).to(getattr(torch, dtype))
        z = torch.complex(x, x.flip(-1))
        return {"torch": torch, "x": x, "z": z, "half": z[..., : shape[-1] // 2 + 1].contiguous()}

    return make


def transforms(dtype, *shape):
    """There and back, of complex and of real numbers."""
    size, form = "x".join(map(str, shape)), "2" if shape == (512, 512) else ""
    names, sizes = signals(dtype, *shape), "s=x.shape" if form else f"n={shape[-1]}"
    for kind, statement in (
        ("fft", f"r = torch.fft.fft{form}(z)"),
        ("rfft", f"r = torch.fft.rfft{form}(x)"),
        ("irfft", f"r = torch.fft.irfft{form}(half, {sizes})"),
    ):
        # The error of a transform goes with its largest value.
        result = "[(torch.view_as_real(r) if r.is_complex() else r) / r.abs().max()]"
        yield Workload(f"{kind}{form} of {size}, {dtype}", 1.5, names, statement, result, 10)


SHAPES = [(64,), (1024,), (4096,), (1000,), (1009,), (512, 512), (64, 64), (100, 1000)]
WORKLOADS = [w for dtype in ("float32", "float64") for shape in SHAPES for w in transforms(dtype, *shape)]

if __name__ == "__main__":
    main("transforms", WORKLOADS)
