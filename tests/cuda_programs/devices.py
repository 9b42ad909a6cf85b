"""Devices, streams, events and memory."""

import chainrule as torch
import torch_words as words

cuda = torch.cuda
assert cuda.is_available()
assert cuda.current_device() == 0
assert cuda.get_device_properties(0).major * 10 + cuda.get_device_properties(0).minor >= 75
assert cuda.get_arch_list() == ["sm_{}{}".format(*cuda.get_device_capability())]
assert torch.accelerator.current_accelerator() == torch.device("cuda")
assert torch.get_device_module("cuda") is cuda
assert words.of(lambda: torch.ones(2, device="cuda:77")).startswith("CUDA error: invalid device ordinal")
assert words.of(lambda: cuda.device("cpu"), ValueError) == "Expected a cuda device, but got: cpu"
assert words.of(lambda: cuda.get_device_properties(77), AssertionError) == "Invalid device id"

# streams
side = cuda.Stream()
assert side != cuda.current_stream() == cuda.default_stream()
with cuda.stream(side):
    assert cuda.current_stream() == side
    x = torch.arange(1000.0, device="cuda")
    done = side.record_event()
cuda.current_stream().wait_event(done)
assert cuda.current_stream() == cuda.default_stream()
assert x.sum().item() == 499500
least, greatest = cuda.Stream.priority_range()
assert cuda.Stream(priority=-100).priority == greatest <= least
begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
assert words.of(lambda: begin.elapsed_time(end), ValueError).startswith("Both events must be recorded")
begin.record()
torch.ones(100, device="cuda").sin_()
end.record()
end.synchronize()
assert begin.elapsed_time(end) >= 0
assert words.of(lambda: cuda.Event().elapsed_time(end), ValueError).startswith("Both events must be created with")

# memory
del x
cuda.synchronize()
before = cuda.memory_allocated()
x = torch.empty(1 << 20, device="cuda")
assert cuda.memory_allocated() == before + (4 << 20)
cuda.reset_peak_memory_stats()
del x
assert cuda.memory_allocated() == before
assert cuda.max_memory_allocated() == before + (4 << 20)
assert cuda.memory_reserved() >= 4 << 20
cuda.empty_cache()
assert cuda.memory_stats()["allocated_bytes.all.current"] == before
assert "Allocated memory" in cuda.memory_summary()
address = cuda.caching_allocator_alloc(1000)
assert cuda.memory_allocated() == before + 1024
cuda.caching_allocator_delete(address)
assert cuda.memory_allocated() == before

# what another stream works with stays, and is counted until that stream has come this far
x = torch.ones(1000, device="cuda")
x.record_stream(side)
del x
torch.ones(5000, device="cuda")
side.synchronize()
torch.ones(1, device="cuda")
assert cuda.memory_stats()["active_bytes.all.current"] <= before + (1 << 16)

# The error tells what was asked for and which lines hold the most.
cuda.empty_cache()
cuda.set_per_process_memory_fraction(64 / (cuda.mem_get_info()[1] >> 20))
many = [torch.zeros(2 << 20, device="cuda") for _ in range(5)]  # forty MiB
error = words.raised(lambda: torch.empty(12 << 20, device="cuda"), cuda.OutOfMemoryError)
assert error.startswith("CUDA out of memory. Tried to allocate 48.00 MiB. GPU 0 has a total capacity of")
assert "40.00 MiB in 5 tensors" in error
assert "many = [torch.zeros" in error
cuda.set_per_process_memory_fraction(1.0)
assert torch.empty(12 << 20, device="cuda").numel() == 12 << 20
assert cuda.largest_lines(most=1)[0][1:] == (40 << 20, 5)
