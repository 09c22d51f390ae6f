"""One tape per step, a short recurrence, and a deep model under one tape."""

import penstock as tf

w = tf.Variable(tf.ones([64, 64]))
weights = [tf.Variable(tf.random.normal([64, 64], stddev=0.1)) for _ in range(30)]
total = tf.zeros_like(w)
for step in range(30):
    with tf.GradientTape() as tape:
        y = tf.ones([8, 64])
        for time in range(8):
            y = tf.nn.tanh(y @ w)
        loss = tf.reduce_mean(y)
    total += tape.gradient(loss, w)

with tf.GradientTape() as tape:
    h = tf.ones([8, 64])
    for weight in weights:
        h = tf.nn.tanh(h @ weight)
    loss = tf.reduce_mean(h)
gradients = tape.gradient(loss, weights)
