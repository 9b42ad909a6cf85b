"""match on the mode; one case rounds."""

# cause: (round|zero|flat)
# ask: torch.explain_none(w, loss)
import torch


def discretise(t, mode):
    match mode:
        case "hard":
            return t.round()  # HERE
        case _:
            return t


w = torch.tensor([0.3, 1.7], requires_grad=True)
loss = (discretise(w, "hard") * 2).sum()
loss.backward()
