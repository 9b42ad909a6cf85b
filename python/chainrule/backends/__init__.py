"""torch.backends: the switches of libraries that PyTorch stands on. They can be set and read, and change nothing."""

from . import cpu, cuda, cudnn, miopen, mkl, mkldnn, mps, nnpack, openmp, opt_einsum, quantized

__all__ = ["cpu", "cuda", "cudnn", "miopen", "mkl", "mkldnn", "mps", "nnpack", "openmp", "opt_einsum", "quantized"]
fp32_precision = "none"
