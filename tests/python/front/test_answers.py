"""Python-level calls, answered as TensorFlow answered them: values, dtypes, shapes, printed forms,
classes of errors. The calls and the answers are in tests/recorded (front.py describes them)."""

import sys
import types
from collections import Counter
from pathlib import Path

import penstock as tf
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "recorded"))
import front

# Calls whose answers differ, and how. Whoever brings one in line takes its line out: the tests fail
# on those that no longer differ.
DIFFERENT = {
    # stricter: an answer that TensorFlow gives and that is wrong
    "i + 2**40": "a number that does not fit int32 is refused, not cut off",
    "u + 300": "the same for uint8",
    "tf.constant(300, tf.uint8)": "the same",
    "tf.constant(-1, tf.uint8)": "the same",
    "tf.constant(-1, tf.uint32)": "the same",
    "tf.nn.moments(x4, [])[0].shape": "TensorFlow drops every dimension of 1",
    "array(3).unstack(tf.constant([1, 2, 3])).size()": "elements of another dtype are refused",
    "array(3, element_shape=[2]).unstack([1.0, 2.0, 3.0]).size()": "so are those of another shape",
    "array(3).scatter([2, 0], [1.0, 2.0, 3.0]).stack()": "a row without an index is not dropped",
    "grown(shape([]), shape([1]))": "invariants hold",
    "grown(shape([]))": "invariants are for all variables",
    "tf.signal.hann_window(8, dtype=tf.bfloat16)": "rounded once, at the end",
    # more lenient
    "tf.while_loop(lambda i: i<3, lambda i: i+1, [c(0)])": "one variable needs no list around it",
    "+a": "TensorFlow has no unary plus",
    "v.ndim": "variables have it as tensors do",
    "tf.raw_ops.AddV2(1.0, 2.0)": "raw ops take their arguments by position too",
    "tf.one_hot([1], 2, dtype=tf.bool)": "the default values fit every dtype",
    "tf.constant([a, a])": "a list of tensors is stacked, as tf.convert_to_tensor does it",
    "tf.constant([a[0], 5.0])": "the same",
    "tf.constant([a[0], 5])": "the same",
    "tf.constant([a[0], a])": "the same, and the shapes do not fit",
    "d.assert_near(tf.constant([1.0], tf.bfloat16), tf.constant([1.01], tf.bfloat16))": (
        "bfloat16 has a tolerance too"
    ),
    "tf.parallel_stack([a, b])": "in eager programs too",
    "L.mean_pairwise_squared_error(y, p)": (
        "the elements of every example are counted: TensorFlow does so in graphs only"
    ),
    # another class of error
    "free(lambda: v * v, 3.0)": "TypeError: TensorFlow stumbles over a missing attribute",
    "[10, 20, 30][tf.constant(1.0)]": "TypeError, as Python has it for indices",
    "round(tf.constant(2.5))": "TypeError, as Python has it for types without __round__",
    "tf.convert_to_tensor(np.float32)": "ValueError",
    'tf.ones_like(["a"])': "TypeError, as tf.ones has it",
    "tf.py_function(lambda: tf.ones([2]) + tf.ones([3]), [], tf.float32)": (
        "InvalidArgumentError, as outside of the function"
    ),
    "tf.truncatediv(i, 0)": "InvalidArgumentError, as for i // 0",
    "tf.math.accumulate_n([])": "InvalidArgumentError",
    "tf.linalg.matrix_transpose(a)": "InvalidArgumentError, from the op",
    "tf.linalg.cross(a[:2], b[:2])": "InvalidArgumentError",
    "tf.signal.dct(wave, type=5)": "InvalidArgumentError, from the op",
    # not there
    "stepped(O.SGD(0.1, use_ema=True, ema_momentum=0.5))": "no averages of weights",
    # another answer
    "printed(tf.constant(1 + 2j))": "(1,2): TensorFlow prints a question mark",
    'printed(collections.OrderedDict([("b", tf.constant(1)), ("a", tf.constant("s"))]))': (
        "every value with its own key: TensorFlow exchanges them"
    ),
}
# Calls that need names which are not there.
MISSING = {
    "tf.qint8": "qint8",
    "tf.resource": "resource",
    "tf.variant": "variant",
    "seeded(lambda: tf.keras.initializers.HeNormal(seed=1)([2, 2]))": "keras",
    'tf.strings.split("a b c")': "split",
    'tf.strings.unicode_decode("é", "UTF-8")': "unicode_decode",
    'tf.strings.unicode_encode([233], "UTF-8")': "unicode_encode",
    "tf.strings.unicode_script([233])": "unicode_script",
    'tf.strings.unicode_transcode("é", "UTF-8", "UTF-16-BE")': "unicode_transcode",
    'tf.strings.bytes_split("abc")': "bytes_split",
    'tf.nn.dilation2d(x4, k[:, :, :, 0], [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1])[0, 0]': (
        "dilation2d"
    ),
}


def answer(setup, call):
    """What penstock answers, and the name that it misses, if it does."""
    try:
        return front.describe(tf, front.run(tf, setup, call)), None
    except AttributeError as error:
        if isinstance(error.obj, types.ModuleType) or "penstock does not have it" in str(error):
            return {"kind": "error", "class": "AttributeError"}, error.name
        return {"kind": "error", "class": "AttributeError"}, None
    except Exception as error:
        return {"kind": "error", "class": front.error_class(error)}, None


TOPICS = [name for name in front.topics() if name != "mistakes"]


@pytest.mark.parametrize("topic", TOPICS)
def test_topic(topic):
    """Every recorded call is compared: one that differs, or misses a name, is listed, and what is
    listed does."""
    setup, calls = front.load(topic)
    recorded = front.recorded(topic)
    wrong = []
    for call in calls:
        expected = recorded[call]
        got, name = answer(setup, call)
        is_same = front.same(got, expected)
        if MISSING.get(call) != (None if is_same else name):
            wrong.append(f"{call}\n  misses {name}, listed: {MISSING.get(call)}")
        elif is_same and call in DIFFERENT:
            wrong.append(f"{call}\n  no longer differs")
        elif not is_same and call not in DIFFERENT and call not in MISSING:
            wrong.append(f"{call}\n  TensorFlow: {expected}\n  penstock:   {got}")
    assert not wrong, f"{len(wrong)} of {len(calls)} calls of {topic}\n" + "\n".join(wrong)


def test_the_lists_name_one_call_each():
    count = Counter(call for topic in TOPICS for call in set(front.load(topic)[1]))
    assert {call: count[call] for call in (*DIFFERENT, *MISSING) if count[call] != 1} == {}


def test_every_recorded_answer_is_compared():
    """A file of answers whose calls are gone would be compared with nothing."""
    assert {path.stem for path in front.DATA.glob("*.jsonl")} == {*front.topics()}
    for topic in front.topics():
        assert {*front.recorded(topic)} == {*front.load(topic)[1]}, topic


def test_what_is_otherwise_is_a_call_of_its_topic():
    """Entries for a topic that does not exist would never be checked."""
    for mode in ("function", "graph", "open_first", "open_all"):
        for topic, call in front.otherwise_entries(mode):
            assert topic in TOPICS, (mode, topic)
            assert call in front.load(topic)[1], (mode, call)
        entries = [*front.otherwise_entries(mode)]
        assert len(entries) == len({*entries}), mode


def test_every_topic_has_calls():
    compared = {topic: len(set(front.load(topic)[1])) for topic in TOPICS}
    assert sum(compared.values()) >= 5000, compared
    assert all(count >= 10 for count in compared.values()), compared
