"""Which operations allocate: every result that has a name is there until the name is not."""

import tensorflow as tf

signal = tf.random.normal([1000, 800])
for step in range(40):
    centred = signal - tf.reduce_mean(signal)
    power = tf.square(centred)
    level = power / (1.0 + tf.reduce_max(power))
    wave = tf.sin(level)
    mixed = wave * centred
    signal = tf.tanh(mixed)
