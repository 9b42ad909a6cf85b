"""torch.distributed.algorithms._checkpoint: modules that calculate again in the backward pass."""
