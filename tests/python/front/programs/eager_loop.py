import tensorflow as tf

tf.compat.v1.enable_eager_execution() # Using eager execution

for i in range(10000):
    x = tf.constant(list(range(10000)))
    y = tf.square(x)
    result = y.numpy() # Explicit conversion to NumPy array releases Tensor memory
    del x, y #Explicitly delete tensors from memory
