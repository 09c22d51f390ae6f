"""One variable that is assigned to."""

import penstock as tf

average = tf.Variable(tf.zeros([64]))
x = tf.ones([64])
history = []
for step in range(40):
    average.assign(x * float(step))
    history.append(float(average[0]))
    x = x + average / 2.0
