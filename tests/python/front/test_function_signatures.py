"""input_signature, TensorSpec and concrete functions. Answers are TensorFlow 2.21's."""

import pickle

import numpy as np
import penstock as tf
import pytest

SPEC = tf.TensorSpec


def test_input_signature_converts_and_checks():
    doubled = tf.function(lambda x: x * 2, input_signature=[SPEC([None, 2], tf.float32)])
    assert doubled([[1, 2]]).numpy().tolist() == [[2, 4]]
    assert doubled(x=np.ones([3, 2], np.float32)).shape == [3, 2]
    signature = "(x: TensorSpec(shape=(None, 2), dtype=tf.float32, name=None))"
    for args, reason in [
        ((tf.constant([[1, 2]]),), "Can not cast TensorSpec(shape=(1, 2), dtype=tf.int32"),
        ((tf.constant([1.0, 2.0]),), "Can not cast TensorSpec(shape=(2,), dtype=tf.float32"),
        ((), "missing a required argument: 'x'"),
        ((1, 2), "too many positional arguments"),
        (("a",), "Cannot convert 'a' to EagerTensor of dtype float"),
        ((object(),), "with an unsupported type (<class 'object'>) to a Tensor."),
    ]:
        with pytest.raises(TypeError) as error:
            doubled(*args)
        text = str(error.value)
        assert text.startswith("Binding inputs to tf.function failed due to `")
        assert reason in text
        assert text.endswith(f"for signature: {signature}.")


def test_wrong_signatures():
    for signature, words in [
        ([1], "input_signature must be a possibly nested sequence of TensorSpec objects, got"),
        (3, "input_signature must be either a tuple or a list, got <class 'int'>."),
        ([SPEC([]), SPEC([]), SPEC([])], "input_signature contains 1 extra type constraints."),
        ([SPEC([])], "input_signature missing type constraint for y"),
    ]:
        with pytest.raises(TypeError, match=words.replace("(", "\\(")):
            tf.function(lambda x, y: x, input_signature=signature)(1.0, 2.0)


def test_signatures_with_defaults_and_structures():
    f = tf.function(lambda x, y=3: x * y, input_signature=[SPEC([])])
    assert f(2.0).numpy() == 6
    assert f(2.0, 3).numpy() == 6
    with pytest.raises(TypeError, match="Can not cast 2 to Literal"):
        f(2.0, 2)
    g = tf.function(lambda d, s: d["a"] + s[1], input_signature=[{"a": SPEC([])}, [SPEC([])] * 2])
    assert g({"a": 1.0}, [2.0, 3.0]).numpy() == 4
    with pytest.raises(TypeError, match="has different keys with the TraceType"):
        g({"b": 1.0}, [2.0, 3.0])
    rest = tf.function(lambda *x: x, input_signature=[SPEC([])])
    assert rest(1.0)[0].numpy() == 1


def test_concrete_functions():
    product = tf.function(lambda x, y=2: x * y)
    one = product.get_concrete_function(SPEC([2], tf.float32, name="a"), SPEC([], tf.float32))
    x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
    for got in [one(x, y), one(a=x, y=y), one(x=x, y=y), one([1.0, 2.0], 3), one(x, y=y)]:
        assert got.numpy().tolist() == [3, 6]
    assert [each.name for each in one.inputs] == ["a:0", "y:0"]
    assert one.outputs[0].shape == [2]
    assert one.structured_input_signature == (
        (SPEC([2], tf.float32, "a"), SPEC([], tf.float32, "y")),
        {},
    )
    assert one.structured_outputs.shape == one.output_shapes == [2]
    assert one.output_dtypes == tf.float32
    assert one.graph.inputs[0].name == "a:0"
    assert str(one) == (
        "ConcreteFunction Input Parameters:\n"
        "  x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(2,), dtype=tf.float32, name='a')\n"
        "  y (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(), dtype=tf.float32, name=None)\n"
        "Output Type:\n  TensorSpec(shape=(2,), dtype=tf.float32, name=None)\nCaptures:\n  None"
    )
    assert repr(one).startswith("<ConcreteFunction (x: TensorSpec(shape=(2,), dtype=tf.float32, ")
    with pytest.raises(TypeError, match="missing a required argument: 'y'"):
        one(x)
    with pytest.raises(TypeError, match="too many positional arguments"):
        one(x, y, y)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a float"):
        one(tf.constant([1, 2]), y)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"float32.2., but is float32.3."):
        one(tf.constant([1.0, 2.0, 3.0]), y)


