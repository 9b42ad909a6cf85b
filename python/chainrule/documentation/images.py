"""Help. Pixels and channels, and reading an image at any place."""

TEXT = """
pixel_shuffle
    (*, C * r * r, H, W) as (*, C, H * r, W * r): channels become pixels.
    Shape and dtype: (*, C, H * r, W * r) for r = upscale_factor; the dtype of the input.
    >>> torch.pixel_shuffle(torch.arange(4.).reshape(4, 1, 1), 2)
    tensor([[[0., 1.],
             [2., 3.]]])
pixel_unshuffle
    (*, C, H * r, W * r) as (*, C * r * r, H, W): pixels become channels.
    Shape and dtype: (*, C * r * r, H, W) for r = downscale_factor; the dtype of the input.
    >>> torch.pixel_unshuffle(torch.arange(4.).reshape(1, 2, 2), 2).shape
    torch.Size([4, 1, 1])
channel_shuffle
    The channels of (N, C, *) in another order: first those that are first in their group, and so on.
    Shape and dtype: Those of the input.
    Derivative: g with its channels put back
    >>> torch.channel_shuffle(torch.arange(4.).reshape(1, 4, 1, 1), 2).flatten()
    tensor([0., 2., 1., 3.])
affine_grid_generator
    The places that an affine map (N, 2, 3) or (N, 3, 4) sends the pixels of `size` to, for grid_sampler.
    Shape and dtype: (N, H, W, 2) or (N, D, H, W, 3); the dtype of the map.
    Derivative: the places before the map, times g, summed over the pixels
    >>> torch.affine_grid_generator(torch.tensor([[[1., 0., 0.], [0., 1., 0.]]]), (1, 1, 1, 2), True)
    tensor([[[[-1.,  0.],
              [ 1.,  0.]]]])
grid_sampler
    The input at the places that the grid names, from -1 to 1. Numbers choose between bilinear (0), nearest (1) and
    bicubic (2), and outside zeros (0), the border (1) or a reflection (2).
    Shape and dtype: (N, C, H', W') of input (N, C, H, W) and grid (N, H', W', 2), or with one dimension more; both
    have one dtype.
    Derivative: input: g spread over the pixels read, grid: their slopes times g
    >>> torch.grid_sampler(torch.tensor([[[[1., 3.]]]]), torch.zeros(1, 1, 1, 2), 0, 0, True)
    tensor([[[[2.]]]])
grid_sampler_2d
    grid_sampler of (N, C, H, W).
    Shape and dtype: (N, C, H', W') of input (N, C, H, W) and grid (N, H', W', 2); both have one dtype.
    >>> torch.grid_sampler_2d(torch.tensor([[[[1., 3.]]]]), torch.zeros(1, 1, 1, 2), 0, 0, True)
    tensor([[[[2.]]]])
grid_sampler_3d
    grid_sampler of (N, C, D, H, W).
    Shape and dtype: (N, C, D', H', W') of input (N, C, D, H, W) and grid (N, D', H', W', 3); both have one dtype.
    >>> torch.grid_sampler_3d(torch.tensor([[[[[1., 3.]]]]]), torch.zeros(1, 1, 1, 1, 3), 0, 0, True)
    tensor([[[[[2.]]]]])
"""
