"""One step with pytorch-tabnet, on random weights."""

import numpy
from pytorch_tabnet.tab_model import TabNetClassifier

random = numpy.random.default_rng(0)
x = random.normal(size=(128, 5)).astype("float32")
model = TabNetClassifier(n_d=4, n_a=4, n_steps=2, seed=0, verbose=0, device_name="cpu")
model.fit(x, (x.sum(1) > 0).astype(int), max_epochs=2, batch_size=64, virtual_batch_size=32, num_workers=0)
print([float(v) for v in model.history["loss"]], float(model.predict_proba(x)[:, 1].mean()))
