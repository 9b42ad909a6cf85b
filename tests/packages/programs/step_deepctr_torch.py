"""One step with deepctr-torch, on random weights."""

import numpy
from deepctr_torch.inputs import DenseFeat, SparseFeat
from deepctr_torch.models import DeepFM

random = numpy.random.default_rng(0)
columns = [SparseFeat("user", 5, embedding_dim=4), DenseFeat("price", 1)]
data = {"user": random.integers(0, 5, 32), "price": random.random(32).astype("float32")}
model = DeepFM(columns, columns, dnn_hidden_units=(8,), seed=0, device="cpu")
model.compile("adam", "binary_crossentropy")
history = model.fit(data, random.integers(0, 2, 32).astype("float32"), batch_size=8, epochs=2, verbose=0, shuffle=False)
print(history.history["loss"], float(model.predict(data, 16).mean()))
