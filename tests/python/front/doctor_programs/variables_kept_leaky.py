"""A variable for each step, and a list that has them all."""

import penstock as tf

averages = []
x = tf.ones([64])
for step in range(40):
    average = tf.Variable(tf.zeros([64]))  # finding: variables_in_loop
    average.assign(x * float(step))
    averages.append(average)
    x = x + average / 2.0
