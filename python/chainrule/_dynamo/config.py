"""torch._dynamo.config: kept for scripts that set them."""

suppress_errors = False
verbose = False
cache_size_limit = 8
recompile_limit = 8
accumulated_cache_size_limit = 256
capture_scalar_outputs = False
optimize_ddp = True
