"""The weights are made anew in every iteration."""

import penstock as tf

x = tf.ones([8, 16])
for step in range(40):
    w = tf.Variable(tf.random.normal([16, 4]))  # finding: variables_in_loop
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(x @ w))
    gradient = tape.gradient(loss, w)
    w.assign_sub(0.1 * gradient)
