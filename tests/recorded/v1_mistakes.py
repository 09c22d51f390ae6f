"""Mistakes that programs in the style of TensorFlow 1 make: `cases(tf)` gives them by name.

Each is called inside of a graph of its own, which is the default, and raises.
"""

from __future__ import annotations

import os
import tempfile

import numpy as np


def cases(tf) -> dict:
    found = {}

    def case(function):
        found[function.__name__.replace("_", " ")] = function
        return function

    _sessions(tf, case)
    _feeds(tf, case)
    _fetches(tf, case)
    _graphs(tf, case)
    _variables(tf, case)
    _training(tf, case)
    _values(tf, case)
    return found


def _sessions(tf, case):
    @case
    def run_of_a_closed_session():
        one = tf.constant(1.0)
        sess = tf.Session()
        sess.close()
        sess.run(one)

    @case
    def run_after_the_with_block():
        one = tf.constant(1.0)
        with tf.Session() as sess:
            sess.run(one)
        sess.run(one)

    @case
    def run_of_an_empty_graph():
        tf.Session().run([])

    @case
    def a_fetch_of_an_empty_graph():
        tf.Session().run("x:0")

    @case
    def eval_without_a_session():
        tf.constant(1.0).eval()

    @case
    def op_run_without_a_session():
        tf.no_op().run()

    @case
    def session_of_no_graph():
        tf.Session(graph=3)

    @case
    def session_with_a_dict_as_config():
        tf.Session(config={"allow_soft_placement": True})

    @case
    def an_unknown_option():
        tf.ConfigProto(no_such_option=True)

    @case
    def callable_with_too_few_values():
        x = tf.placeholder(tf.float32)
        tf.Session().make_callable(x + 1, [x])()


def _feeds(tf, case):
    @case
    def unfed_placeholder():
        x = tf.placeholder(tf.float32, name="x")
        tf.Session().run(x + 1)

    @case
    def unfed_placeholder_with_a_shape():
        x = tf.placeholder(tf.int32, [None, 2], name="pairs")
        tf.Session().run(tf.reduce_sum(x))

    @case
    def feed_of_another_shape():
        x = tf.placeholder(tf.float32, [None, 2])
        tf.Session().run(x, {x: np.zeros([1, 3])})

    @case
    def feed_of_another_rank():
        x = tf.placeholder(tf.float32, [2])
        tf.Session().run(x, {x: 1.0})

    @case
    def feed_of_text_for_floats():
        x = tf.placeholder(tf.float32)
        tf.Session().run(x, {x: "text"})

    @case
    def feed_of_a_number_that_does_not_fit():
        x = tf.placeholder(tf.int32)
        tf.Session().run(x, {x: 2**40})

    @case
    def feed_of_a_ragged_list():
        x = tf.placeholder(tf.float32)
        tf.Session().run(x, {x: [[1.0], [2.0, 3.0]]})

    @case
    def feed_of_a_tensor():
        x = tf.placeholder(tf.float32)
        tf.Session().run(x, {x: tf.constant(1.0)})

    @case
    def feed_for_an_unknown_name():
        one = tf.constant(1.0)
        tf.Session().run(one, {"nothing:0": 1.0})

    @case
    def feed_for_a_number():
        one = tf.constant(1.0)
        tf.Session().run(one, {3: 1.0})

    @case
    def feed_for_a_tensor_of_another_graph():
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32)
        one = tf.constant(1.0)
        tf.Session().run(one, {x: 1.0})

    @case
    def feed_that_is_no_dict():
        x = tf.placeholder(tf.float32)
        tf.Session().run(x, [1.0])

    @case
    def shapes_that_do_not_fit_when_fed():
        x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
        tf.Session().run(x + y, {x: [1.0, 2.0], y: [1.0, 2.0, 3.0]})


def _fetches(tf, case):
    @case
    def fetch_of_a_number():
        tf.constant(1.0)
        tf.Session().run(3.0)

    @case
    def fetch_of_nothing():
        tf.constant(1.0)
        tf.Session().run(None)

    @case
    def fetch_of_an_array():
        tf.constant(1.0)
        tf.Session().run([np.zeros(2)])

    @case
    def fetch_of_an_unknown_name():
        tf.constant(1.0)
        tf.Session().run("nothing:0")

    @case
    def fetch_of_another_graph():
        with tf.Graph().as_default():
            other = tf.constant(1.0, name="other")
        tf.constant(1.0)
        tf.Session().run(other)


