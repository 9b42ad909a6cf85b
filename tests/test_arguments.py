"""No argument is ignored: each is honoured, or raises PyTorch's exception class with its first words."""

from __future__ import annotations

import re

import numpy as np
import pytest

import chainrule
from both import agree

CALLS = """
t.zeros(2, layout=3)
t.zeros(2, layout='strided')
t.zeros(2, layout=t.strided)
x.new_zeros(2, layout=t.strided, pin_memory=False)
x.new_empty(2, layout=3)
x.new_full((2,), 3, layout=None, pin_memory=None)
t.zeros(2, pin_memory=None, requires_grad=None)
t.zeros(2, pin_memory=1)
t.tensor([1.0], pin_memory=None)
t.tensor([1.0], requires_grad=None)
x.new_tensor([2], pin_memory=True)
x.uniform_(0, 1, generator=3)
x.normal_(generator='a')
x.clone(memory_format=3)
x.contiguous(memory_format=t.strided)
x.contiguous(t.contiguous_format)
t.empty(2, memory_format=3)
t.zeros_like(x, memory_format='a')
x.is_contiguous(memory_format=3)
x.float(memory_format=3)
x.copy_(x, non_blocking=1)
x.copy_(x, 'a')
x.copy_(x, True)
x.cpu()
x.cpu(memory_format=t.preserve_format)
x.cpu(memory_format=3)
x.cpu(3)
x.numpy(force='a')
""".strip().splitlines()

CONVERSIONS = """
x.to(t.float64)
x.to(float)
x.to('cpu')
x.to('cpu', t.float64)
x.to('cpu', t.float64, True, True)
x.to(t.float64, True, True)
x.to(x.int())
x.to(x.int(), True, True)
x.to()
x.to(None)
x.to(None, None)
x.to(copy=True)
x.to(dtype=t.float64, device='cpu')
m.t().to(t.float64).stride()
m.t().to(t.float64, memory_format=t.contiguous_format).stride()
m.t().to(copy=True).stride()
x.to('cpu', non_blocking=1)
x.to(t.float64, non_blocking='a')
x.to('cpu', t.float64, 'a')
x.to(t.float64, copy=1)
x.to(dtype=3)
x.to(x, memory_format=3)
x.to(x, dtype=t.float64)
x.to(t.float64, foo=3)
x.to(t.float64, t.float32)
x.to('cpu', 'cpu')
x.type()
x.type(t.float64)
x.type(dtype=t.float64)
x.type('torch.DoubleTensor')
x.type(t.int32, True, memory_format=t.contiguous_format)
x.type('foo')
x.type(3)
x.type(float)
x.type(t.float64, foo=3)
x.type(foo=3)
x.type(t.float64, non_blocking='a')
x.type(t.float64, 'a')
x.type(t.float64, memory_format=3)
""".strip().splitlines()

DEVICES = """
str(t.device('cpu'))
str(t.device('cpu:3'))
repr(t.device('cuda'))
repr(t.device('cuda:1'))
repr(t.device('meta'))
[str(t.device(kind, 2)) for kind in ('xpu', 'mps', 'xla', 'privateuseone')]
t.device('cuda') == t.device('cuda:0')
t.device('cuda:0') in {t.device('cuda', 0): 1}
t.device('cuda').index
t.device('mps:0').type
t.device('cuda:')
t.device('cudax')
t.device('cuda0')
t.device(-1)
t.ones(1, device=t.device('cuda'))
t.ones(1, device='mps')
t.zeros(1).to('xpu')
str(t.device('cpu', 1))
str(t.device('cpu', None))
str(t.device(type='cpu', index=1))
str(t.device(device='cpu'))
str(t.device(t.device('cpu')))
str(t.zeros(2, device='cpu:3').device)
t.device()
t.device('')
t.device('cpu:')
t.device('cpu:01')
t.device('cpu:-1')
t.device('cpu:1a')
t.device('cpu:99999999999999999999')
t.device('cpu', -1)
t.device('cpu:0', 0)
t.device('cpu', 'a')
t.device('cpu', 1.5)
t.device('cpu', True)
t.device('cpu', 2**70)
t.device('cpu', 1, 2)
t.device('cpu', foo=1)
t.device(t.device('cpu'), 1)
t.device(None)
t.device(3.5)
t.zeros(2, device=True)
t.zeros(2, device=3.5)
""".strip().splitlines()

OLD_CONSTRUCTOR = """
t.Tensor(2, 3).shape
t.Tensor(size=(2,)).shape
t.Tensor(data=[1.0])
t.Tensor(t.Size([2, 3])).shape
t.Tensor((2, 3))
t.Tensor(range(3))
t.Tensor(np.ones(3, dtype=np.int32))
t.Tensor(x.int())
t.Tensor(2, device='cpu').shape
t.Tensor(x, device='cpu')
t.Tensor(3.5)
t.Tensor(True)
t.Tensor(None)
t.Tensor(2, 3.5)
t.Tensor(2, 'a')
t.Tensor({1})
""".strip().splitlines()

