"""What help() shows: arguments, results, and examples that run."""

import doctest
import inspect
import re
from pathlib import Path

import numpy as np
import penstock as tf
import pytest
from penstock import _api, _core, raw_ops
from penstock._api import docs as _docs

NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+)(?:e[-+]?\d+)?")
# TensorFlow's names in the order of how many programs use them.
MOST_USED = (Path(__file__).parent / "most_used_names.txt").read_text().split()
# Switches that hold for the whole process, and members that an example would only repeat.
WITHOUT_EXAMPLE = {
    "Tensor", "Variable.name", "Variable.numpy", "autograph.to_code", "compat.v1.GraphDef",
    "compat.v1.disable_tensor_equality", "compat.v1.disable_v2_behavior",
    "compat.v1.enable_eager_execution", "compat.v1.enable_resource_variables",
    "compat.v1.enable_tensor_equality", "config.experimental.set_virtual_device_configuration",
    "config.set_logical_device_configuration", "profiler.experimental.start",
    "random.get_global_generator", "train.CheckpointManager.checkpoints",
    "train.CheckpointManager.latest_checkpoint",
}  # fmt: skip


# Made from a table of TensorFlow 1's names: the function that they stand for tells the rest.
FROM_TABLES = {
    "compat.v1.arg_min", "compat.v1.global_variables", "compat.v1.metrics.mean_squared_error",
    "compat.v1.py_func", "compat.v1.trainable_variables",
}  # fmt: skip


class Numbers(doctest.OutputChecker):
    """Compares numbers by value: machines differ in the last digits."""

    def check_output(self, want, got, flags):
        (want, wanted), (got, found) = (
            (re.sub(r"\s|<BLANKLINE>", "", NUMBER.sub("#", text)), NUMBER.findall(text))
            for text in (want, got)
        )
        wanted, found = np.float64(wanted), np.float64(found)
        return want == got and np.allclose(wanted, found, rtol=1e-4, atol=1e-6)


def run(text, name):
    test = doctest.DocTestParser().get_doctest(text, {"tf": tf, "np": np}, name, None, None)
    lines = []
    failed = doctest.DocTestRunner(checker=Numbers()).run(test, out=lines.append).failed
    assert not failed, "".join(lines)
    return len(test.examples)


def find(name):
    """The object of a dotted name."""
    value = tf
    for part in name.split("."):
        value = getattr(value, part)
    return value


def parameters(function):
    if isinstance(function, property):
        return []
    try:
        found = inspect.signature(function).parameters
    except ValueError:
        return []
    return [name for name in found if name not in ("self", "cls")]


def op_functions():
    return {name: _api.find(*name.rpartition(".")[::2]) for name in _docs.examples()}


def test_every_op_function_has_an_example():
    firsts = {entry[4] for entry in _api._table.values()}
    assert firsts == {*_docs.examples()}


@pytest.mark.parametrize("name", _docs.examples())
def test_examples_of_ops(name):
    assert run(_docs.examples()[name], name) > 0


def test_op_functions_say_what_they_take():
    for name, function in op_functions().items():
        text = inspect.getdoc(function)
        arguments = text.partition("Args:")[2].partition("Returns:")[0]
        for parameter in parameters(function):
            assert re.search(rf"^  {parameter}: \S", arguments, re.M), (name, parameter)
        assert "Returns:" in text, name


def test_parameter_texts_are_used():
    """Every line of parameters.txt is about a parameter that there is."""
    known = set()
    for function in op_functions().values():
        for public, own, *_ in function._parameters:
            own = own.lstrip("!")
            known |= {public, f"{function._op}.{own}", f"{function._op}.{public}"}
    assert not {*_docs._parameter_texts()} - known


def untold(value, text) -> list[str]:
    """The parameters that a doc string does not tell of."""
    taken = [each for each in parameters(value) if each not in ("args", "kwargs", "fields")]
    told = text if "Args:" in text else ""
    return [p for p in taken if not re.search(rf"^ +[*]*[\w, ]*\b{p}\b[\w, ]*: \S", told, re.M)]


@pytest.mark.parametrize("name", MOST_USED)
def test_most_used_names(name):
    value = find(name)
    text = inspect.getdoc(value)
    assert text, "no doc string"
    if isinstance(value, type) and issubclass(value, Exception):
        return
    if name in FROM_TABLES:
        assert untold(value, text), "it tells: take it out of the list"
        return
    assert not untold(value, text)
    assert "Traceback" not in text
    assert (">>> " in text) == (name not in WITHOUT_EXAMPLE), "an example is missing, or there"
    if not isinstance(value, _core.OpFunction) and ">>> " in text:
        run(text, name)


def test_the_lists_name_names_that_are_looked_at():
    assert {*MOST_USED} >= WITHOUT_EXAMPLE | FROM_TABLES
    assert not WITHOUT_EXAMPLE & FROM_TABLES


def test_dtypes_in_words():
    words = _docs.dtypes_in_words
    assert words(["float32"]) == "float32"
    assert words(["int32", "int64"]) == "int32 or int64"
    assert words(["bool", *_docs._INTS]) == "any integer dtype or bool"


def test_raw_ops_have_doc_strings():
    for name in dir(raw_ops):
        assert getattr(raw_ops, name).__doc__, name
