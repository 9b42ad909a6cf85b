"""What once ended the interpreter, hung, or filled the memory: now an error, as in PyTorch, or a result.

Each piece of code runs in a child process with two gigabytes to spare: a death, or a minute without an end, is one
failed test. Beside it stand the class and the first words of the error that is expected.
"""

from __future__ import annotations

import pytest

from child_process import Children


@pytest.fixture(scope="module")
def children():
    running = Children("chainrule")
    yield running
    running.close()


def cases(text: str) -> list:
    """Pieces of code, each with its outcome behind `#->` on the line below."""
    found, lines = [], []
    for line in text.strip().split("\n"):
        if line.startswith("#-> "):
            found.append(pytest.param("\n".join(lines), line.removeprefix("#-> "), id=lines[-1].strip()[:70]))
            lines = []
        else:
            lines.append(line)
    assert not lines, lines
    return found


def check(children: Children, code: str, expected: str) -> None:
    found = children.run(code)
    assert found.startswith(expected), f"{code}\ngave {found}"


# ---- Lists that contain themselves, or are deep ----------------------------------------------------------------------

NESTED = cases("""
torch.tensor(l)
#-> ValueError: too many dimensions 'list'
torch.as_tensor(l)
#-> ValueError: too many dimensions 'list'
torch.ones(3).new_tensor(l)
#-> ValueError: too many dimensions 'list'
torch.tensor([1.0, l])
#-> TypeError: new(): self-referential lists are incompatible
torch.ones(3)[l]
#-> TypeError: new(): self-referential lists are incompatible
torch.ones(3)[l] = 1.0
#-> TypeError: new(): self-referential lists are incompatible
torch.add(torch.ones(2), l)
#-> TypeError: add(): argument 'other' (position 2) must be Tensor
torch.Tensor.add_(torch.ones(2), l)
#-> TypeError: add_(): argument 'other' (position 1) must be Tensor
torch.add(torch.ones(2), torch.ones(2), out=l)
#-> TypeError: add(): argument 'out' must be Tensor, not list
torch.cat(l)
#-> TypeError: expected Tensor as element 0 in argument 0, but got list
torch.stack(l)
#-> TypeError: expected Tensor as element 0 in argument 0, but got list
torch.zeros(l)
#-> TypeError: zeros(): argument 'size' (position 1) must be tuple of ints
torch.sum(torch.ones(3), dim=l)
#-> TypeError: sum()
torch.ones(3).reshape(l)
#-> TypeError: reshape(): argument 'shape' (position 1) must be tuple of ints
torch.ones(2).to(l)
#-> TypeError: to() received an invalid combination of arguments
torch.where(torch.ones(2) > 0, l, 1)
#-> TypeError: where() received an invalid combination of arguments
torch.max(torch.ones(2), 0, out=l)
#-> TypeError:
torch.split(torch.ones(3), l)
#-> TypeError:
torch.ones(3).index_put_(l, torch.ones(1))
#-> TypeError: expected Tensor as element 0 in argument 0, but got list
torch.linalg.norm(torch.ones(2, 2), l)
#-> TypeError:
torch.vmap(lambda x: torch.add(x, l))(torch.ones(3))
#-> TypeError: add(): argument 'other' (position 2) must be Tensor
torch.overrides.has_torch_function(l)
#-> ok False
F.linear(l, torch.ones(2, 2))
#-> TypeError: linear(): argument 'input' (position 1) must be Tensor, not list
with torch.autocast("cpu"): torch.mm(torch.ones(2, 2), l)
#-> TypeError: mm(): argument 'mat2' (position 2) must be Tensor
torch.add(torch.ones(2).as_subclass(type("S", (torch.Tensor,), {})), l)
#-> TypeError: add(): argument 'other'
""")


@pytest.mark.parametrize(("code", "expected"), NESTED)
def test_a_list_that_contains_itself(children, code, expected):
    check(children, "l = []; l.append(l)\n" + code, expected)