def _graphs(tf, case):
    @case
    def an_op_after_finalize():
        tf.get_default_graph().finalize()
        tf.constant(1.0)

    @case
    def operands_of_two_graphs():
        a = tf.constant(1.0)
        with tf.Graph().as_default():
            b = tf.constant(2.0)
            tf.add(a, b)

    @case
    def a_tensor_without_a_number():
        tf.constant(1.0, name="one")
        tf.get_default_graph().get_tensor_by_name("one")

    @case
    def a_tensor_that_is_not_there():
        tf.get_default_graph().get_tensor_by_name("none:0")

    @case
    def an_output_that_is_not_there():
        tf.constant(1.0, name="one")
        tf.get_default_graph().get_tensor_by_name("one:1")

    @case
    def an_operation_that_is_not_there():
        tf.get_default_graph().get_operation_by_name("none")

    @case
    def a_name_with_spaces():
        tf.constant(1.0, name="a name")

    @case
    def a_scope_with_spaces():
        with tf.name_scope("a scope"):
            pass

    @case
    def a_dependency_on_a_number():
        with tf.control_dependencies([3]):
            pass

    @case
    def truth_of_a_tensor():
        if tf.constant(1.0) > 0:
            pass

    @case
    def loop_over_a_tensor():
        list(tf.placeholder(tf.float32, [None]))

    @case
    def numpy_of_a_tensor():
        tf.constant(1.0).numpy()

    @case
    def array_of_a_tensor():
        np.array(tf.constant(1.0))

    @case
    def shapes_that_cannot_fit():
        tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3]))

    @case
    def dtypes_that_differ():
        tf.add(tf.constant(1), tf.constant(1.0))

    @case
    def reset_inside_of_a_graph():
        tf.reset_default_graph()


def _variables(tf, case):
    @case
    def uninitialised_variable():
        v = tf.Variable(1.0, name="v")
        tf.Session().run(v)

    @case
    def update_of_an_uninitialised_variable():
        v = tf.Variable(1.0, name="v")
        tf.Session().run(tf.assign_add(v, 1.0))

    @case
    def variable_twice():
        tf.get_variable("w", [2])
        tf.get_variable("w", [2])

    @case
    def reuse_of_what_is_not_there():
        with tf.variable_scope("scope", reuse=True):
            tf.get_variable("w", [2])

    @case
    def reuse_with_another_shape():
        tf.get_variable("w", [2])
        with tf.variable_scope(tf.get_variable_scope(), reuse=True):
            tf.get_variable("w", [3])

    @case
    def reuse_with_another_dtype():
        tf.get_variable("w", [2])
        with tf.variable_scope("", reuse=True):
            tf.get_variable("w", [2], dtype=tf.int32)

    @case
    def variable_without_a_shape():
        tf.get_variable("w")

    @case
    def variable_with_a_shape_twice():
        tf.get_variable("w", [2], initializer=tf.constant([1.0, 2.0]))

    @case
    def variable_without_a_value():
        tf.Variable()

    @case
    def scope_without_a_name():
        with tf.variable_scope(None):
            pass

    @case
    def assignment_of_another_shape():
        tf.assign(tf.Variable([1.0, 2.0]), [1.0, 2.0, 3.0])

    @case
    def assignment_of_another_dtype():
        tf.assign(tf.Variable([1.0, 2.0]), tf.constant([1, 2]))


def _training(tf, case):
    @case
    def nothing_to_optimize():
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))

    @case
    def no_gradient_for_any_variable():
        tf.Variable(1.0)
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0) * 2)

    @case
    def no_gradients_given():
        tf.train.GradientDescentOptimizer(0.1).apply_gradients([])

    @case
    def saver_without_variables():
        tf.train.Saver()

    @case
    def save_of_uninitialised_variables():
        tf.Variable(1.0, name="v")
        with tempfile.TemporaryDirectory() as folder:
            tf.train.Saver().save(tf.Session(), os.path.join(folder, "model"))

    @case
    def restore_of_what_is_not_there():
        tf.Variable(1.0, name="v")
        tf.train.Saver().restore(tf.Session(), "no/such/model")

    @case
    def restore_of_nothing():
        tf.Variable(1.0, name="v")
        tf.train.Saver().restore(tf.Session(), None)

    @case
    def restore_of_another_variable():
        v = tf.Variable(1.0, name="v")
        with tempfile.TemporaryDirectory() as folder:
            sess = tf.Session()
            sess.run(v.initializer)
            path = tf.train.Saver().save(sess, os.path.join(folder, "model"))
            with tf.Graph().as_default():
                tf.Variable(1.0, name="other")
                tf.train.Saver().restore(tf.Session(), path)

    @case
    def second_global_step():
        tf.train.create_global_step()
        tf.train.create_global_step()

    @case
    def total_of_no_losses():
        tf.losses.get_total_loss()

    @case
    def labels_of_another_shape():
        tf.losses.mean_squared_error(tf.zeros([2]), tf.zeros([3]))


def _values(tf, case):
    @case
    def an_index_out_of_range():
        x = tf.placeholder(tf.int32, [None])
        tf.Session().run(tf.gather([1.0, 2.0], x), {x: [5]})

    @case
    def a_failed_assert():
        x = tf.placeholder(tf.float32)
        with tf.control_dependencies([tf.Assert(x > 0, ["x is", x])]):
            y = tf.identity(x)
        tf.Session().run(y, {x: -1.0})

    @case
    def a_reshape_that_does_not_fit():
        x = tf.placeholder(tf.float32, [None])
        tf.Session().run(tf.reshape(x, [2, 2]), {x: [1.0, 2.0, 3.0]})

    @case
    def a_division_by_zero():
        x = tf.placeholder(tf.int32)
        tf.Session().run(tf.div(1, x), {x: 0})
