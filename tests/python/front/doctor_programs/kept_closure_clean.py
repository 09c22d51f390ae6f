"""Callbacks that hold a number."""

import penstock as tf

callbacks = []


def watch(step, mean):
    def report():
        return step, mean

    callbacks.append(report)


x = tf.ones([32, 32])
for step in range(40):
    x = tf.nn.tanh(x @ x)
    watch(step, float(tf.reduce_mean(x)))