DEEP = cases("""
torch.tensor(l)
#-> ValueError: too many dimensions
torch.ones(3)[l]
#-> ValueError: too many dimensions
torch.add(torch.ones(2), l)
#-> TypeError: add(): argument 'other' (position 2) must be Tensor
torch.cat(l)
#-> TypeError: expected Tensor as element 0 in argument 0, but got
torch.vmap(lambda x: torch.add(x, l))(torch.ones(3))
#-> TypeError: add(): argument 'other' (position 2) must be Tensor
torch.vmap(lambda x: torch.ones(3)[l])(torch.ones(3))
#-> ValueError: too many dimensions
""")


@pytest.mark.parametrize("kind", ["[l]", "(l,)"])
@pytest.mark.parametrize(("code", "expected"), DEEP)
def test_a_list_two_hundred_thousand_deep(children, code, expected, kind):
    check(children, f"l = 0\nfor _ in range(200000): l = {kind}\n" + code, expected)


def test_a_wide_list_of_wide_lists_is_not_searched(children):
    check(children, "l = []\nfor _ in range(100000): l.append(l)\ntorch.cat(l)", "TypeError: expected Tensor")


# ---- Objects that change what they are in ----------------------------------------------------------------------------

CHANGING = cases("""
class E:
    def __float__(self): L.extend([1.0] * 100000); return 1.0
L = [E() for _ in range(3)]
torch.tensor(L, dtype=torch.float)
#-> ValueError: expected sequence of length 3 at dim 0 (got 100003)
class E:
    def __index__(self): L.extend([1] * 100000); return 1
L = [E() for _ in range(3)]
torch.tensor(L, dtype=torch.long)
#-> ValueError: expected sequence of length 3 at dim 0
class E:
    def __float__(self): L.clear(); return 1.0
L = [E() for _ in range(3)]
torch.tensor(L, dtype=torch.float)
#-> ValueError: expected sequence of length 3 at dim 0 (got 0)
class E:
    def __index__(self): L.clear(); return 1
L = [E() for _ in range(3)]
torch.tensor([L, L], dtype=torch.long)
#-> ValueError: expected sequence of length 3 at dim 1 (got 0)
class E:
    def __len__(self): return 5
    def __getitem__(self, i): return 1.0
torch.tensor(E())
#-> ok (5,)
class E:
    def __len__(self): return 2**62
    def __getitem__(self, i): return 1.0
torch.tensor(E())
#-> RuntimeError: Storage size calculation overflowed with sizes=[4611686018427387904]
class E:
    def __index__(self): x.resize_(0); return 0
x = torch.ones(3, 3, 3)
x[E(), ..., E()]
#-> IndexError
class E:
    def __index__(self): x.resize_(0); return 0
x = torch.ones(3, 3, 3)
x[:, E():, E()]
#-> IndexError
torch.Tensor.float_power_(3, torch.ones(2))
#-> TypeError: descriptor 'float_power_' for 'torch._C.TensorBase' objects doesn't apply to a 'int' object
torch.Tensor.add(3, torch.ones(2))
#-> TypeError: descriptor 'add' for 'torch._C.TensorBase' objects doesn't apply to a 'int' object
torch.Tensor.pow_(3, torch.ones(2))
#-> TypeError: descriptor 'pow_' for 'torch._C.TensorBase' objects doesn't apply to a 'int' object
torch.xlogy_(3, torch.ones(2))
#-> TypeError: xlogy_()
""")


@pytest.mark.parametrize(("code", "expected"), CHANGING)
def test_objects_that_change_what_they_are_in(children, code, expected):
    check(children, code, expected)


# ---- Indices that are overwritten between forward and backward -------------------------------------------------------

