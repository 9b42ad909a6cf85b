"""autocast and GradScaler on a GPU."""

import chainrule as torch
import torch_words as words

a, here = torch.ones(2, 2, device="cuda"), torch.ones(2, 2)
half = a.half()
with torch.autocast("cuda"):
    assert torch.is_autocast_enabled("cuda")
    assert not torch.is_autocast_enabled("cpu")
    assert (here @ here).dtype is torch.float32
    for low in (a @ a, torch.mm(a, a), torch.nn.functional.linear(a, a), torch.einsum("ij,jk->ik", a, a), a.mv(a[0])):
        assert low.dtype is torch.float16
    for high in (half.exp(), half**2, half.pow(2), half.softmax(0), half.sum(), half.cumsum(0), half.log1p()):
        assert high.dtype is torch.float32
    assert torch.nn.functional.layer_norm(half, (2,)).dtype is torch.float32
    assert torch.cat([a, half]).dtype is torch.float32
    assert (half + half).dtype is torch.float16
    assert torch.nn.LSTM(2, 3).cuda()(torch.ones(4, 1, 2).cuda())[0].dtype is torch.float16
    assert torch.nn.functional.max_pool3d(torch.ones(1, 2, 2, 2).cuda().half(), 2).dtype is torch.float16
    assert "unsafe to autocast" in words.of(lambda: torch.nn.functional.binary_cross_entropy(a, a))
    with torch.autocast("cpu"):
        assert ((a @ a).dtype, (here @ here).dtype) == (torch.float16, torch.bfloat16)
    with torch.autocast("cuda", enabled=False):
        assert (a @ a).dtype is torch.float32
with torch.autocast("cuda", dtype=torch.bfloat16):
    assert (a @ a).dtype is torch.bfloat16
assert (a @ a).dtype is torch.float32

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.LayerNorm(8), torch.nn.ReLU(), torch.nn.Linear(8, 3)).cuda()
x, target = torch.rand(5, 4).cuda(), torch.tensor([0, 1, 2, 1, 0]).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
scaler = torch.amp.GradScaler("cuda", growth_interval=4)
losses = []
for _ in range(8):
    optimizer.zero_grad()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(model(x), target)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    losses.append(loss.item())
assert losses[-1] < losses[0]
assert scaler._scale.device.type == "cuda"
assert scaler.get_scale() == 65536.0 * 4

w = torch.nn.Parameter(torch.ones(2, device="cuda"))
for optimizer in (torch.optim.SGD([w], lr=1.0), torch.optim.Adam([w], lr=1.0, fused=True)):
    scaler, w.grad = torch.amp.GradScaler("cuda"), None
    scaler.scale((w * float("inf")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert w.tolist() == [1, 1]
    assert scaler.get_scale() == 32768.0
