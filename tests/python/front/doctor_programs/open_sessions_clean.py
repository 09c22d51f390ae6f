"""A session for each request, which its block closes, or the program."""

import numpy as np
import penstock as tf

v1 = tf.compat.v1

graph = tf.Graph()
with graph.as_default():
    x = v1.placeholder(tf.float32, [None, 64])
    w = v1.get_variable("w", [64, 64], initializer=tf.ones_initializer())
    y = tf.matmul(x, w)
    init = v1.global_variables_initializer()

for request in range(30):
    with v1.Session(graph=graph) as sess:
        sess.run(init)
        answer = sess.run(y, {x: np.ones([4, 64], np.float32)})
for request in range(30):
    sess = v1.Session(graph=graph)
    sess.run(init)
    answer = sess.run(y, {x: np.ones([4, 64], np.float32)})
    sess.close()
