"""What graphs of TensorFlow 1 call their nodes: TensorFlow's names, recorded in tests/recorded."""

import ast
import inspect
import json
import subprocess
import sys
from pathlib import Path

import penstock as tf
import pytest

RECORDED = Path(__file__).resolve().parents[2] / "recorded"
sys.path.insert(0, str(RECORDED))
import v1_models  # noqa: E402
import v1_names  # noqa: E402
import v1_shapes  # noqa: E402

v1 = tf.compat.v1
PACKAGE = Path(inspect.getfile(tf)).parent


def recorded(topic):
    return json.loads((RECORDED / "v1_data" / f"{topic}.json").read_text())


# Calls whose results have other names here.
OTHER_NAMES = {
    "tf.floor_div(x, y, NAME)": "the same function as tf.floordiv, whose name it has",
    "tf.guarantee_const(x, NAME)": "there is none",
    "tf.where(b, x, y, NAME)": "the op is SelectV2",
}
# Nodes that TensorFlow has inside of a single node of ours, or that only gradients use.
MISSING = {
    "reductions": 4,
    "arrays": 3,
    "activations_and_losses": 59,
    "losses": 86,
    "gradient_descent": 42,
    "gradients_of_an_optimizer": 42,
    "momentum_and_clipping": 48,
    "adam_with_a_global_step": 47,
    "gradients_in_scopes": 32,
    "learning_rates": 17,
    "summaries": 4,
    "branches_and_loops": 5,
    "assignments": 2,
    "a_saver": 15,
    "dense_layers": 30,
    "convolutional_layers": 11,
    "normalization_and_dropout": 24,
    "a_perceptron": 96,
    "scopes_of_layers": 126,
    "a_convolutional_classifier": 57,
    "words_by_nce": 310,
    "skip_gram_by_sampled_softmax": 137,
    "a_recurrent_cell_by_hand": 1,
    "gates_of_a_cell": 9,
    "a_sum_in_a_loop": 22,
    "an_autoencoder": 108,
    "batch_normalization_by_hand": 34,
    "a_linear_regression": 87,
    "clipping_by_global_norm": 44,
    "rates_that_decay": 54,
    "averages_of_variables": 58,
    "two_optimizers": 48,
    "penalties": 40,
    "collections_and_dependencies": 2,
    "metrics_in_a_stream": 22,
    "a_saver_of_a_model": 28,
    "summaries_of_a_variable": 5,
    "random_numbers": 1,
}


def test_every_call_that_is_recorded_is_made():
    assert list(recorded("names")) == v1_names.CALLS
    assert len(v1_names.CALLS) > 230
    assert set(OTHER_NAMES) <= set(v1_names.CALLS)


@pytest.mark.parametrize("call", v1_names.CALLS)
def test_results_have_their_names(call):
    wanted = recorded("names")[call]
    if call not in OTHER_NAMES:
        assert v1_names.result_names(v1, call) == wanted
        return
    try:
        assert v1_names.result_names(v1, call) != wanted
    except AttributeError:
        assert OTHER_NAMES[call] == "there is none"


@pytest.mark.parametrize("name", v1_names.programs(v1))
def test_nodes_of_programs(name):
    nodes, used = recorded("nodes")[name]
    found, returned = v1_names.node_names(v1, v1_names.programs(v1)[name])
    assert returned == used
    missing = [each for each in nodes if each not in found]
    assert len(missing) == MISSING.get(name, 0), missing
    assert len(set(found)) == len(found)  # no two have one name


TF1 = """
import json, sys
sys.path.insert(0, sys.argv[1])
import v1_names, v1_shapes
from penstock.compat import v1
v1.disable_v2_behavior()
nodes = {name: v1_names.node_names(v1, build) for name, build in v1_names.programs(v1).items()}
print(json.dumps([nodes, v1_shapes.answers(v1)]))
"""


def test_names_and_shapes_of_tensorflow_1():
    done = subprocess.run(
        [sys.executable, "-c", TF1, str(RECORDED)], capture_output=True, text=True, check=True
    )
    nodes, shapes = json.loads(done.stdout)
    wanted = recorded("nodes_tf1")
    assert {name: used for name, (_, used) in nodes.items()} == {
        name: used for name, (_, used) in wanted.items()
    }
    models = []
    v1_models.add(v1, lambda function: models.append(function.__name__))
    # Most nodes of models are those of gradients, of which the last ones have names here.
    assert _share_kept(nodes, wanted, set(wanted) - set(models)) >= 0.54
    assert _share_kept(nodes, wanted, models) >= 0.4
    assert shapes == recorded("shapes_tf1")
    assert len(shapes) == len(v1_shapes.EXPRESSIONS)


