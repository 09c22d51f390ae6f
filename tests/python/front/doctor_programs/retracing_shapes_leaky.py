"""Sequences of all lengths: each is a trace of its own."""

import penstock as tf


@tf.function
def pooled(tokens):
    return tf.reduce_mean(tf.square(tokens), axis=0)


for length in range(1, 41):
    y = pooled(tf.ones([length, 8]))  # finding: retracing
