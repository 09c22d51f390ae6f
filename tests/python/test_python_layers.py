"""tools/python_layers.py finds upward imports, cycles, and exceptions that are not needed."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import python_layers  # noqa: E402

LAYERS = ["_core", "_low", "_high _beside", "penstock"]


@pytest.fixture
def graph(tmp_path):
    def make(**files):
        """The imports of a package; `low__a` is penstock/_low/a.py."""
        package = tmp_path / "penstock"
        for name, text in files.items():
            folder, _, file = name.partition("__")
            path = package / f"_{folder}" / f"{file}.py" if file else package / f"{folder}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            (path.parent / "__init__.py").touch()
            path.write_text(text)
        return python_layers.read_graph(package)[1]

    return make


def upward(graph, exceptions=()):
    found = python_layers.check_layers(graph, LAYERS, dict.fromkeys(exceptions, "why"))
    return [(module, line, what) for module, line, what in found]


def ring(graph, exceptions=()):
    found = python_layers.check_rings(graph, dict.fromkeys(exceptions, "why"))
    return [what for _, _, what in found]


@pytest.mark.parametrize(
    "text",
    [
        "import os",
        "from penstock import _core",
        "from penstock._low import a",
        "from penstock._low.a import name",
        "import penstock._low.a",
        "from penstock._beside.c import name",
        "import typing\nif typing.TYPE_CHECKING:\n    import penstock",
    ],
)
def test_imports_that_are_allowed(graph, text):
    found = graph(low__a="", beside__c="", high__b=text)
    assert upward(found) == []
    assert ring(found) == []


@pytest.mark.parametrize(
    "text",
    [
        "from penstock._high.b import name",
        "from penstock._high import b",
        "import penstock._high.b as b",
        "def late():\n    from penstock._high import b",
        "class A:\n    import penstock._high.b",
        "try:\n    import penstock._high.b\nexcept ImportError:\n    pass",
    ],
)
def test_imports_that_go_up(graph, text):
    found = graph(low__a=text, high__b="")
    assert [(module, what) for module, _, what in upward(found)] == [
        ("penstock._low.a", "_low may not import penstock._high.b")
    ]
    assert upward(found, [("penstock._low.a", "penstock._high.b")]) == []


def test_relative_imports(graph):
    [(_, line, what)] = upward(graph(low__a="import os\nfrom . import b", low__b=""))
    assert line == 2
    assert what == "imports are written in full: from penstock…"


def test_a_package_in_no_layer(graph):
    [(module, _, what)] = upward(graph(new__a="", low__a=""))[:1]
    assert module == "penstock._new"
    assert "is in no layer" in what


def test_an_exception_that_is_not_needed(graph):
    [(_, _, what)] = upward(graph(low__a=""), [("penstock._low.a", "penstock._high.b")])
    assert "UPWARDS needs no line" in what


def test_rings(graph):
    found = graph(
        low__a="from penstock._low import b",
        low__b="def late():\n    from penstock._low.c import name",
        low__c="import penstock._low.a",
        low__d="import penstock._low.a",
    )
    names = "penstock._low.a penstock._low.b penstock._low.c"
    assert ring(found) == [f"modules import each other in a ring: {names}"]
    assert ring(found, [("penstock._low.b", "penstock._low.c")]) == []
    [what] = ring(found, [("penstock._low.c", "penstock._low.a")])
    assert "CLOSING is for late imports" in what


def test_an_exception_that_closes_no_ring(graph):
    found = graph(low__a="def late():\n    import penstock._low.b", low__b="")
    [what] = ring(found, [("penstock._low.a", "penstock._low.b")])
    assert "closes no ring" in what
    [what] = ring(found, [("penstock._low.b", "penstock._low.a")])
    assert "no longer imports" in what


def test_the_package_itself():
    assert python_layers.check_tree(ROOT) == []


def test_every_exception_has_a_reason():
    exceptions = [*python_layers.UPWARDS.values(), *python_layers.CLOSING.values()]
    assert all(len(each) > 8 for each in exceptions)


def test_tensors_are_told_by_their_kind():
    """By is_tensor_like and isinstance (_tensors/kinds.py), not by attributes that they have."""
    marks = ("_id", "_variable_number", "_read_only_array", "dense_shape")
    found = [
        f"{path.name}: {mark}"
        for path in (ROOT / "python" / "penstock").rglob("*.py")
        for mark in marks
        if re.search(rf'hasattr\([^()]*, "{mark}"\)', path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_imports_by_name_are_declared():
    texts = {
        "penstock": "import importlib\nimportlib.import_module('penstock.a')\nx.load_from(name)\n",
        "penstock.a": "def f():\n    return import_module(f'penstock.{x}')\n",
    }
    declared = {
        "penstock": {"'penstock.a'": "why", "name": "why"},
        "penstock.b": {"name": "why"},
    }
    assert [*python_layers.check_by_name(texts, declared)] == [
        ("penstock.a", 2, "imports f'penstock.{x}' by name: declare it in BY_NAME, and why"),
        ("penstock.b", 1, "no longer imports name by name: BY_NAME needs no line for it"),
    ]
    undeclared = [*python_layers.check_by_name(texts, {})]
    assert [(module, line) for module, line, _ in undeclared] == [
        ("penstock", 2),
        ("penstock", 3),
        ("penstock.a", 2),
    ]
