"""One step with rtdl_revisiting_models, on random weights."""

import torch
from rtdl_revisiting_models import MLP, FTTransformer, ResNet

torch.manual_seed(0)
mlp = MLP(d_in=4, d_out=1, n_blocks=1, d_block=8, dropout=0.0)
resnet = ResNet(
    d_in=4, d_out=1, n_blocks=1, d_block=8, d_hidden=None, d_hidden_multiplier=2.0, dropout1=0.1, dropout2=0.0
)
transformer = FTTransformer(
    n_cont_features=4, cat_cardinalities=[3], d_out=1, **{**FTTransformer.get_default_kwargs(1), "d_block": 16}
)
x = torch.randn(6, 4)
loss = mlp(x).mean() + resnet(x).square().mean() + transformer(x, torch.tensor([[0], [1], [2]] * 2)).square().mean()
loss.backward()
print(loss.item(), sum(p.grad.abs().sum().item() for p in transformer.parameters() if p.grad is not None))
