"""Public modules show TensorFlow's names and the documented ones of our own, and no helpers."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from penstock import _core

ROOT = Path(__file__).resolve().parents[3]

# What penstock has and TensorFlow does not, by module: each is in the docs.
ADDED = {
    "tf": "from_dlpack install_as_tensorflow",
    "tf.compat.v1": "from_dlpack install_as_tensorflow",
    "tf.compat.v1.debugging": "assert_peak",
    "tf.compat.v1.io": "safetensors",
    "tf.config": (
        "get_memory_budget get_trace_cache_limit set_memory_budget set_trace_cache_limit"
    ),
    "tf.config.experimental": "get_memory_by_tag trim_memory",
    "tf.data": "MemoryPlan",
    "tf.debugging": "assert_peak",
    "tf.experimental": "from_numpy",
    "tf.io": "safetensors",
    "tf.io.safetensors": "load load_file safe_open save save_file",
    "tf.profiler": "Doctor Finding Profile Site doctor memory",
    "tf.profiler.memory": "Account Profile Recording account is_recording start stop summary",
}
# All that a module shows in dir() or has as an attribute when it is loaded.
WALK = """
import json
from penstock._dev import stubs as _stubs
modules = _stubs.modules().items()
print(json.dumps({
    "tf" + name.removeprefix("penstock"): sorted({*dir(module), *vars(module)})
    for name, module in modules
}))
"""


def tensorflows():
    text = (ROOT / "tests/recorded/module_names.txt").read_text(encoding="utf-8")
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    found = {name: set(names) for name, *names in lines}
    found["tf.raw_ops"] |= set(_core.op_names())
    return found


@pytest.fixture(scope="module")
def shown():
    run = subprocess.run([sys.executable, "-c", WALK], capture_output=True, text=True, check=True)
    return {
        module: {name for name in names if not name.startswith("_")}
        for module, names in json.loads(run.stdout).items()
    }


def test_only_names_of_tensorflow_and_documented_ones(shown):
    known = tensorflows()
    strangers = {
        module: sorted(names - known.get(module, set()) - set(ADDED.get(module, "").split()))
        for module, names in shown.items()
    }
    assert {module: names for module, names in strangers.items() if names} == {}


def test_all_modules_are_walked(shown):
    assert {"tf", "tf.math", "tf.compat.v1.nn.rnn_cell", "tf.io.gfile"} <= set(shown)
    assert len(shown) > 60


@pytest.mark.parametrize("module", ADDED)
def test_additions_are_there_and_documented(module, shown):
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    docs = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    known = tensorflows().get(module, set())
    for name in ADDED[module].split():
        assert name in shown[module]
        assert name not in known, "TensorFlow has it: take it out"
        assert re.search(rf"\b{name}\b", docs), f"{module}.{name} is in no page of docs/"
