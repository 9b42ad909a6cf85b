"""Records of Fourier transforms. X draws real numbers; test_fft.py tries complex ones."""

from .composed import composed
from .record import X, op

_FORMS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")

FOURIER = [
    *(
        record
        for name in _FORMS
        for record in (
            op(f"fft_{name}", X(6)),
            op(f"fft_{name}", X(2, 7), 5, 0, "ortho"),
            op(f"fft_{name}", X(3, 4, 2), dim=1, norm="forward"),
            op(f"fft_{name}", X(3, 17)),
            op(f"fft_{name}2", X(2, 3, 4)),
            op(f"fft_{name}2", X(5, 3), (4, -1), (0, 1), "ortho"),
            op(f"fft_{name}n", X(2, 3, 4)),
            op(f"fft_{name}n", X(4, 3), 5),
            op(f"fft_{name}n", X(2, 3, 4), dim=(2, 0), norm="forward"),
        )
    ),
    composed("fft_fftshift", X(3, 4)),
    composed("fft_fftshift", X(3, 4), 1),
    composed("fft_ifftshift", X(5, 4)),
    composed("fft_ifftshift", X(5, 4), (0,)),
]
