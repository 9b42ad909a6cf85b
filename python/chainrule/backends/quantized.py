"""torch.backends.quantized: chainrule has no quantised tensors, and so no engine for them."""

engine = "none"
supported_engines: list[str] = []
