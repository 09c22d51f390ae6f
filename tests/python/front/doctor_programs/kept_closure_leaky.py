"""Callbacks that hold the tensors of their step."""

import penstock as tf

callbacks = []


def watch(step, activations):
    def report():
        return step, tf.reduce_mean(activations)

    callbacks.append(report)  # finding: kept_tensors


x = tf.ones([32, 32])
for step in range(40):
    x = tf.nn.tanh(x @ x)
    watch(step, x)
