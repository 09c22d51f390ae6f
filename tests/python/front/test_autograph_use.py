"""tf.autograph as programs use it: its functions, its limits, and the lines that errors name."""

import traceback

import numpy as np
import penstock as tf
import pytest
from penstock._control_flow import symbolic
from penstock.autograph._operators.conditions import Merged

Feature = tf.autograph.experimental.Feature


def absolute(x):
    if x > 0:
        return x
    return -x


def test_to_code_shows_the_operators():
    text = tf.autograph.to_code(absolute)
    assert text.startswith("def tf__absolute(x):")
    assert "ag__.if_stmt(" in text
    compile(text, "text", "exec")


def test_a_function_without_control_flow_stays_what_it_is():
    def straight(x):
        return tf.exp(x) * 2

    assert tf.autograph.to_graph(straight) is straight
    assert "return tf.exp(x) * 2" in tf.autograph.to_code(straight)


def test_only_functions_are_converted():
    with pytest.raises(ValueError, match="cannot be converted"):
        tf.autograph.to_graph(3)


def test_a_function_without_source_is_run_as_it_is():
    names = {}
    exec("def f(x):\n    return x + 1 if x > 0 else x", names)
    assert tf.autograph.to_graph(names["f"])(1) == 2


def test_a_new_closure_is_seen_by_converted_code():
    def make(scale):
        def scaled(x):
            return x * scale if x > 0 else x

        return scaled

    found = [tf.autograph.to_graph(make(scale))(2) for scale in (3, 5)]
    assert found == [6, 10]


def test_conversion_is_off_where_asked():
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="as a Python `bool`"):
        tf.function(absolute, autograph=False)(tf.constant(1))
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="as a Python `bool`"):
        tf.function(tf.autograph.experimental.do_not_convert(absolute))(tf.constant(1))


def test_methods_of_modules_are_converted():
    class Layers(tf.Module):
        def __init__(self):
            super().__init__()
            self.count = 3

        @tf.function
        def __call__(self, x):
            for i in range(self.count):
                if i == 1:
                    continue
                x = x + i
            return x

    assert Layers()(tf.constant(1)) == 3


def test_print_is_that_of_tensors_only_with_its_feature(capsys):
    def printed(x):
        print("x is", x)
        return x

    tf.autograph.to_graph(printed)(tf.constant(3))
    assert capsys.readouterr().out == "x is tf.Tensor(3, shape=(), dtype=int32)\n"
    tf.autograph.to_graph(printed, True, Feature.BUILTIN_FUNCTIONS)(tf.constant(3))
    assert capsys.readouterr().out == "x is 3\n"