SWITCHES = """
t.autograd.grad(r.sum(), r, retain_graph='a')
t.autograd.grad(r.sum(), r, create_graph='a')
t.autograd.grad(r.sum(), r, create_graph=1)
t.autograd.grad(r.sum(), r, allow_unused='a')
t.autograd.backward(r.sum(), retain_graph='a')
r.sum().backward(retain_graph='a')
r.sum().backward(retain_graph=1)
r.sum().backward(create_graph='a')
t.set_grad_enabled('a')
t.set_grad_enabled(3)
t.set_grad_enabled(None)
t.nn.Parameter(x, 'a')
x.requires_grad_(1)
t.set_num_threads(2**40)
t.manual_seed(2**64)
t.can_cast(3, t.int64)
t.promote_types(3, t.int64)
t.promote_types(None, t.int64)
t.result_type(x, 'a')
t.result_type(x, None)
t.finfo(3)
t.finfo(float).dtype
t.iinfo(int).dtype
t.iinfo(bool)
""".strip().splitlines()

OUT = """
t.zeros(3, out=x, dtype=t.float64)
t.zeros(3, out=x.int())
t.zeros(3, out=x, requires_grad=True)
t.rand(3, out=x.double())
t.rand(3, out=x.int())
t.arange(3.0, out=x.long())
t.linspace(0, 1, 3, out=x.long())
t.eye(2, out=t.ones(2, 2, dtype=t.int64))
t.full((3,), 1.5, out=x.long())
t.ones(3, out=3)
t.max(m, 0, out=(x, x.long()))
t.max(m, 0, out=[x, x.long()])
t.max(m, 0, out=(x, x))
t.max(m, 0, out=(x.double(), x.long()))
t.max(m, 0, out=(x,))
t.max(m, 0, out=x)
t.max(m, 0, out=3)
t.cummax(m, 0, out=(3, 4))
t.cummin(m, 0, out=(m.clone(), None))
t.sum(m, 0, out=(x,))
t.sin(x, out=3)
t.median(m.cfloat(), 0, out=x)
t.triu(m, out=m.double())
t.diag(x, out=m.double())
t.dot(x, x, out=x.int())
t.nonzero(x, out=x.clone())
t.bucketize(x, x, out=x.short())
t.log_softmax(m, 0, out=m.double())
t.quantile(x, 0.5, out=x.double())
t.addr(m[:, :2], x[:2], x[:2], out=m.double())
t.bitwise_or(x, x.double(), out=x.int())
t.ceil(x > 0, out=x.half())
t.nan_to_num(x + 1j, out=x.byte())
t.sgn(x + 1j, out=x.half())
t.add(x > 0, x > 0, out=x.long())
""".strip().splitlines()

# The checks that a call fails come in PyTorch's order: the shape, what an output can hold, the kernel.
ORDER = """
x.bfloat16().__ior__(m[:, :2].byte())
m[:, :2] << x.int()
(x > 0).pow_(t.ones(2, 3, 1) > 0)
x.int().__itruediv__(2)
(x > 0).__itruediv__(x.char())
x.int().addcdiv_(t.ones(3, 2), x)
r.add_(t.ones(2))
r.__iand__(1)
r.cumsum(0, dtype=t.int64)
t.add(x, x, alpha=1j)
t.add(x.int(), x.int(), alpha=1.5)
t.add(x.int(), x.int(), alpha=True)
t.add(x.cfloat(), 1j, alpha=1 + 2j)
t.rsub(x.byte(), x.byte(), alpha=300)
t.clamp(x, 1j, 2)
t.clamp(x.int(), 1j)
t.clamp_min(x, 1j)
t.clamp_min(x + 1j, x)
t.clamp(x + 1j, x, x)
t.clamp(x, max=1e300)
t.clamp(x.half(), max=1e10)
t.nn.functional.hardtanh(x.half(), -1e10, 1e10)
x.half() ** 1e10
x ** 1e300
t.lerp(x, x, 1j)
t.lerp(x.int(), x.int(), 1)
t.linspace(-1.0, 2.5, 3, dtype=t.uint8)
t.linspace(-1, 2, 4, dtype=t.uint8)
x.to(t.uint16) * 1j
x.to(t.uint16) == 1j
(x > 0) - True
x - True
t.round(x > 0, decimals=2)
t.vdot(x > 0, x > 0)
t.cross(x > 0, x, dim=0)
t.take_along_dim(x[0], x[0].long(), 0)
t.zeros(3, 2, 2).index_add(0, t.tensor([5]), t.ones(1, 2, 2))
t.zeros(3, 2, 2).index_add(0, t.tensor([5]), t.ones(1, 2, 2), alpha=2)
t.zeros(3, 2, 2).index_add(1, t.tensor([5]), t.ones(3, 1, 2))
t.tensordot(m.char() + 1, m[:1].char() + 1, dims=([0], [0]))
(t.tensor([1 + 2j, 3 - 1j, 0.25j]) ** 2).tolist()
[(t.tensor([0.5 - 1.5j]) ** p).item() for p in (0, 1, 3, 0.5, -0.5, -1, -2)]
(1 ** t.tensor([complex(float('nan'), 1), 2j])).tolist()
""".strip().splitlines()

