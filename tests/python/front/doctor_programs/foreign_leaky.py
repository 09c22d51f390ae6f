"""Images in a list: no tensor is part of it."""

import numpy as np
import penstock as tf


def load(step):
    return np.full([200, 200, 8], step, np.float32)  # finding: foreign_growth


w = tf.Variable(1.0)
images = []
for step in range(50):
    image = load(step)
    images.append(image)
    w.assign_sub(float(image.mean()) * 1e-3)