TAPE_FIRST = """
import penstock as tf
with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    x = tf.compat.v1.placeholder(tf.float32, [2, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.linalg.logdet(x)
    print(session.run(tape.gradient(y, x), {x: [[2.0, 0.0], [0.0, 4.0]]}).tolist())
"""


def test_a_tape_in_a_graph_before_any_function_is_traced():
    done = subprocess.run(
        [sys.executable, "-c", TAPE_FIRST], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)[1] == pytest.approx([0.0, 0.25])


def _share_kept(nodes, wanted, names) -> float:
    kept = sum(len(set(nodes[name][0]) & set(wanted[name][0])) for name in names)
    return kept / sum(len(wanted[name][0]) for name in names)


class TestUse:
    """What names are for."""

    def test_fetch_and_feed_by_name(self):
        with tf.Graph().as_default() as graph, v1.Session() as sess:
            x = v1.placeholder(tf.float32, [None], name="x")
            with tf.name_scope("net"):
                y = tf.identity(x * 2.0, name="out")
            assert sess.run("net/out:0", {"x:0": [1.0, 2.0]}).tolist() == [2.0, 4.0]
            assert graph.get_tensor_by_name("net/out:0") == y
            assert graph.get_operation_by_name("net/out") is y.op
            assert sess.run("net/mul/y:0") == 2.0  # the constant among its inputs

    def test_an_axis_is_a_constant_of_its_name(self):
        with tf.Graph().as_default(), v1.Session() as sess:
            x = v1.placeholder(tf.float32, [None, 3])
            tf.concat([x, x], 1, name="cc")
            tf.reduce_mean(x, 1, name="rm")
            tf.reduce_sum(x)
            found = sess.run(["cc/axis:0", "rm/reduction_indices:0", "Const:0"])
            assert [each.tolist() for each in found] == [1, 1, [0, 1]]

    def test_a_gradient_by_its_name(self):
        with tf.Graph().as_default(), v1.Session() as sess:
            x, w = v1.placeholder(tf.float32, [1, 2]), tf.constant([[1.0], [2.0]])
            with tf.name_scope("Model"):
                y = tf.matmul(x, w)
            with tf.name_scope("SGD"):
                tf.gradients(y, [w, x])
            given = {x: [[3.0, 4.0]]}
            found = sess.run("SGD/gradients/Model/MatMul_grad/MatMul_1:0", given)
            assert found.tolist() == [[3.0], [4.0]]
            found = sess.run("SGD/gradients/Model/MatMul_grad/MatMul:0", given)
            assert found.tolist() == [[1.0, 2.0]]

    def test_an_optimizer_by_its_names(self):
        with tf.Graph().as_default(), v1.Session() as sess:
            w = v1.Variable([1.0, 2.0], name="w")
            v1.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(w * w))
            v1.global_variables_initializer()
            sess.run("init")
            sess.run("GradientDescent/update_w/ResourceApplyGradientDescent")
            assert sess.run("w/Read/ReadVariableOp:0").tolist() == [0.0, 0.0]
            assert sess.run("GradientDescent/learning_rate:0") == 0.5
            assert sess.run("w/IsInitialized/VarIsInitializedOp:0")

    @pytest.mark.parametrize("kind", ["add", "divide", "name_scope"])
    def test_names_that_there_cannot_be(self, kind):
        def named(name):
            if kind != "name_scope":
                return getattr(tf, kind)(1.0, 2.0, name=name)
            with tf.name_scope(name):
                return None

        with tf.Graph().as_default():
            for name in ("a b", "_x", "-x", ">x"):
                with pytest.raises(ValueError, match="is not a valid root scope name"):
                    named(name)
            with tf.name_scope("outer"):
                with pytest.raises(ValueError, match="is not a valid scope name"):
                    named("a b")
                named("_x")

    def test_a_name_that_is_taken(self):
        with tf.Graph().as_default():
            assert tf.add(1.0, 2.0, name="x/").name == "x:0"
            with pytest.raises(ValueError, match="Duplicate node name in graph: 'x'"):
                tf.add(1.0, 2.0, name="x/")

    def test_a_name_to_come(self):
        with tf.Graph().as_default() as graph:
            tf.constant(1.0, name="Add")
            assert graph.unique_name("add", mark_as_used=False) == "add_1"
            assert graph.unique_name("add", mark_as_used=False) == "add_1"
            assert graph.unique_name("add") == "add_1"
            assert graph.unique_name("add") == "add_2"

    def test_gradients_of_a_tape(self):
        with tf.Graph().as_default():
            x = v1.placeholder(tf.float32, [None, 3], name="x")
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                y, z = tf.tanh(x), x * x
                picked = tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: tf.exp(x))
            assert tape.gradient(y, x).name == "gradient_tape/TanhGrad:0"
            assert tape.gradient(z, x).name == "AddN:0"
            assert tape.gradient(picked, x).name == "gradient_tape/cond/Identity:0"
            assert tape.gradient(y, z, unconnected_gradients="zero").name == "zeros_like:0"

    def test_moving_averages(self):
        with tf.Graph().as_default(), v1.Session() as sess:
            w, x = v1.get_variable("w", initializer=1.0), v1.placeholder(tf.float32, [])
            double = tf.multiply(x, 2.0, name="double")
            averages = tf.train.ExponentialMovingAverage(0.5)
            update = averages.apply([w, double])
            assert update.name == "ExponentialMovingAverage"
            kept = [averages.average(each) for each in (w, double)]
            assert [each.op.name for each in kept] == [
                "w/ExponentialMovingAverage",
                "double/ExponentialMovingAverage",
            ]
            sess.run(v1.global_variables_initializer())
            sess.run(w.assign(3.0))
            sess.run(update, {x: 4.0})
            assert sess.run(kept) == [2.0, 4.0]

    def test_nothing_is_named_where_nothing_is_built(self):
        assert tf.concat([[1], [2]], 0, name="a b").numpy().tolist() == [1, 2]
        assert tf.function(lambda x: tf.identity(x, name="out"))(3).numpy() == 3


