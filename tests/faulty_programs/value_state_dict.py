"""A state dict of another architecture."""

# cause: (Missing key|size mismatch|Unexpected key)
from torch import nn

old = nn.Sequential(nn.Linear(3, 4))
new = nn.Sequential(nn.Linear(3, 5))
new.load_state_dict(old.state_dict())  # HERE
