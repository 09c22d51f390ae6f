import tensorflow as tf

tf.compat.v1.enable_eager_execution()

for i in range(1000):
    with tf.GradientTape() as tape: #Tape is used and then garbage collected.
        var = tf.Variable(tf.random.normal([100,100])) #Variable created in each iteration
        loss = tf.reduce_sum(var)
        grads = tape.gradient(loss, var)
        # ... gradient update ...

        # Memory leak here: Variable var not explicitly deleted