INDEXED = {
    "F.nll_loss(x, t)": "IndexError: Target 1000000000 is out of bounds.",
    "F.nll_loss(x, t, weight=torch.ones(5))": "IndexError: Target 1000000000 is out of bounds.",
    "F.nll_loss(x.reshape(1, 5, 3), t.reshape(1, 3))": "IndexError: Target 1000000000 is out of bounds.",
    "F.cross_entropy(x, t)": "IndexError: Target 1000000000 is out of bounds.",
    "F.cross_entropy(x, t, label_smoothing=0.1)": "IndexError: Target 1000000000 is out of bounds.",
    "F.cross_entropy(x, t, weight=torch.ones(5))": "IndexError: Target 1000000000 is out of bounds.",
    "F.cross_entropy(x.reshape(1, 5, 3), t.reshape(1, 3))": "IndexError: Target 1000000000 is out of bounds.",
    "F.multi_margin_loss(x, t)": "IndexError: ",
    "F.embedding(t, x).sum()": "IndexError: index out of range in self",
    "F.embedding(t, x, scale_grad_by_freq=True).sum()": "IndexError: index out of range in self",
    "F.embedding_bag(t, x, torch.tensor([0, 2])).sum()": "RuntimeError: Index 0 of input takes value 1000000000",
    "x[t].sum()": "IndexError: index 1000000000 is out of bounds for dimension 0 with size 3",
    "x[:, t].sum()": "IndexError: index 1000000000 is out of bounds for dimension",
    "torch.index_select(x, 0, t).sum()": "RuntimeError: index 1000000000 is out of bounds",
    "torch.take(x, t).sum()": "IndexError: out of range",
    "torch.gather(x, 0, t[None]).sum()": "RuntimeError: index 1000000000 is out of bounds for dimension 0 with size 3",
    "torch.scatter(x, 1, t[None], 5.0).sum()": "RuntimeError: index 1000000000 is out of bounds",
    "torch.scatter_add(x, 1, t[None], x).sum()": "RuntimeError: index 1000000000 is out of bounds",
    "torch.scatter_reduce(x, 1, t[None], x, 'amax').sum()": "RuntimeError: index 1000000000 is out of bounds",
    "torch.index_add(x, 0, t, x).sum()": "IndexError: index out of range in self",
    "torch.index_copy(x, 0, t, x).sum()": "IndexError: index 1000000000 is out of bounds",
    "torch.index_fill(x, 0, t, 5.0).sum()": "IndexError: index 1000000000 is out of bounds",
    "torch.index_put(x, (t,), x).sum()": "IndexError: index 1000000000 is out of bounds",
    "torch.put(x, t, torch.ones(3)).sum()": "IndexError: out of range",
}


@pytest.mark.parametrize("call", INDEXED)
def test_an_index_that_is_overwritten_before_backward(children, call):
    code = f"""
x = torch.randn(3, 5, requires_grad=True)
t = torch.tensor([0, 1, 2])
loss = {call}
t.data.fill_(10**9)
loss.backward()
"""
    check(children, code, INDEXED[call])


PICKING = ["max(0)", "sort(0)", "topk(2, 0)", "kthvalue(2, 0)", "median(0)", "mode(0)", "cummax(0)"]


@pytest.mark.parametrize("method", PICKING)
def test_positions_that_are_overwritten_before_backward(children, method):
    code = f"x = torch.randn(8, 3, requires_grad=True)\ny, i = x.{method}\ni.data.fill_(10**9)\ny.sum().backward()"
    check(children, code, "RuntimeError: index 1000000000 is out of bounds for dimension 0 with size 8")


REPLACED = cases("""
t.data = torch.tensor([1])
#-> RuntimeError: one of the variables needed for gradient computation has been modified
t.data = torch.tensor([1.0, 2.0, 3.0])
#-> RuntimeError: one of the variables needed for gradient computation
t.set_(torch.tensor([1]))
#-> RuntimeError: one of the variables needed for gradient computation has been modified
t.resize_(1)
#-> RuntimeError: one of the variables needed for gradient computation has been modified
t.resize_(100000)
#-> RuntimeError: one of the variables needed for gradient computation has been modified
t.unsqueeze_(0)
#-> RuntimeError: one of the variables needed for gradient computation has been modified
t.data = torch.tensor([2, 1, 0])
#-> ok
t.data = torch.zeros(1, dtype=torch.long).expand(3)
#-> RuntimeError: one of the variables needed for gradient
""")


