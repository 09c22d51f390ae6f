"""Tests of programs: tf.test.TestCase, and the plugin for pytest."""