def test_concrete_functions_keep_their_values():
    product = tf.function(lambda x, y=2: x * y)
    two = product.get_concrete_function(SPEC([2], tf.float32))
    x = tf.constant([1.0, 2.0])
    for got in [two(x), two(x, 2), two(x, y=2), two(x=x)]:
        assert got.numpy().tolist() == [2, 4]
    assert two.structured_input_signature == ((SPEC([2], tf.float32, "x"), 2), {})
    with pytest.raises(TypeError, match=r"Can not cast 3 to Literal.2."):
        two(x, 3)
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        product.get_concrete_function()
    assert "y (POSITIONAL_OR_KEYWORD): Literal[2]" in product.pretty_printed_concrete_signatures()


def test_concrete_functions_of_structures():
    f = tf.function(lambda d, *rest, flag=True, **more: {"a": d["x"] + rest[0], "n": None})
    one = f.get_concrete_function({"x": SPEC([])}, SPEC([]), 5, flag=False, z=SPEC([]))
    text = one.pretty_printed_signature()
    assert "  d (POSITIONAL_ONLY): Dict[['x', TensorSpec(" in text
    assert "  rest_1 (POSITIONAL_ONLY): Literal[5]\n  flag (KEYWORD_ONLY): Literal[False]" in text
    assert "  Dict[['a', TensorSpec(shape=(), dtype=tf.float32, name=None)], ['n', " in text
    got = one({"x": 1.0}, 2.0, 5, flag=False, z=3.0)
    assert got["a"].numpy() == 3
    assert got["n"] is None


def test_variables_of_a_concrete_function():
    v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, trainable=False)
    one = tf.function(lambda x: x + v * w).get_concrete_function(SPEC([]))
    assert [each is own for each, own in zip(one.variables, (v, w), strict=True)] == [True, True]
    assert one.trainable_variables == (v,)
    assert one.captured_inputs[0] is v
    assert one(1.0).numpy() == 3


def test_a_signature_gives_the_concrete_function():
    f = tf.function(lambda x: x + 1, input_signature=[SPEC([2])])
    assert f.get_concrete_function()([1.0, 2.0]).numpy().tolist() == [2, 3]
    assert f.input_signature == (SPEC([2]),)
    assert f.experimental_get_tracing_count() == 1


def test_tensor_spec():
    spec = SPEC([None, 2], tf.float32, "q")
    assert repr(spec) == "TensorSpec(shape=(None, 2), dtype=tf.float32, name='q')"
    assert spec == SPEC([None, 2], tf.float32, "q")
    assert spec != SPEC([None, 2])
    assert hash(spec) == hash(SPEC([None, 2], tf.float32, "q"))
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert isinstance(spec, tf.TypeSpec)
    assert spec.is_compatible_with(SPEC([3, 2]))
    assert spec.is_compatible_with(tf.ones([3, 2]))
    assert not spec.is_compatible_with(tf.ones([2]))
    assert not spec.is_compatible_with([[1.0, 2.0]])
    assert SPEC([3, 2]).is_subtype_of(SPEC([None, 2]))
    assert not SPEC([None, 2]).is_subtype_of(SPEC([3, 2]))
    assert spec.most_specific_common_supertype([SPEC([3, 3], tf.float32, "q")]) == SPEC(
        [None, None], tf.float32, "q"
    )
    assert SPEC([1]).most_specific_common_supertype([SPEC([1], tf.int32)]) is None
    assert SPEC.from_tensor(tf.constant([1, 2])) == SPEC([2], tf.int32)
    assert SPEC.from_spec(spec, "n").name == "n"
    assert SPEC.from_spec(spec).name == "q"
    assert str(SPEC(None)) == "TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)"
    for value, dtype in [(np.ones(2), tf.float64), (1, tf.int32), (tf.Variable(1.0), tf.float32)]:
        assert tf.type_spec_from_value(value).dtype == dtype
    with pytest.raises(TypeError, match="Could not build a TypeSpec for"):
        tf.type_spec_from_value(object())


def test_the_order_of_keywords_is_no_part_of_the_signature():
    traced = []

    @tf.function
    def f(x, **more):
        traced.append(1)
        return x * more["a"] - more["b"]

    for _ in range(2):
        assert f(tf.constant(2.0), a=tf.constant(3.0), b=tf.constant(1.0)) == 5.0
        assert f(tf.constant(2.0), b=tf.constant(1.0), a=tf.constant(3.0)) == 5.0
        assert f(b=tf.constant(4.0), a=tf.constant(3.0), x=tf.constant(2.0)) == 2.0
    assert len(traced) == 1