def test_assert_is_an_op_with_its_feature():
    def checked(x):
        assert x > 0, "not positive"
        return x

    with pytest.raises(AssertionError, match="not positive"):
        tf.autograph.to_graph(checked)(tf.constant(-1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="not positive"):
        tf.autograph.to_graph(checked, True, (Feature.ASSERT_STATEMENTS,))(tf.constant(-1))


def test_set_verbosity_says_what_is_converted(capsys):
    def chosen(x):
        return 1 if x else 2

    tf.autograph.set_verbosity(1, alsologtostdout=True)
    try:
        tf.autograph.to_graph(chosen)
    finally:
        tf.autograph.set_verbosity(0)
    assert "chosen" in capsys.readouterr().out


def test_trace_prints_once_for_each_trace(capsys):
    @tf.function
    def f(x):
        tf.autograph.trace("tracing", x.shape)
        return x

    f(tf.constant(1)), f(tf.constant(2))
    assert capsys.readouterr().out == "tracing ()\n"


def test_the_graph_names_the_lines_of_the_source():
    @tf.function
    def f(x):
        for i in range(2):
            if i == 1:
                x = tf.sin(x)
        return x

    line = test_the_graph_names_the_lines_of_the_source.__code__.co_firstlineno + 5
    text = str(f.get_concrete_function(tf.constant(1.0)).graph)
    assert f"{__file__}:{line}" in text


def test_errors_come_with_the_lines_of_the_source():
    def fails(x):
        for i in range(3):
            if i == 2:
                x = x + [1, 2][i]
        return x

    with pytest.raises(IndexError) as found:
        tf.function(fails)(tf.constant(1))
    frames = traceback.extract_tb(found.value.__traceback__)
    own = [each for each in frames if each.filename == __file__ and each.name == "fails"]
    assert own[-1].line == "x = x + [1, 2][i]"
    assert not [each for each in frames if "_operators" in each.filename]


def test_errors_keep_their_causes():
    @tf.function
    def f(x):
        try:
            return x + [][0] if x is not None else x
        except IndexError as error:
            raise ValueError("none") from error

    with pytest.raises(ValueError, match="none") as found:
        f(tf.constant(1))
    assert isinstance(found.value.__cause__, IndexError)


def test_named_functions_inside_of_maps_are_converted(monkeypatch):
    seen = []
    monkeypatch.setattr(symbolic, "cond", lambda pred, a, b: seen.append(pred) or a())
    f = tf.function(lambda x: tf.map_fn(absolute, x))
    assert f(tf.constant([1, 2])).shape == [2]
    assert len(seen) == 2


def test_lambdas_are_told_from_their_neighbours():
    pair = (lambda x: 1 if x > 0 else 2), (lambda x: 3 if x > 0 else 4)
    made = [tf.autograph.to_graph(each) for each in pair]
    assert all(one is not other for one, other in zip(made, pair, strict=True))
    assert [each(tf.constant(value)) for value in (5, -5) for each in made] == [1, 3, 2, 4]


def test_a_state_that_the_loop_makes_is_zeros_before_it(monkeypatch):
    starts = []

    def while_loop(cond, body, flat_vars, **options):
        starts.append([each.numpy().tolist() for each in flat_vars])
        return body(*flat_vars)

    monkeypatch.setattr(symbolic, "while_loop", while_loop)

    @tf.function
    def f(x):
        for i in tf.range(3):
            last = tf.fill([2], i)
        return last

    f(tf.constant(1))
    assert starts == [[0, [0, 0]]]


@pytest.mark.parametrize("step", [1, 2, 3, -1, -3])
def test_a_range_of_tensors_in_a_loop_needs_no_list(step):
    ends = (2, 11) if step > 0 else (11, 2)

    @tf.function
    def f(x):
        found = x
        for i in tf.range(tf.constant(ends[0]), ends[1], step):
            found = found * 100 + i
        return found

    expected = 0
    for i in range(*ends, step):
        expected = expected * 100 + i
    assert f(tf.constant(0, tf.int32)) == np.int64(expected).astype(np.int32)


def test_a_condition_in_a_graph_keeps_both_branches(monkeypatch):
    def cond(pred, true_fn, false_fn):
        pairs = zip(true_fn(), false_fn(), strict=True)
        return [tf.where(pred, one, other) for one, other in pairs]

    monkeypatch.setattr(symbolic, "cond", cond)

    @tf.function
    def f(x):
        best, worst = x, x
        if x > 0:
            best = x * 2
        else:
            worst = x - 1
        return best, worst

    np.testing.assert_array_equal(f(tf.constant(3)), [6, 3])
    np.testing.assert_array_equal(f(tf.constant(-3)), [-3, -4])


def test_messages_name_the_variable():
    def merge(one, other):
        merged = Merged(["y"])
        merged.add("main", [one])
        merged.add("else", [other])

    with pytest.raises(
        TypeError, match="'y' has dtype float32 in the main branch, but dtype int32"
    ):
        merge(1.0, 1)
    with pytest.raises(ValueError, match="'y' is None at the end of the else branch"):
        merge(1, None)
    with pytest.raises(TypeError, match="same nested structure in the main and else branches"):
        merge((1, 2), 1)


def test_lists_that_loops_append_to():
    @tf.function(experimental_autograph_options=tf.autograph.experimental.Feature.LISTS)
    def f(x, n):
        found = [x]
        for i in tf.range(n):
            if i % 2 == 0:
                found.append(x * i)
        unrolled = []
        for i in range(2):
            unrolled.append(i)
        return tf.stack(found), found[-1], unrolled

    rows, last, unrolled = f(tf.constant([1, 2]), tf.constant(5))
    assert rows.numpy().tolist() == [[1, 2], [0, 0], [2, 4], [4, 8]]
    assert last.numpy().tolist() == [4, 8]
    assert unrolled == [0, 1]


def test_lists_are_left_alone_without_the_feature():
    @tf.function
    def f(n):
        found = []
        for i in tf.range(n):
            found.append(i)
        return tf.stack(found)

    with pytest.raises(TypeError, match="out of scope"):
        f(tf.constant(2))
