import tensorflow as tf

@tf.function
def conditional_computation(x, condition):
  if condition:
    y = tf.square(x)
  else:
    y = tf.zeros_like(x)
  return y

x = tf.random.normal((1000, 1000))
conditional_computation(x, True) #Graph generation handles both branches.
conditional_computation(x, False) #Reuses the generated graph.
