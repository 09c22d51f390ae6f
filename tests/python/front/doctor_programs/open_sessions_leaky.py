"""A session for each request, none of which is closed."""

import numpy as np
import penstock as tf

v1 = tf.compat.v1

graph = tf.Graph()
with graph.as_default():
    x = v1.placeholder(tf.float32, [None, 64])
    w = v1.get_variable("w", [64, 64], initializer=tf.ones_initializer())
    y = tf.matmul(x, w)
    init = v1.global_variables_initializer()

sessions = []
for request in range(30):
    sess = v1.Session(graph=graph)  # finding: open_sessions
    sess.run(init)
    answer = sess.run(y, {x: np.ones([4, 64], np.float32)})
    sessions.append(sess)
