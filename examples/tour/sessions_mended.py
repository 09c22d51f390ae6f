"""The same with a block for each session."""

import tensorflow as tf

weights = tf.get_variable("weights", [200, 200], initializer=tf.random_normal_initializer())
score = tf.reduce_sum(tf.square(weights))
init = tf.global_variables_initializer()


def answer():
    with tf.Session() as sess:
        sess.run(init)
        return sess.run(score)


for request in range(40):
    answer()