@pytest.mark.parametrize("call", ["F.cross_entropy(x, t)", "F.embedding(t, x).sum()"])
@pytest.mark.parametrize(("change", "expected"), REPLACED)
def test_a_saved_tensor_that_is_laid_out_anew(children, change, expected, call):
    code = f"x = torch.randn(3, 5, requires_grad=True)\nt = torch.tensor([0, 1, 2])\nloss = {call}\n{change}\n"
    check(children, code + "loss.backward()", expected)


def test_a_parameter_that_is_replaced_after_the_forward_pass(children):
    """As module.double() replaces it, between two passes: the second one is right."""
    code = """
m = nn.Linear(3, 2)
m(torch.ones(1, 3)).sum().backward()
m.double()
m.zero_grad()
m(torch.ones(1, 3, dtype=torch.float64)).sum().backward()
m.weight.grad.tolist()"""
    check(children, code, "ok [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]")


# ---- Chains of owners ------------------------------------------------------------------------------------------------

CHAINS = [
    "x.data",
    "torch.from_numpy(x.numpy())",
    "torch.from_dlpack(x)",
    "torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x))",
    "torch.frombuffer(memoryview(x.numpy()), dtype=torch.float)",
]


@pytest.mark.parametrize("step", CHAINS)
def test_a_long_chain_of_owners_is_let_go(children, step):
    """Each tensor keeps the one before it alive, or what that one lent its memory to."""
    check(children, f"x = torch.ones(3)\nfor _ in range(50000): x = {step}\nx.tolist()", "ok [1.0, 1.0, 1.0]")


LENT = {
    "torch.from_dlpack(x)": "x.set_()",
    "torch.frombuffer(x, dtype=torch.float32)": "x.set_()",
    "torch.from_numpy(x.numpy())": "x.set_()",
    "x.data": "x.set_()",
    "x.data.data": "x.data = torch.ones(1)",
    "torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x))": "x.data = torch.ones(1)",
}


@pytest.mark.parametrize("lend", LENT)
def test_lent_memory_outlives_what_the_tensor_becomes(children, lend):
    code = f"x = torch.ones(300000)\ny = {lend}\n{LENT[lend]}\nothers = [torch.zeros(300000) for _ in range(4)]\n"
    check(children, code + "y.sum().item()", "ok 300000.0")


# ---- Hooks that lay their gradient out anew --------------------------------------------------------------------------

