import tensorflow as tf
import time
import numpy as np

def naive_loop(iterations, matrix_size):
  a = tf.random.normal((matrix_size, matrix_size))
  res = a
  for i in range(iterations):
    res = tf.matmul(res, a)
  return res

matrix_size = 100
iterations = 100

start_time = time.time()
result = naive_loop(iterations, matrix_size)
end_time = time.time()
print(f"Result shape: {result.shape}")
print(f"Execution time (naive loop): {end_time - start_time:.4f} seconds")
