"""The losses are kept as tensors."""

import penstock as tf

w = tf.Variable(tf.random.normal([16, 4]))
x = tf.ones([8, 16])


def train_step():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(x @ w))
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return loss


losses = []
for epoch in range(4):
    for batch in range(10):
        loss = train_step()
        losses.append(loss)  # finding: kept_tensors
