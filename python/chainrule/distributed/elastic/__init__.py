"""torch.distributed.elastic: the launcher's side of a job; `chainrule launch` is the launcher."""
