"""Images that go when they have been looked at."""

import numpy as np
import penstock as tf


def load(step):
    return np.full([200, 200, 8], step, np.float32)


w = tf.Variable(1.0)
means = []
for step in range(50):
    image = load(step)
    means.append(float(image.mean()))
    w.assign_sub(means[-1] * 1e-3)


def batches():
    for step in range(50):
        yield np.full([512, 256], step, np.float32)


def predict(w):
    outputs = []
    for batch in batches():  # the array goes while the next one is made
        outputs.append(tf.tanh(batch @ w))
    return tf.concat(outputs, 0)


predict(tf.random.normal([256, 64]))
