"""Persistent tapes that go, and tapes that were used."""

import penstock as tf

w = tf.Variable(tf.ones([64, 64]))
for step in range(40):
    with tf.GradientTape(persistent=True) as tape:
        y = tf.nn.tanh(w @ w)
        loss = tf.reduce_sum(y)
    first = tape.gradient(loss, w)
    second = tape.gradient(y, w)
    del tape
    with tf.GradientTape() as once:
        loss = tf.reduce_sum(tf.nn.tanh(w @ w))
    gradient = once.gradient(loss, w)
