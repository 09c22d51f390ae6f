"""Programs that once differed from TensorFlow, next to its recorded answers, in every mode.

tests/differential finds such programs, makes them small and keeps them (corpus.py)."""

import gc
import sys
from pathlib import Path

import penstock as tf
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "differential"))
import compare
import corpus
import families
import known
import minimise
import worker

runner = worker.Runner(tf, is_penstock=True)


@pytest.fixture(autouse=True)
def frozen():
    """Hides objects that exist before a run from its search for leftovers."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def otherwise():
    """{(name, mode, kind): reason} of known differences."""
    listed, reason = {}, None
    for line in (corpus.CORPUS / "otherwise.txt").read_text().splitlines():
        if line.startswith("# "):
            reason = line[2:]
        elif line:
            listed[tuple(line.split(" | "))] = reason
    return listed


def differences(name):
    expected = corpus.answers(name)
    found = {}
    for mode in [*expected, "jit"] if "function" in expected else expected:
        answer = runner.run(corpus.text(name), [mode])[mode]
        wrong = compare.alone(answer, mode)
        if mode != "jit":
            wrong += compare.against(answer, expected[mode], mode, expected.get("eager"))
        elif not expected["function"]["error"]:
            wrong += compare.against(answer, expected["function"], mode, expected["eager"])
        wrong = [each for each in wrong if each.kind != "name" or mode == "script"]
        found |= {(name, mode, each.kind): each.detail for each in wrong}
    return found


@pytest.mark.parametrize("name", corpus.names())
def test_program(name):
    found = differences(name)
    listed = {key: why for key, why in otherwise().items() if key[0] == name}
    assert {key: what for key, what in found.items() if key not in listed} == {}
    assert [key for key in listed if key not in found] == [], "no longer differ: take them out"


def test_the_list_names_programs():
    assert {key[0] for key in otherwise()} <= {*corpus.names()}
    assert len(corpus.names()) >= 12


def made(number):
    return families.make(tf, 3, number, ("calls", "gradients", "loops", "state"))


def test_programs_are_made_anew_from_their_numbers():
    for number in range(20):
        assert made(number) == made(number)


def test_modes_agree():
    """Random programs, as they are eagerly: to the bit, with nothing held afterwards, and plans
    that are what happens. (What a mode refuses is for TensorFlow to say.)"""
    wrong, compared = [], 0
    for program in map(made, range(80)):
        answers = runner.run(program["text"], program["modes"])
        for mode, answer in answers.items():
            found = compare.alone(answer, mode)
            if not answer["error"] and mode != "eager":
                found += compare.among(answer, answers["eager"], mode)
                compared += not answers["eager"]["error"]
            found = [d for d in found if d.kind != "static wrong" and not known.reason(program, d)]
            wrong += [f"{program['text']}\n{each}" for each in found]
    assert not wrong, "\n".join(wrong)
    assert compared >= 300


def test_programs_are_made_small():
    text = (
        "CALLS = [[('float32', [2, 3], [1, 2, 3, 4, 5, 6]), ('int32', [], [1])]]\n"
        "def f(a0, a1):\n"
        "    t0 = tf.nn.relu(a0)\n"
        "    with tf.GradientTape() as tape:\n"
        "        tape.watch(a0)\n"
        "        t1 = tf.reduce_sum(tf.tanh(a0), axis=0)\n"
        "    return {'t0': t0, 't1': t1, 'g': tape.gradient(t1, a0)}\n"
    )

    def shows(text):
        answer = runner.run(text, ["eager"])["eager"]
        return not answer["error"] and "tanh" in text

    small = minimise.minimise(text, shows, 300)
    assert len(small) < 0.4 * len(text)
    assert shows(small)
