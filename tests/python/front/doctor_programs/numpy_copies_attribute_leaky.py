"""Arrays that are attributes and items become tensors in every step."""

import numpy as np
import penstock as tf


class Data:
    def __init__(self):
        self.points = np.random.default_rng(0).normal(size=[1000, 500]).astype(np.float32)

    def loss(self, w):
        return tf.reduce_mean(tf.matmul(self.points, w))  # finding: numpy_copies


data = Data()
tables = {"more": np.ones([1000, 500], np.float32)}
w = tf.Variable(tf.zeros([500, 1]))
for step in range(30):
    loss = data.loss(w)
    loss += tf.reduce_mean(tables["more"] @ w)  # finding: numpy_copies
