"""Testing of programs: tf.test.TestCase and the pytest plugin."""
