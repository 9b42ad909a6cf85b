"""Help. Fourier transforms."""

TEXT = """
fft_fft
    The discrete Fourier transform along `dim`, of n elements: cut off, or padded with zeros. `norm` "backward" divides
    the inverse by n, "forward" the transform, "ortho" both by its root.
    Shape and dtype: The shape of the input with n at `dim`; complex.
    Derivative: n * the inverse transform of g, for norm "backward"
    >>> torch.fft.fft(torch.tensor([1., 2., 3., 4.]))
    tensor([10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j])
fft_ifft
    The inverse of fft along `dim`.
    Shape and dtype: The shape of the input with n at `dim`; complex.
    Derivative: the transform of g divided by n, for norm "backward"
    >>> torch.fft.ifft(torch.tensor([4., 0., 0., 0.])).real
    tensor([1., 1., 1., 1.])
fft_rfft
    The first n / 2 + 1 elements of fft; of a real input the others are their conjugates.
    Shape and dtype: The shape of the input, which is real, with n / 2 + 1 at `dim`; complex.
    Derivative: the real part of the unscaled inverse transform of g, padded with zeros
    >>> torch.fft.rfft(torch.tensor([1., 2., 3., 4.]))
    tensor([10.+0.j, -2.+2.j, -2.+0.j])
fft_irfft
    The inverse of rfft, of n elements, by default twice as many less 2.
    Shape and dtype: The shape of the input with n at `dim`; real.
    Derivative: the rfft of g divided by n, doubled where an element stands for two
    >>> torch.fft.irfft(torch.tensor([10 + 0j, -2 + 2j, -2 + 0j]))
    tensor([1., 2., 3., 4.])
fft_hfft
    fft of what equals its own conjugate backwards, given by its first half: a real result.
    Shape and dtype: The shape of the input with n at `dim`; real.
    Derivative: that of irfft of the conjugate, times n
    >>> torch.fft.hfft(torch.tensor([1 + 0j, 0j, 0j]))
    tensor([1., 1., 1., 1.])
fft_ihfft
    The inverse of hfft: the first half.
    Shape and dtype: The shape of the input, which is real, with n / 2 + 1 at `dim`; complex.
    Derivative: that of rfft of the input, conjugated and divided by n
    >>> torch.fft.ihfft(torch.tensor([1., 1., 1., 1.])).real
    tensor([1., 0., 0.])
fft_fft2
    fft along two dimensions, by default the last ones.
    Shape and dtype: The shape of the input with `s` at `dim`; complex.
    Derivative: the unscaled inverse transform of g, for norm "backward"
    >>> torch.fft.fft2(torch.ones(2, 2)).real
    tensor([[4., 0.],
            [0., 0.]])
fft_ifft2
    The inverse of fft2.
    Shape and dtype: The shape of the input with `s` at `dim`; complex.
    Derivative: the transform of g divided by the number of elements, for norm "backward"
    >>> torch.fft.ifft2(torch.ones(2, 2)).real
    tensor([[1., 0.],
            [0., 0.]])
fft_rfft2
    rfft along the last of two dimensions, fft along the other.
    Shape and dtype: The shape of the input, which is real, with n / 2 + 1 at the last of `dim`; complex.
    Derivative: the real part of the unscaled inverse transform of g, padded with zeros
    >>> torch.fft.rfft2(torch.ones(2, 2)).real
    tensor([[4., 0.],
            [0., 0.]])
fft_irfft2
    The inverse of rfft2.
    Shape and dtype: The shape of the input with `s` at `dim`; real.
    Derivative: the rfft2 of g, divided and doubled as in irfft
    >>> torch.fft.irfft2(torch.ones(2, 2))
    tensor([[1., 0.],
            [0., 0.]])
fft_hfft2
    hfft along the last of two dimensions, fft along the other.
    Shape and dtype: The shape of the input with `s` at `dim`; real.
    Derivative: as hfft and fft
    >>> torch.fft.hfft2(torch.ones(2, 2))
    tensor([[4., 0.],
            [0., 0.]])
fft_ihfft2
    The inverse of hfft2.
    Shape and dtype: The shape of the input, which is real, with n / 2 + 1 at the last of `dim`; complex.
    Derivative: as ihfft and ifft
    >>> torch.fft.ihfft2(torch.ones(2, 2)).real
    tensor([[1., 0.],
            [0., 0.]])
fft_fftn
    fft along all dimensions, or those of `dim`.
    Shape and dtype: The shape of the input with `s` at `dim`; complex.
    Derivative: the unscaled inverse transform of g, for norm "backward"
    >>> torch.fft.fftn(torch.ones(2, 2)).real
    tensor([[4., 0.],
            [0., 0.]])
fft_ifftn
    The inverse of fftn.
    Shape and dtype: The shape of the input with `s` at `dim`; complex.
    Derivative: the transform of g divided by the number of elements, for norm "backward"
    >>> torch.fft.ifftn(torch.ones(2, 2)).real
    tensor([[1., 0.],
            [0., 0.]])
fft_rfftn
    rfft along the last dimension, fft along the others.
    Shape and dtype: The shape of the input, which is real, with n / 2 + 1 at the last of `dim`; complex.
    Derivative: the real part of the unscaled inverse transform of g, padded with zeros
    >>> torch.fft.rfftn(torch.ones(2, 2)).real
    tensor([[4., 0.],
            [0., 0.]])
fft_irfftn
    The inverse of rfftn.
    Shape and dtype: The shape of the input with `s` at `dim`; real.
    Derivative: the rfftn of g, divided and doubled as in irfft
    >>> torch.fft.irfftn(torch.ones(2, 2))
    tensor([[1., 0.],
            [0., 0.]])
fft_hfftn
    hfft along the last dimension, fft along the others.
    Shape and dtype: The shape of the input with `s` at `dim`; real.
    Derivative: as hfft and fft
    >>> torch.fft.hfftn(torch.ones(2, 2))
    tensor([[4., 0.],
            [0., 0.]])
fft_ihfftn
    The inverse of hfftn.
    Shape and dtype: The shape of the input, which is real, with n / 2 + 1 at the last of `dim`; complex.
    Derivative: as ihfft and ifft
    >>> torch.fft.ihfftn(torch.ones(2, 2)).real
    tensor([[1., 0.],
            [0., 0.]])
fft_fftfreq
    The frequencies of the elements that fft gives for n samples at distance `d`: first those from 0 up, then the
    negative ones.
    Shape and dtype: (n,); the default dtype, or `dtype`.
    Derivative: none, the arguments are numbers
    >>> torch.fft.fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
fft_rfftfreq
    The frequencies of the elements that rfft gives for n samples at distance `d`.
    Shape and dtype: (n / 2 + 1,); the default dtype, or `dtype`.
    Derivative: none, the arguments are numbers
    >>> torch.fft.rfftfreq(4)
    tensor([0.0000, 0.2500, 0.5000])
fft_fftshift
    The elements of fft with frequency 0 in the middle.
    Shape and dtype: Those of the input.
    Derivative: g shifted back
    >>> torch.fft.fftshift(torch.fft.fftfreq(4))
    tensor([-0.5000, -0.2500,  0.0000,  0.2500])
fft_ifftshift
    fftshift taken back.
    Shape and dtype: Those of the input.
    Derivative: g shifted on
    >>> torch.fft.ifftshift(torch.tensor([-0.5, -0.25, 0., 0.25]))
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
stft
    The Fourier transforms of windows of a signal, `hop_length` apart: how its frequencies change with time.
    Shape and dtype: (*, frequencies, windows) of a signal (*, L); complex if `return_complex`.
    Derivative: the inverse transforms of g, times the window, added up where the windows were
    >>> torch.stft(torch.ones(4), 4, window=torch.ones(4), center=False, return_complex=True).abs()
    tensor([[4.],
            [0.],
            [0.]])
istft
    The signal whose stft this is: the inverse transforms added up, divided by the sum of the squared windows.
    Shape and dtype: (*, length) of (*, frequencies, windows), which is complex; real.
    Derivative: the transforms of g over the sum of the squared windows, window by window
    >>> torch.istft(torch.tensor([[4.], [0.], [0.]]) + 0j, 4, window=torch.ones(4), center=False)
    tensor([1., 1., 1., 1.])
"""
