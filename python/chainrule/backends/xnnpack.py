"""torch.backends.xnnpack: chainrule has kernels of its own."""

enabled = False
