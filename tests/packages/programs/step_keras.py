"""One step with keras, on random weights."""

import os

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy

keras.utils.set_random_seed(0)
layers = [keras.layers.Conv2D(4, 3, activation="relu"), keras.layers.Flatten(), keras.layers.Dense(3)]
model = keras.Sequential([keras.Input((8, 8, 1)), *layers])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
random = numpy.random.default_rng(0)
x, y = random.random((16, 8, 8, 1), "float32"), random.integers(0, 3, 16)
history = model.fit(x, y, batch_size=8, epochs=2, verbose=0, shuffle=False)
print(history.history["loss"])
print(float(model.predict(x, verbose=0).sum()))
