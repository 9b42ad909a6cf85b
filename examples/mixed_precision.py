"""Mixed precision: products in bfloat16 under autocast, parameters and the optimiser's state in float32."""

import chainrule as torch  # `import torch` runs the same
from chainrule import nn

STEPS = 150


def train(mixed):
    """Losses of a network that learns the sine of a sum of its inputs."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 128), nn.GELU(), nn.Linear(128, 128), nn.GELU(), nn.Linear(128, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    scaler = torch.amp.GradScaler(
        "cpu", enabled=mixed
    )  # float16 needs it; bfloat16 has float32's range and could go without
    losses = []
    for step in range(STEPS):
        x = torch.randn(256, 8)
        target = x.sum(dim=1, keepdim=True).sin()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=mixed):
            guess = model(x)
            loss = nn.functional.mse_loss(guess, target)  # on autocast's list of what stays in float32
        if step == 0:
            kinds = {"output": guess.dtype, "loss": loss.dtype, "weight": model[0].weight.dtype}
            print("  ".join(f"{name} {kind}" for name, kind in kinds.items()))
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return losses


for mixed in (False, True):
    losses = train(mixed)
    last = sum(losses[-20:]) / 20
    print(f"{'bfloat16 under autocast' if mixed else 'float32'}: loss {losses[0]:.3f}, mean of the last 20 {last:.3f}")