# Functions that accept `name` but make no node: they return values, or run at once.
UNNAMED = {
    "io/_contents.py": "read_file write_file matching_files serialize_tensor parse_tensor",
    "_ops/printing.py": "timestamp",
    "random/_generator.py": "normal truncated_normal uniform uniform_full_int binomial",
    "_control_flow/graph_array.py": "size grad close write unstack scatter split",
    "_control_flow/tensor_array.py": (
        "__init__ size grad close read write stack gather concat unstack scatter split"
    ),
    "_variables/variable.py": (
        "is_initialized assign assign_add assign_sub scatter_update scatter_add scatter_sub "
        "scatter_max scatter_min scatter_mul scatter_div scatter_nd_update scatter_nd_add "
        "scatter_nd_sub sparse_read gather_nd"
    ),
    "debugging/_static.py": (
        "assert_rank assert_rank_at_least assert_rank_in assert_scalar assert_type assert_integer "
        "assert_shapes"
    ),
    "debugging/_values.py": (
        "Assert assert_equal assert_none_equal assert_less assert_less_equal assert_greater "
        "assert_greater_equal assert_positive assert_negative assert_non_negative "
        "assert_non_positive assert_near assert_all_finite"
    ),
    "summary/__init__.py": "write",
    "summary/_writer.py": "create_file_writer flush write_raw_pb",
    "train/_example.py": "_set",
    "train/_watch.py": "arrived",
    "compat/v1/_flag_values.py": "_access_unparsed",
    "compat/v1/train/_saver.py": "__init__",
    "compat/v1/_functions.py": "assert_scalar",
    # The stages of datasets are no nodes.
    "compat/v1/data/_dataset.py": "map",
    "compat/v1/data/_iterator.py": "__init__",
    "data/_dataset.py": (
        "batch bucket_by_sequence_length cache concatenate counter enumerate filter flat_map "
        "from_generator from_tensor_slices from_tensors get_single_element group_by_window "
        "ignore_errors interleave list_files map padded_batch prefetch ragged_batch random rebatch "
        "reduce rejection_resample repeat scan shard shuffle skip snapshot sparse_batch take "
        "take_while unbatch unique window with_options zip"
    ),
    "data/_experimental.py": "RandomDataset from_list",
    "data/_iterator.py": "get_next",
    "data/_optional.py": "get_value has_value",
    "data/_options.py": "_default",
    "data/_readers.py": "__new__",
}


def test_no_function_drops_its_name():
    """But those, and none is excused for nothing."""
    dropped = {}
    for path in PACKAGE.rglob("*.py"):
        where = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and _drops(node):
                dropped.setdefault(where, set()).add(node.name)
    assert dropped == {where: {*names.split()} for where, names in UNNAMED.items()}


def _drops(function) -> bool:
    takes = any(each.arg == "name" for each in (*function.args.args, *function.args.kwonlyargs))
    uses = any(isinstance(each, ast.Name) and each.id == "name" for each in ast.walk(function))
    decorators = {
        each.func.id.lstrip("_")
        for each in function.decorator_list
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)
    }
    is_special = function.name == "__tf_tensor__"
    return takes and not uses and not is_special and not decorators & {"scoped", "schedule"}
