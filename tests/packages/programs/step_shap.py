"""One step with shap, on random weights."""

import shap
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
x = torch.randn(20, 4)
for explainer in (shap.DeepExplainer(model, x), shap.GradientExplainer(model, x)):
    options = {"rseed": 0, "nsamples": 10} if isinstance(explainer, shap.GradientExplainer) else {}
    values = explainer.shap_values(x[:2], **options)
    print(float(abs(values).sum()))
