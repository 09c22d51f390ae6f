import tensorflow as tf
import time
import numpy as np


def optimized_loop(iterations, matrix_size):
  a = tf.random.normal((matrix_size, matrix_size))
  initial_res = tf.identity(a) # Ensure we start with an identity tensor of a, not the tensor a

  def condition(i, res):
    return i < iterations

  def body(i, res):
      return i + 1, tf.matmul(res, a)


  _, result = tf.while_loop(
      cond=condition,
      body=body,
      loop_vars=[tf.constant(0), initial_res],
      shape_invariants=[tf.TensorShape([]), tf.TensorShape((matrix_size, matrix_size))]
  )
  return result

matrix_size = 100
iterations = 100

start_time = time.time()
result = optimized_loop(iterations, matrix_size)
end_time = time.time()
print(f"Result shape: {result.shape}")
print(f"Execution time (tf.while_loop): {end_time - start_time:.4f} seconds")
