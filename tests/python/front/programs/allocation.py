import tensorflow as tf

tf.config.run_functions_eagerly(True) #Enable Eager Execution

a = tf.constant([1, 2, 3], dtype=tf.int64)  # Immediate allocation
b = tf.constant([4, 5, 6], dtype=tf.int64)  # Immediate allocation
c = a + b  # Immediate allocation (new tensor created)

print(tf.config.experimental.get_memory_info()) #Observe memory usage
