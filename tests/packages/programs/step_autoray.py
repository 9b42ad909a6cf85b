"""One step with autoray, on random weights."""

import autoray
import torch

torch.manual_seed(0)
x = torch.randn(3, 3)
print(autoray.infer_backend(x), autoray.do("linalg.norm", x).item(), autoray.do("tensordot", x, x, axes=1).sum().item())
