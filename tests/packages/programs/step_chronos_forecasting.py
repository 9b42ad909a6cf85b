"""One step with chronos-forecasting, on random weights."""

import torch
from chronos import ChronosConfig
from chronos.chronos import MeanScaleUniformBins

sizes = {"n_tokens": 32, "n_special_tokens": 2, "pad_token_id": 0, "eos_token_id": 1, "use_eos_token": True}
options = {"model_type": "seq2seq", "num_samples": 2, "temperature": 1.0, "top_k": 5, "top_p": 1.0}
config = ChronosConfig(
    "MeanScaleUniformBins",
    {"low_limit": -5.0, "high_limit": 5.0},
    context_length=8,
    prediction_length=4,
    **sizes,
    **options,
)
tokens, mask, scale = MeanScaleUniformBins(-5.0, 5.0, config).context_input_transform(torch.arange(12.0).reshape(2, 6))
print(tokens.tolist(), mask.tolist(), scale.tolist())
