"""One step with torch-fidelity, on random weights."""

import torch
import torch_fidelity
from torch_fidelity.metric_fid import fid_features_to_statistics, fid_statistics_to_metric
from torch_fidelity.metric_isc import isc_features_to_metric

torch.manual_seed(0)
first, second = torch.rand(40, 8), torch.rand(40, 8)
fid = fid_statistics_to_metric(fid_features_to_statistics(first), fid_features_to_statistics(second), verbose=False)
print(float(fid["frechet_inception_distance"]), torch_fidelity.__name__)
print(isc_features_to_metric(5 * first, splits=2)["inception_score_mean"])
