import tensorflow as tf
import time
import numpy as np

def numpy_loop(iterations, matrix_size):
  a = np.random.normal(size=(matrix_size, matrix_size))
  res = a
  for i in range(iterations):
      res = np.dot(res, a)
  return tf.constant(res) # Wrap in tf.constant once the numpy computation is complete.

matrix_size = 100
iterations = 100


start_time = time.time()
result = numpy_loop(iterations, matrix_size)
end_time = time.time()

print(f"Result shape: {result.shape}")
print(f"Execution time (numpy loop): {end_time - start_time:.4f} seconds")
