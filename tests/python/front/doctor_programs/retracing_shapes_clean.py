"""A signature leaves the length open; a function of a few buckets is traced for each."""

import penstock as tf


@tf.function(input_signature=[tf.TensorSpec([None, 8], tf.float32)])
def pooled(tokens):
    return tf.reduce_mean(tf.square(tokens), axis=0)


@tf.function
def bucketed(tokens):
    return tf.reduce_max(tokens, axis=0)


for length in range(1, 41):
    tokens = tf.ones([length, 8])
    y = pooled(tokens)
    padded = tf.pad(tokens, [[0, -length % 8], [0, 0]])
    z = bucketed(padded)
