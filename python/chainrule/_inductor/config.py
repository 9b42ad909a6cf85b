"""torch._inductor.config: kept for scripts that set them."""

from types import SimpleNamespace

coordinate_descent_tuning = False
epilogue_fusion = True
fx_graph_cache = True
max_autotune = False
cpp = SimpleNamespace(threads=-1)
triton = SimpleNamespace(cudagraphs=False, unique_kernel_names=True)
