"""Fourier transforms."""

from __future__ import annotations

from compare import main, numbers, same, torch

DTYPES = (torch.float32, torch.float64)
# What windows are taken and put back by.
INDEXED = (
    "RangeKernels::arange",
    *(f"PositionsKernels::{name}" for name in ("add_offsets", "combine_elements", "combine_slices", "read_slices")),
)
COMPLEX = {torch.float32: torch.complex64, torch.float64: torch.complex128}


def one_dimension() -> None:
    for dtype in DTYPES:
        for n in (1, 2, 7, 12, 37):
            x = numbers(3, n, dtype=dtype)
            z = numbers(3, n, dtype=COMPLEX[dtype])
            for norm in ("backward", "ortho", "forward"):
                same(lambda z, norm=norm: (torch.fft.fft(z, norm=norm), torch.fft.ifft(z, norm=norm)), z)
                same(lambda x, norm=norm: (torch.fft.rfft(x, norm=norm), torch.fft.fft(x, norm=norm)), x)
                same(lambda z, norm=norm, n=n: torch.fft.irfft(z, n=n, norm=norm), z)
            same(lambda z: torch.fft.hfft(z), numbers(2, n + 1, dtype=COMPLEX[dtype]))


def other_dimensions() -> None:
    for dtype in DTYPES:
        z = numbers(2, 5, 4, 3, dtype=COMPLEX[dtype])
        for dim in range(4):
            same(lambda z, dim=dim: torch.fft.fft(z, dim=dim), z)
        same(lambda z: torch.fft.ifft2(z, dim=(1, 2)), z)
        same(lambda z: torch.fft.fftn(z), z)
        x = numbers(2, 5, 4, 3, dtype=dtype)
        same(lambda x: torch.fft.rfft(x, dim=1), x)
        same(lambda x: torch.fft.fft(x, dim=2, norm="ortho"), x)
        same(lambda x: torch.fft.rfftn(x), x)
        same(lambda z: torch.fft.irfft(z, n=6, dim=2), z)
        same(lambda z: torch.fft.irfftn(z), z)


def spectrogram() -> None:
    x = numbers(2, 60)
    window = torch.hann_window(16)

    def there_and_back(x):
        w = window.to(x.device)
        z = torch.stft(x, 16, 4, window=w, return_complex=True)
        return z, torch.istft(z, 16, 4, window=w, length=60)

    same(there_and_back, x, allowed=INDEXED)


if __name__ == "__main__":
    main(globals())
