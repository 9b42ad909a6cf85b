"""Short-time Fourier transforms: a signal cut into overlapping windows, each transformed, and back."""

from __future__ import annotations

from .. import _core, arange, ones, view_as_real
from .._core import Tensor
from ..nn.functional import pad
from ..user_warning import warn_user
from .checks import wrap_dim

_fft, _ifft, _rfft, _irfft = (_core.functions[f"fft_{name}"] for name in ("fft", "ifft", "rfft", "irfft"))


def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Tensor | None,
    center: bool,
    pad_mode: str,
    normalized: bool,
    onesided: bool | None,
    return_complex: bool | None,
    align_to_window: bool | None,
) -> Tensor:
    """The Fourier transforms of overlapping pieces: frequencies by pieces."""
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    if center:
        input = _padded(input, n_fft // 2, n_fft // 2, pad_mode)
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    call = (
        f"stft({input.type()}{list(input.shape)}, n_fft={n_fft}, hop_length={hop}, win_length={length}, "
        f"window={_shown(window)}, normalized={int(normalized)}, onesided={_optional(onesided)}, "
        f"return_complex={_optional(return_complex)}, align_to_window={_optional(align_to_window)}) "
    )
    is_complex = input.is_complex() or (window is not None and window.is_complex())
    return_complex = _checked_return(is_complex, return_complex)
    _check_pieces(call, input, n_fft, hop, length, window)
    if window is None:
        warn_user(
            "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. "
            "Other windows such as torch.hann_window or torch.hamming_window are recommended to reduce spectral "
            "leakage.To suppress this warning and use a rectangular window, explicitly set "
            "`window=torch.ones(n_fft, device=<device>)`."
        )
    if onesided and is_complex:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    if align_to_window:
        left = (n_fft - length) // 2
        input = pad(input, (left, n_fft - length - left))
    pieces = input.unfold(-1, n_fft, hop)
    if window is not None or length < n_fft:
        pieces = pieces * _full_window(ones(length, dtype=input.dtype) if window is None else window, n_fft)
    transform = _fft if is_complex or onesided is False else _rfft
    result = transform(pieces, norm="ortho" if normalized else "backward").transpose(-1, -2)
    return result if return_complex else view_as_real(result)


def _padded(input: Tensor, left: int, right: int, mode: str) -> Tensor:
    """nn.functional.pad along the last dimension, which takes batches and channels."""
    extended = input.reshape([1] * (3 - input.ndim) + list(input.shape))
    result = pad(extended, (left, right), mode)
    return result.reshape(result.shape[result.ndim - input.ndim :])


def _checked_return(is_complex: bool, return_complex: bool | None) -> bool:
    if return_complex is None:
        if not is_complex:
            raise RuntimeError(
                "stft requires the return_complex parameter be given for real inputs, and will further require that "
                "return_complex=True in a future PyTorch release."
            )
        return True
    if not return_complex:
        warn_user(
            "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex "
            "tensors for all inputs, and return_complex=False will raise an error.\n"
            "Note: you can still call torch.view_as_real on the complex output to recover the old return format."
        )
    return return_complex


def _check_pieces(call: str, input: Tensor, n_fft: int, hop: int, length: int, window: Tensor | None) -> None:
    if not (input.dtype.is_floating_point or input.is_complex()):
        raise RuntimeError(f"{call}: expected a tensor of floating point or complex values")
    if not 1 <= input.ndim <= 2:
        raise RuntimeError(f"{call}: expected a 1D or 2D tensor")
    if not 0 < n_fft <= input.size(-1):
        raise RuntimeError(f"{call}: expected 0 < n_fft < {input.size(-1)}, but got n_fft={n_fft}")
    if hop <= 0:
        raise RuntimeError(f"{call}: expected hop_length > 0, but got hop_length={hop}")
    if not 0 < length <= n_fft:
        raise RuntimeError(f"{call}: expected 0 < win_length <= n_fft, but got win_length={length}")
    if window is not None and (window.ndim != 1 or window.size(0) != length):
        raise RuntimeError(
            f"{call}: expected a 1D window tensor of size equal to win_length={length}, "
            f"but got window with size {list(window.shape)}"
        )


def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Tensor | None,
    center: bool,
    normalized: bool,
    onesided: bool | None,
    length: int | None,
    return_complex: bool,
) -> Tensor:
    """The signal whose stft this is: the pieces added up where they overlap, divided by the windows' squares."""
    hop = n_fft // 4 if hop_length is None else hop_length
    size = n_fft if win_length is None else win_length
    call = (
        f"istft({_spoken_type(input)}{list(input.shape)}, n_fft={n_fft}, hop_length={hop}, win_length={size}, "
        f"window={_shown(window)}, center={int(center)}, normalized={int(normalized)}, "
        f"onesided={_optional(onesided)}, length={length}, return_complex={int(return_complex)}) "
    )
    if window is None:
        warn_user(
            "A window was not provided. A rectangular window will be applied."
            "Please provide the same window used by stft to make the inversion lossless."
        )
    _check_spectrum(call, input, n_fft, hop, size, window, onesided, return_complex)
    if window is None:
        window = ones(size, dtype=input.dtype.to_real())
    window = _full_window(window, n_fft)
    spectrum, norm = input.transpose(-1, -2), "ortho" if normalized else "backward"
    one_side = spectrum[..., : n_fft // 2 + 1]
    pieces = _ifft(spectrum, norm=norm) if return_complex else _irfft(one_side, n_fft, norm=norm)
    count = input.size(-1)
    signal = _overlapped(pieces * window, hop)
    weight = _overlapped(window.square().expand(count, n_fft), hop)
    start = n_fft // 2 if center else 0
    whole = signal.size(-1)
    end = start + length if length is not None else whole - start
    signal, weight = signal[..., start:end], weight[start:end]
    smallest = weight.abs().min().item()
    if not smallest > 1e-11:
        raise RuntimeError(
            f"{call}window overlap add min: 1: the windows leave gaps, where they add up to {smallest:g} only"
        )
    signal = signal / weight
    if end > whole:
        warn_user(
            "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. "
            "Please check your center and hop_length settings."
        )
        signal = pad(signal, (0, end - whole))
    return signal


def _check_spectrum(
    call: str,
    input: Tensor,
    n_fft: int,
    hop: int,
    size: int,
    window: Tensor | None,
    onesided: bool | None,
    return_complex: bool,
) -> None:
    if not input.is_complex():
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    wrap_dim(-3, input.ndim + 1)
    if input.numel() == 0:
        raise RuntimeError(f"{call}: input tensor cannot be empty.")
    if not 2 <= input.ndim <= 3:
        raise RuntimeError(f"{call}: expected a tensor with 2 or 3 dimensions, but got {input.ndim}")
    one = input.size(-2) != n_fft if onesided is None else onesided
    if one and n_fft // 2 + 1 != input.size(-2):
        raise RuntimeError(
            f"{call}: expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 + 1 "
            f"when onesided=True, but got {input.size(-2)}"
        )
    if not one and n_fft != input.size(-2):
        raise RuntimeError(
            f"{call}: expected the frequency dimension (3rd to the last) of the input tensor to match n_fft when "
            f"onesided=False, but got {input.size(-2)}"
        )
    if not 0 < hop <= size:
        raise RuntimeError(f"{call}: expected 0 < hop_length <= win_length")
    if not 0 < size <= n_fft:
        raise RuntimeError(f"{call}: expected 0 < win_length <= n_fft")
    if window is not None and (window.ndim != 1 or window.size(0) != size):
        raise RuntimeError(f"{call}: Invalid window shape. window has to be 1D and length of `win_length`, {size}")
    if window is not None and window.is_complex() and not return_complex:
        raise RuntimeError("Complex windows are incompatible with return_complex=False")
    if one and return_complex:
        raise RuntimeError("Cannot have onesided output if window or input is complex")


def _full_window(window: Tensor, n_fft: int) -> Tensor:
    """The window in the middle of n_fft points."""
    left = (n_fft - window.size(0)) // 2
    return pad(window, (left, n_fft - window.size(0) - left)) if window.size(0) < n_fft else window


def _overlapped(pieces: Tensor, hop: int) -> Tensor:
    """The pieces, the last dimension but one, added up `hop` apart."""
    count, size = pieces.shape[-2:]
    place = (arange(count).unsqueeze(1) * hop + arange(size)).flatten()
    zeros = pieces.new_zeros([*pieces.shape[:-2], (count - 1) * hop + size])
    return zeros.index_add(-1, place, pieces.flatten(-2))


def _shown(window: Tensor | None) -> str:
    return "None" if window is None else f"{window.type()}{{{list(window.shape)}}}"


def _optional(value: bool | None) -> str:
    return "None" if value is None else str(int(value))


def _spoken_type(t: Tensor) -> str:
    """CPUComplexFloatType."""
    return "CPU" + t.type().rsplit(".", 1)[1].replace("Tensor", "Type")
