"""torch.backends: the switches of libraries that PyTorch stands on. They can be set and read, and change nothing."""

from . import cpu, cuda, cudnn, miopen, mkl, mkldnn, mps, openmp, opt_einsum

__all__ = ["cpu", "cuda", "cudnn", "miopen", "mkl", "mkldnn", "mps", "openmp", "opt_einsum"]
fp32_precision = "none"