POSITIONS = """
x.sum('a')
t.sum('a')
x.reshape('a')
x.transpose(0, 'a')
x.transpose(0, 1, 2)
x.mm('a')
x.softmax('a')
x.size('a')
x.float(3)
t.mm(x, 'a')
t.flip(x, 0)
x.flip(dims=0)
x.flip(0)
t.permute(x, 0)
t.tile(x, 2)
t.reshape(x, 3)
t.broadcast_to(x, 3)
t.as_strided(x, 1, 1)
t.zeros(size=3)
x.repeat(repeats=2)
m.renorm()
t.renorm(m, 2)
t.heaviside(x, other=x)
t.cat([x], 0, 1)
x.argmax(0, True, 1)
x.arctan2_(1)
t.arccos(1)
t.concat(1)
""".strip().splitlines()


@pytest.mark.parametrize(
    "call", [*CALLS, *CONVERSIONS, *DEVICES, *OLD_CONSTRUCTOR, *SWITCHES, *OUT, *ORDER, *POSITIONS]
)
def test_as_pytorch(call):
    """The library is `t`; `x`, `m` and `r` are tensors of it."""

    def program(t):
        return eval(call, {"t": t, "np": np, "x": t.ones(3), "m": t.zeros(2, 3), "r": t.ones(3, requires_grad=True)})

    agree(program, words=3)


PINNED = (RuntimeError, "pin_memory=True requires a CUDA or other accelerator backend")
NUMBERED = (RuntimeError, "Cannot access accelerator device when none is available.")
ACCELERATORS = {
    "t.zeros(2, pin_memory=True)": PINNED,
    "t.ones_like(x, pin_memory=True)": PINNED,
    "t.tensor([1.0], pin_memory=True)": PINNED,
    "t.rand(2, pin_memory=True)": PINNED,
    "t.arange(3, pin_memory=True)": PINNED,
    "t.randperm(3, pin_memory=True)": PINNED,
    "x.new_ones(2, pin_memory=True)": PINNED,
    "x.to(3)": NUMBERED,
    "t.device(0)": NUMBERED,
    "t.zeros(2, device=0)": NUMBERED,
    "t.Generator(device=3)": NUMBERED,
    "t.Tensor([1.0], device=3)": NUMBERED,
    "t.zeros(2, device='cuda')": (AssertionError, "Torch not compiled with CUDA enabled"),
    "t.Tensor(2, device='cuda')": (RuntimeError, "legacy constructor expects device type: cpu"),
}


@pytest.mark.parametrize("call", ACCELERATORS)
def test_there_is_no_accelerator(call):
    """In the words of PyTorch's build for the CPU; its others look for a device first."""
    kind, words = ACCELERATORS[call]
    with pytest.raises(kind, match="^" + re.escape(words)):
        eval(call, {"t": chainrule, "x": chainrule.ones(3)})


def test_levels_of_forward_mode():
    """A level that is not open is refused where it is named."""

    def program(t, call):
        from importlib import import_module

        forward_ad = import_module(f"{t.__name__}.autograd.forward_ad")
        with forward_ad.dual_level():
            return call(t, forward_ad)

    calls = [
        lambda t, f: f.unpack_dual(f.make_dual(t.ones(2), t.zeros(2), level=0), level=0).tangent,
        lambda t, f: f.unpack_dual(f.make_dual(t.ones(2), t.zeros(2)), level=-1).tangent,
        lambda t, f: f.make_dual(t.ones(2), t.zeros(2), level=1),
        lambda t, f: f.make_dual(t.ones(2), t.zeros(2), level=-1),
        lambda t, f: f.make_dual(t.ones(2), t.zeros(2), level=1.5),
        lambda t, f: f.make_dual(t.ones(2), t.zeros(2), level="a"),
        lambda t, f: f.unpack_dual(f.make_dual(t.ones(2), t.zeros(2)), level="a"),
        lambda t, f: f.unpack_dual(f.make_dual(t.ones(2), t.zeros(2)), level=1.5),
        lambda t, f: f.make_dual(t.ones(2), t.ones(3)),
        lambda t, f: f.make_dual(t.ones(2), t.zeros(2, dtype=t.int64)),
        lambda t, f: f.make_dual(t.ones(2), np.ones(2)),
        lambda t, f: f.unpack_dual(np.ones(2)),
        lambda t, f: f.unpack_dual(3),
    ]
    for call in calls:
        agree(lambda t, call=call: program(t, call), words=3)


def test_a_tuple_of_numbers_is_no_out():
    for name in ("max", "min"):
        with pytest.raises(TypeError):
            getattr(chainrule, name)(chainrule.zeros(2, 3), 0, out=(3, 4))
