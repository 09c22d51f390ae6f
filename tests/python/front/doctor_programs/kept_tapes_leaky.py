"""Persistent tapes in a list."""

import penstock as tf

w = tf.Variable(tf.ones([64, 64]))
tapes = []
for step in range(40):
    with tf.GradientTape(persistent=True) as tape:  # finding: kept_tapes
        y = tf.nn.tanh(w @ w)
        loss = tf.reduce_sum(y)
    first = tape.gradient(loss, w)
    second = tape.gradient(y, w)
    tapes.append(tape)
