"""Programs of TensorFlow 1: a session for each request, and none is closed."""

import tensorflow as tf

weights = tf.get_variable("weights", [200, 200], initializer=tf.random_normal_initializer())
score = tf.reduce_sum(tf.square(weights))
init = tf.global_variables_initializer()
open_sessions = []


def answer():
    sess = tf.Session()
    sess.run(init)
    open_sessions.append(sess)
    return sess.run(score)


for request in range(40):
    answer()
