"""torch.functional: functions of the top level by the name of the file that PyTorch keeps them in."""

import chainrule

__all__ = [  # pyright: ignore[reportUnsupportedDunderAll]
    *("atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes", "broadcast_tensors"),
    *("cartesian_prod", "cdist", "chain_matmul", "einsum", "istft", "lu", "meshgrid", "norm", "pca_lowrank", "split"),
    *("stft", "svd_lowrank", "tensordot", "unique", "unique_consecutive", "unravel_index"),
]
globals().update({name: getattr(chainrule, name) for name in __all__})
