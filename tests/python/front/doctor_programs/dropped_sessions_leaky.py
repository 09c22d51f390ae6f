"""Sessions that are dropped and never closed: TensorFlow keeps what they hold."""

import penstock as tf

v1 = tf.compat.v1

graph = tf.Graph()
with graph.as_default():
    y = tf.square(tf.range(1000))


def answer():
    sess = v1.Session(graph=graph)  # finding: open_sessions
    return sess.run(y)


for _ in range(20):
    answer()
