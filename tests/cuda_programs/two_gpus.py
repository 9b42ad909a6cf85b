"""Tensors on two GPUs."""

import chainrule as torch
import torch_words as words

assert torch.cuda.device_count() == 2
a, b = torch.ones(3, device="cuda:0"), torch.arange(3.0, device="cuda:1")
assert (a.get_device(), b.get_device()) == (0, 1)
both = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cuda:1!"
assert words.of(lambda: a + b) == both
assert (a + b.to(a.device)).tolist() == [1, 2, 3]
assert (b * b).device == torch.device("cuda:1")
assert (b + torch.tensor(1.0)).device == torch.device("cuda:1")
a.copy_(b)
assert a.tolist() == [0, 1, 2]
assert torch.zeros(1, device=1).device == torch.device("cuda:1")

with torch.cuda.device(1):
    assert torch.cuda.current_device() == 1
    assert torch.ones(1).cuda().device == torch.device("cuda:1")
    with torch.cuda.device(None), torch.cuda.device_of(a):
        assert torch.ones(1, device="cuda").device == torch.device("cuda:0")
assert torch.cuda.current_device() == 0
torch.cuda.set_device(1)
assert torch.empty(1, device="cuda").device == torch.device("cuda:1")
torch.cuda.set_device("cuda:0")

side = torch.cuda.Stream(device=1)
with torch.cuda.stream(side):
    assert torch.cuda.current_device() == 1
    assert torch.cuda.current_stream(1) == side
    assert torch.cuda.current_stream(0) == torch.cuda.default_stream(0)
assert torch.cuda.current_device() == 0

before = torch.cuda.memory_allocated(0), torch.cuda.memory_allocated(1)
c = torch.empty(1 << 20, device="cuda:1")
assert (torch.cuda.memory_allocated(0), torch.cuda.memory_allocated(1)) == (before[0], before[1] + (4 << 20))
assert c.cuda(1) is c
assert torch.cuda.can_device_access_peer(0, 1)

x = torch.ones(3, device="cuda:0", requires_grad=True)  # a gradient goes back to where its tensor is
y = x.to("cuda:1") * b
y.sum().backward()
assert x.grad.device == torch.device("cuda:0")
assert x.grad.tolist() == [0, 1, 2]
m = torch.nn.Linear(3, 2).to("cuda:1")
assert m(b).device == torch.device("cuda:1")
