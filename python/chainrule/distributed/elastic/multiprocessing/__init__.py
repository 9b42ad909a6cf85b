"""torch.distributed.elastic.multiprocessing: the processes of a job."""