CHANGES = {
    "g.resize_(1)": "RuntimeError: hook 'hook' has changed the size of value",
    "g.resize_(100000)": "RuntimeError: hook 'hook' has changed the size of value",
    "g.set_()": "RuntimeError: hook 'hook' has changed the size of value",
    "g.t_()": "RuntimeError: hook 'hook' has changed the size of value",
    "g.data = torch.ones(1)": "RuntimeError: hook 'hook' has changed the size of value",
    "g.data = g.data.double()": "RuntimeError: hook 'hook' has changed the type of value",
}
HOOKED = [
    "x.log_softmax(1)",
    "F.embedding(torch.tensor([0, 1, 2]), x)",
    "x * 2",
    "x @ torch.ones(6, 6)",
    "x[[0, 1, 2]]",
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("call", HOOKED)
def test_a_hook_that_lays_its_gradient_out_anew(children, call, change):
    code = f"""
def hook(g):
    {change}
x = torch.randn(4, 6, requires_grad=True)
y = {call}
y.register_hook(hook)
y.exp().sum().backward()"""
    check(children, code, CHANGES[change])


PLACES = cases("""
x.register_hook(lambda g: hook(g)); (x * 2).sum().backward()
#-> RuntimeError: hook
y = x.exp(); y.grad_fn.register_prehook(lambda g: hook(g[0])); y.sum().backward()
#-> RuntimeError: hook
y = x.log_softmax(1); y.grad_fn.register_hook(lambda gi, go: hook(gi[0])); y.sum().backward()
#-> RuntimeError: hook
F.nll_loss(y := x.log_softmax(1), torch.tensor([0, 1, 2, 3])).backward(); y.register_hook(hook)
#-> ok
y = F.nll_loss(x, torch.tensor([0, 1, 2, 3]), reduction="none"); y.register_hook(hook); y.sum().backward()
#-> RuntimeError: hook
x = torch.randn(600, 600, requires_grad=True); y = x.exp(); y.register_hook(hook); (y * 2).sum().backward()
#-> RuntimeError: hook
""")


@pytest.mark.parametrize(("code", "expected"), PLACES)
def test_every_kind_of_hook_that_lays_its_gradient_out_anew(children, code, expected):
    start = "def hook(g): g.resize_(1)\nx = torch.randn(4, 6, requires_grad=True)\n"
    check(children, start + code, expected)


def test_a_gradient_that_is_laid_out_anew_by_another_nodes_hook(children):
    """The gradient waits for its node while somebody else's hook changes it."""
    code = """
kept = []
class Keeps(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g):
        kept.append(g)
        return g
x = torch.randn(4, 6, requires_grad=True)
early = x.log_softmax(1)
z = x.exp()
z.register_hook(lambda g: kept[0].resize_(1) and None)
(Keeps.apply(early) + z * 3).sum().backward()"""
    check(children, code, "RuntimeError: a gradient has changed its size in place (was [4, 6] got [1])")


# ---- Sizes -----------------------------------------------------------------------------------------------------------

EMPTY = cases("""
F.layer_norm(torch.ones(2, 0, requires_grad=True), (0,)).sum().backward()
#-> ok
F.rms_norm(torch.ones(2, 0, requires_grad=True), (0,)).sum().backward()
#-> ok
F.conv_transpose1d(torch.ones(1, 1, 0), torch.ones(1, 1, 3, requires_grad=True)).sum().backward()
#-> ok
torch.binomial(torch.tensor([float("nan")]), torch.tensor([0.5])).tolist()
#-> ok [nan]
nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2, 1), torch.tensor([3, 2**62]), enforce_sorted=False)
#-> RuntimeError: Expected lengths of at most 3 steps
x = 1.0
for _ in range(60): x = [x, x]
torch.tensor(x)
#-> RuntimeError: Storage size calculation overflowed
torch.einsum(",".join(["a"] * 300) + "->a", *[torch.ones(2)] * 300).tolist()
#-> ok [1.0, 1.0]
F.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 0, 0), padding="same")
#-> RuntimeError: kernel size should be greater than zero
F.conv1d(torch.ones(1, 1, 4), torch.ones(1, 1, 0), padding="same")
#-> RuntimeError: kernel size should be greater than zero
F.fold(torch.ones(1, 4, 1), (0, 0), (2, 2))
#-> RuntimeError: Given output_size=
F.fold(torch.ones(1, 4, 1), (0, 0), (1, 1), padding=1)
#-> RuntimeError: Given output_size=
F.nll_loss(torch.ones(0, 0), torch.ones(0, dtype=torch.long))
#-> ok ()
F.nll_loss(torch.ones(2, 3, 0, requires_grad=True), torch.ones(2, 0, dtype=torch.long), reduction="sum").backward()
#-> ok
F.nll_loss(torch.ones(2, 0), torch.ones(2, dtype=torch.long))
#-> IndexError: Target 1 is out of bounds.
F.pixel_shuffle(torch.ones(1, 4, 2, 2), 0)
#-> RuntimeError: pixel_shuffle expects a positive upscale_factor, but got 0
F.pixel_shuffle(torch.ones(1, 4, 2, 2), 2**32)
#-> ValueError: upscale factor is too large, (upscale_factor)^2 overflowed
F.pixel_shuffle(torch.ones(1, 0, 2, 2), 2**32)
#-> ValueError: upscale factor is too large, (upscale_factor)^2 overflowed
F.pixel_unshuffle(torch.ones(1, 4, 2, 2), 0)
#-> RuntimeError: pixel_unshuffle expects a positive downscale_factor
F.pixel_unshuffle(torch.ones(1, 4, 0, 0), 2**33)
#-> ok (1, 4, 0, 0)
F.adaptive_avg_pool2d(torch.ones(0, 1, 4, 4), (2**31, 2))
#-> ok (0, 1, 2147483648, 2)
F.pad(torch.ones(0, 1, 4), (10**9, 10**9), mode="replicate")
#-> ok (0, 1, 2000000004)
torch.ones(3).as_strided((0,), (1,), 2**60).resize_(3)
#-> RuntimeError: Storage size calculation overflowed
torch.ones(3, requires_grad=True).as_strided((0,), (1,), 2**60).sum().backward()
#-> ok
torch.histc(torch.tensor([-3e38, 3e38]), 10, -3e38, 3e38).sum().item()
#-> ok 0.0
""")


@pytest.mark.parametrize(("code", "expected"), EMPTY)
def test_empty_tensors_and_windows_of_nothing(children, code, expected):
    check(children, code, expected)


# Found by the fuzzer on a sanitized build: memory that was read or written beyond its end, or after its own.
BEYOND = cases("""
torch.empty_strided([1], [2, 3, 4], device="meta")
#-> RuntimeError: dimensionality of sizes (1) must match dimensionality of strides (3)
torch.empty_strided([64], [])
#-> RuntimeError: dimensionality of sizes (1) must match dimensionality of strides (0)
torch.ones((1,) * 9).resize_as_(torch.ones((1,) * 9)).shape
#-> ok
x = torch.ones((1,) * 9)
x.resize_as_(x, memory_format=torch.contiguous_format)
#-> ok
torch.rms_norm(torch.ones(2, 3, 40, dtype=torch.float64), (3, 40), torch.ones(3, 40))
#-> ok
x, h, w, v = (torch.ones(s, dtype=torch.float64) for s in ((2, 3), (2, 4), (16, 3), (16, 4)))
round(torch.lstm_cell(x, (h, h.float()), w, v)[1][1, 3].item(), 4)
#-> ok 1.9982
w, v, h = torch.ones(16, 3), torch.ones(16, 4), torch.ones(1, 2, 4)
torch.lstm(torch.ones(2, 1, 3), (h, h), [w, v], False, 1, 0.0, False, False, False)[0].shape  # a row for both
#-> ok torch.Size([2, 2, 4])
w, v, h = torch.ones(16, 3), torch.ones(16, 4), torch.ones(1, 2, 4)
torch.lstm(torch.ones(2, 3, 3), (h, h), [w, v], False, 1, 0.0, False, False, False)
#-> RuntimeError
w, v, h = torch.ones(16, 3), torch.ones(16, 4), torch.ones(1, 2, 4)
torch.lstm(torch.ones(2, 2, 3), (h, torch.ones(1, 3, 4)), [w, v], False, 1, 0.0, False, False, False)
#-> RuntimeError
w, v, h = torch.ones(16, 3), torch.ones(16, 4), torch.ones(1, 2, 4)
torch.lstm(torch.ones(2, 2, 3), (h, h), [w, torch.ones(12, 4)], False, 1, 0.0, False, False, False)
#-> RuntimeError
w, v, h = torch.ones(16, 3), torch.ones(16, 4), torch.ones(1, 2, 4)
torch.lstm(torch.ones(2, 1, 3), (h[:, :1], h), [w, v], False, 1, 0.0, False, False, False)[2].shape
#-> ok torch.Size([1, 2, 4])
w, v, h = torch.ones(16, 3), torch.ones(16, 4), torch.ones(1, 2, 4)
torch.lstm_cell(torch.ones(2, 3), (h[0], torch.ones(3, 4)), w, v)
#-> RuntimeError: Input batch size 2 doesn't match hidden1 batch size 3
w, v, h = torch.ones(16, 3), torch.ones(16, 4), torch.ones(1, 2, 4)
torch.gru(torch.ones(2, 1, 3), h, [w[:12], v[:12]], False, 1, 0.0, False, False, False)[0].shape
#-> ok torch.Size([2, 2, 4])
w, v, h = torch.ones(16, 3), torch.ones(16, 4), torch.ones(1, 2, 4)
torch.gru(torch.ones(2, 2, 3), h, [w[:12], v], False, 1, 0.0, False, False, False)
#-> RuntimeError
torch.as_strided_scatter(torch.ones(2)[1:], torch.ones(3), (3,), (1,), -(2**63))
#-> RuntimeError: Tensor: invalid storage offset -9223372036854775808
torch._core.origin("no tensor", False)
#-> TypeError: expected a Tensor, but got str
torch.conv1d(torch.ones(2, 4, 9), torch.ones(6, 2, 3), None, 2**32, 1, 2, 2).shape
#-> ok
torch.linalg.pinv(torch.full((3, 4), float("inf"), dtype=torch.float64))
#-> _LinAlgError: linalg.svd: The algorithm failed to converge because the input matrix contained non-finite values.
torch.special.round(torch.ones(300, 300), decimals=2**31 - 1)
#-> ok
torch.ones(40, 40, device="meta").tile(2**17).shape
#-> ok
torch.nn.functional.pad(torch.ones(2, 3, 4), [-2, 1, -(2**63), 3])
#-> RuntimeError: Storage size calculation overflowed
torch.as_strided(torch.ones(3), (3, -(2**63)), (4, 1))
#-> RuntimeError: Storage size calculation overflowed
torch.empty(0, 1, 2**62).tolist(), torch.kron(torch.ones(3), torch.empty(2**31, 0, 2**31)).shape
#-> ok
torch.empty(0, 1, 2**62).view(torch.float16)
#-> RuntimeError: Storage size calculation overflowed
torch.empty(0, 1, 2**62).diagonal(0, 1, 2), torch.cat([torch.empty(0, 1, 2**62)] * 9, 0)
#-> ok
torch.empty(0, 1, 2**62).diag_embed(4, -1, 2)
#-> RuntimeError: Stride calculation overflowed
torch.stack([torch.empty(0, 1, 2**62)] * 9, 1)
#-> RuntimeError: Stride calculation overflowed
torch.linalg.lu_factor(torch.ones(3, 3, device="meta"))[0].shape
#-> ok
torch.vmap(lambda x: x.resize_(0))(torch.empty(2**62, 0))
#-> RuntimeError: vmap: there is no batching rule for resize_, and 4611686018427387904 samples are too many
torch.nn.functional.adaptive_max_pool2d(torch.ones(1, 3, 5, 5, device="meta"), (4, 2**33 + 1))
#-> RuntimeError: [enforce fail at alloc_cpu] DefaultCPUAllocator: can't allocate memory
""")


@pytest.mark.parametrize(("code", "expected"), BEYOND)
def test_what_the_sanitizer_found(children, code, expected):
    check(children, code, expected)


FAR = [2**31 - 1, 2**31, 2**32, 2**62, 2**63 - 1]
SIZED = [
    "F.conv1d(torch.ones(1, 1, 4), torch.ones(1, 1, 3), padding=N)",
    "F.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 3, 3), stride=N)",
    "F.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 3, 3), dilation=N, padding=2**31)",
    "F.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 3, 3), dilation=N, padding='same')",
    "F.conv3d(torch.ones(1, 1, 4, 4, 4), torch.ones(1, 1, 3, 3, 3), stride=N, padding=2**30)",
    "F.conv_transpose2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 3, 3), stride=N)",
    "F.conv_transpose2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 3, 3), dilation=N)",
    "F.conv_transpose1d(torch.ones(1, 1, 4), torch.ones(1, 1, 3), output_padding=N, stride=2**62, dilation=2**62)",
    "F.unfold(torch.ones(1, 1, 4, 4), N)",
    "F.unfold(torch.ones(1, 1, 4, 4), 2, padding=N)",
    "F.unfold(torch.ones(1, 1, 4, 4), 2, stride=N)",
    "F.fold(torch.ones(1, 4, 1), N, 2)",
    "F.fold(torch.ones(1, 4, 1), (2, 2), N)",
    "F.fold(torch.ones(1, 4, 1), (2, 2), 2, padding=N)",
    "F.fold(torch.ones(1, 4, 1), (2, 2), 2, stride=N)",
    "F.max_pool2d(torch.ones(1, 1, 4, 4), N, padding=N // 2)",
    "F.max_pool2d(torch.ones(1, 1, 4, 4), N, padding=N // 2, ceil_mode=True, return_indices=True)",
    "F.max_pool2d(torch.ones(1, 1, 4, 4), 1, stride=1, dilation=N)",
    "F.max_pool2d(torch.ones(1, 1, 4, 4), 2, stride=N, ceil_mode=True)",
    "F.avg_pool2d(torch.ones(1, 1, 4, 4), N, padding=N // 2)",
    "F.avg_pool2d(torch.ones(1, 1, 4, 4), 2, stride=N, ceil_mode=True)",
    "F.adaptive_avg_pool1d(torch.ones(1, 1, 4), N)",
    "F.adaptive_max_pool2d(torch.ones(1, 1, 4, 4), (N, 1))",
    "F.adaptive_max_pool3d(torch.ones(1, 1, 4, 4, 4), (N, 1, 1))",
    "F.interpolate(torch.ones(1, 1, 4, 4), size=N, mode='area')",
    "F.interpolate(torch.ones(1, 1, 4, 4), size=(N, 1), mode='bilinear')",
    "F.fractional_max_pool2d(torch.ones(1, 1, 4, 4), N, output_size=1)",
    "F.max_unpool2d(torch.ones(1, 1, 2, 2), torch.zeros(1, 1, 2, 2, dtype=torch.long), N)",
    "F.pad(torch.ones(1, 1, 4), (N, N))",
    "F.pad(torch.ones(1, 1, 4), (N, N), mode='replicate')",
    "F.pad(torch.ones(1, 1, 4), (N, N), mode='circular')",
    "torch.repeat_interleave(torch.ones(3), N)",
    "torch.repeat_interleave(torch.ones(3), torch.tensor([N, N, N]))",
    "torch.ones(3).repeat(N, N)",
    "torch.tile(torch.ones(3), (N, N))",
    "torch.roll(torch.ones(3, requires_grad=True), -N - 1).sum().backward()",
    "torch.ones(3).as_strided((N,), (N,), N)",
    "torch.ones(3).unfold(0, 1, N)",
    "torch.linspace(0, 1, N)",
    "torch.eye(N, N)",
    "torch.tril_indices(N, N)",
    "torch.triu_indices(N, N, -N)",
    "torch.diag_embed(torch.ones(3), N)",
    "torch.ones(1).expand(N).split(1)",
    "torch.ones(1).expand(N).unbind()",
    "torch.split(torch.ones(3), [N, N])",
    "torch.unflatten(torch.ones(4), 0, (N, N))",
    "torch.ones(3).resize_(N, N)",
    "torch.bincount(torch.tensor([N]))",
    "torch.histc(torch.ones(3), N)",
    "F.pixel_shuffle(torch.ones(1, 0, N, N), 3)",
    "torch.cat([torch.empty(N, 0), torch.empty(N, 0)])",
]


@pytest.mark.parametrize("far", FAR)
@pytest.mark.parametrize("call", SIZED)
def test_sizes_beyond_all_memory(children, call, far):
    """A result where there is one, else PyTorch's class of error; never a death, a hang or all of the memory."""
    found = children.run(call.replace("N", str(far)))
    errors = ("RuntimeError", "ValueError", "MemoryError", "TypeError: failed to unpack the object at pos 1")
    assert found.startswith(("ok", *errors)), found


def test_adaptive_pools_look_at_the_size_first(children):
    for call in ["F.adaptive_avg_pool1d(x, 10**9)", "F.adaptive_max_pool1d(x, 10**9)"]:
        found = children.run(f"x = torch.ones(1, 1, 4)\n{call}")
        assert found.startswith("RuntimeError"), found


@pytest.mark.parametrize(("lower", "upper"), [("tril_indices", "tril"), ("triu_indices", "triu")])
def test_triangle_indices_are_counted_without_a_loop(lower, upper):
    import chainrule

    for rows in range(5):
        for columns in range(5):
            for offset in range(-6, 7):
                found = getattr(chainrule, lower)(rows, columns, offset)
                expected = getattr(chainrule, upper)(chainrule.ones(rows, columns), offset).nonzero().t()
                assert found.tolist() == expected.tolist(), (rows, columns, offset)
