"""Tensors: between the devices, in files, in other libraries, under indices."""

import copy
import io
import pickle

import numpy

import chainrule as torch
import torch_words as words

GPU = torch.device("cuda:0")
x = torch.arange(6.0).reshape(2, 3).cuda()
assert x.device == GPU
assert x.is_cuda
assert x.get_device() == 0
assert x.type() == "torch.cuda.FloatTensor"
assert x.type("torch.FloatTensor").device.type == "cpu"
assert x.type(torch.cuda.LongTensor).dtype is torch.int64
assert isinstance(x, torch.cuda.FloatTensor)
assert not isinstance(x, torch.FloatTensor)
assert torch.cuda.HalfTensor(2, 3).device == GPU
assert torch.ones(2).type_as(x).device == GPU
assert repr(x) == "tensor([[0., 1., 2.],\n        [3., 4., 5.]], device='cuda:0')"
assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
assert 3 in x
assert f"{x.sum():.1f}" == "15.0"

# two devices
y = torch.ones(2, 3)
both = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
for call in (lambda: x + y, lambda: y + x, lambda: torch.cat([x, y]), lambda: x @ y.t(), lambda: y.clone().add_(x)):
    assert words.of(call) == both
assert torch.equal((x * torch.tensor(2.0)).cpu(), x.cpu() * 2)  # a number may be on the CPU
assert torch.equal(torch.where(x > 2, x, torch.tensor(0.0)).cpu(), x.cpu() * (x.cpu() > 2))
y.copy_(x)
assert torch.equal(y, x.cpu())

# A number on the CPU stands beside a GPU's tensor, but the GPU writes into none.
assert (x + torch.tensor(1.0)).is_cuda
assert words.of(lambda: torch.tensor(1.0).sub_(x.sum())).startswith(
    "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
)

# indices
i = torch.tensor([1, 0])
for index in (i, i.cuda(), [1, 0], numpy.array([1, 0])):
    assert x[index].tolist() == [[3, 4, 5], [0, 1, 2]]
assert torch.equal(x[(x > 2).cpu()].cpu(), torch.tensor([3.0, 4, 5]))
assert (
    words.of(lambda: y[i.cuda()]) == "indices should be either on cpu or on the same device as the indexed tensor (cpu)"
)
z = x.clone()
z[i.cuda()] = torch.ones(3).cuda()
z[0, 1] = 7
z[1] = torch.tensor(3.0)
z[:, 2] = torch.tensor([8.0, 9.0])
assert z.tolist() == [[1, 7, 8], [3, 3, 9]]
y[0] = x[1]
assert y.tolist() == [[3, 4, 5], [3, 4, 5]]

# making
with torch.device("cuda"):
    assert {torch.ones(2).device, torch.tensor(3).device, torch.nn.Linear(2, 2).weight.device} == {GPU}
torch.set_default_device("cuda")
assert torch.rand(2).device == torch.arange(3).device == GPU
torch.set_default_device(None)
assert torch.empty_like(x, device="cpu").device.type == "cpu"
assert torch.zeros_like(y, device="cuda").device == x.new_tensor([1]).device == x.new_ones(2).device == GPU

# pinned memory
p = y.t().pin_memory()
assert p.is_pinned()
assert torch.equal(p, y.t())
assert p.stride() == y.t().stride()
assert torch.ones(3, pin_memory=True, requires_grad=True).is_pinned()
assert torch.equal(p.to("cuda", non_blocking=True).cpu(), p)
data = torch.utils.data.TensorDataset(torch.arange(8.0).reshape(4, 2), torch.arange(4))
for a, b in torch.utils.data.DataLoader(data, batch_size=2, pin_memory=True):
    assert a.is_pinned()
    assert b.is_pinned()
assert "only dense CPU tensors can be pinned" in words.of(lambda: x.pin_memory())

# storages, copies, files
s = x.untyped_storage()
assert (s.device, s.is_cuda, s.nbytes(), s.data_ptr()) == (GPU, True, 24, x.data_ptr())
assert s.cpu().device.type == "cpu"
assert isinstance(x._typed_storage(), torch.cuda.FloatStorage)
for other in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x)):
    assert other.device == GPU
    assert torch.equal(other, x)
    assert other.data_ptr() != x.data_ptr()
for zipped in (True, False):
    file = io.BytesIO()
    torch.save({"a": x, "part": x[1]}, file, _use_new_zipfile_serialization=zipped)
    for where, device in ((None, GPU), ("cpu", "cpu"), ({"cuda:0": "cpu"}, "cpu"), (GPU, GPU)):
        file.seek(0)
        loaded = torch.load(file, map_location=where)
        assert loaded["a"].device == torch.device(device)
        assert loaded["part"].tolist() == [3, 4, 5]
        assert loaded["part"].untyped_storage().data_ptr() == loaded["a"].untyped_storage().data_ptr()
    file = io.BytesIO()
    torch.save(y, file, _use_new_zipfile_serialization=zipped)
    file.seek(0)
    assert torch.load(file, map_location="cuda").device == GPU

# other libraries
assert words.of(lambda: x.numpy(), TypeError) == (
    "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
)
assert x.numpy(force=True).shape == (2, 3)
assert x.__dlpack_device__() == (2, 0)
shared = torch.from_dlpack(x)
shared[0, 0] = 5
assert x[0, 0].item() == 5
assert torch.from_dlpack(x, device="cpu").device.type == "cpu"


class Array:
    """What CuPy shows of an array."""

    __cuda_array_interface__ = x.t().__cuda_array_interface__


assert Array.__cuda_array_interface__["strides"] == (4, 12)
for viewed in (torch.asarray(Array()), torch.as_tensor(Array())):
    assert viewed.data_ptr() == x.data_ptr()
    assert torch.equal(viewed, x.t())

# modules, gradients, transforms
m = torch.nn.Linear(3, 2)
weight = m.weight
m.cuda()
assert m.weight is weight
assert weight.device == GPU
seen = []
weight.register_hook(lambda g: seen.append((g.device, torch.ones(1).device.type)))
torch.utils.checkpoint.checkpoint(m, x, use_reentrant=False).sum().backward()
assert seen == [(GPU, "cpu")]
assert weight.grad.device == GPU
assert torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0).device == GPU
m.cpu()
assert weight.grad.device.type == m.bias.device.type == "cpu"
w = torch.ones(2, 3, requires_grad=True)
(w.cuda() * x).sum().backward()
assert w.grad.device.type == "cpu"
for transform in (torch.func.grad, torch.func.hessian, torch.func.jacrev, torch.func.jacfwd):
    assert transform(lambda a: (a**3).sum())(x).device == GPU
assert torch.func.vmap(lambda a: a * 2)(x).device == GPU
assert torch.distributions.Normal(x, 1.0).sample().device == GPU


class Kind(torch.Tensor):
    pass


assert type(torch.ones(2).as_subclass(Kind).cuda() + 1) is Kind
