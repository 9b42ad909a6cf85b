"""One step with skorch, on random weights."""

import numpy
import torch
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetClassifier

torch.manual_seed(0)
random = numpy.random.default_rng(0)
x = random.normal(size=(60, 4)).astype("float32")
net = NeuralNetClassifier(
    torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2), torch.nn.Softmax(1)),
    criterion=torch.nn.CrossEntropyLoss,
    max_epochs=2,
    verbose=0,
)
pipeline = make_pipeline(StandardScaler(), net).fit(x, (x.sum(1) > 0).astype("int64"))
print(net.history[-1]["train_loss"], float(pipeline.predict_proba(x)[:, 1].mean()))
