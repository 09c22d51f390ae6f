"""Checks the imports of the Python modules: the order of the packages, and no cycles.

A module may import what stands below its own layer in LAYERS, and modules of its own layer, as long
as no ring comes of it. Imports inside of functions count as well. Imports that stand under
`if TYPE_CHECKING:` do not: nothing runs them. An import by name (`importlib.import_module`) or by a
hook that imports later (`load_from`) must be declared in BY_NAME, with its reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# From the bottom to the top; each line is one layer.
LAYERS = [
    "_core",
    "errors",
    "_base",
    "nest _memory _api raw_ops",
    "dtypes",
    "_tensors _proto",
    "_context",
    "io",
    "_ops",
    "_autodiff",
    "_variables",
    "autodiff bitwise debugging experimental linalg math nn quantization random signal strings",
    "initializers losses metrics optimizers summary train types version sysconfig",
    "_control_flow",
    "autograph",
    "config data _tracing",
    "penstock",
    "compat profiler",
    "_testing test",
    "_cli _dev __main__",
]

# Imports that go up, and why: (module, imported module): reason. One that is not needed any more is
# an error.
UPWARDS: dict[tuple[str, str], str] = {}

# Late imports that close a ring, and why. The rings are checked without them; one without which
# there is no ring is an error.
CLOSING: dict[tuple[str, str], str] = {}

# Imports by name, and why: {module: {argument of the call: reason}}. One that is not there any more
# is an error.
BY_NAME: dict[str, dict[str, str]] = {
    "penstock": {
        "'penstock.compat.v1._parts'": "a hook: the layers below use TensorFlow 1 by version_1",
        "'penstock.' + name": "a namespace is loaded when it is first used",
        "'penstock.profiler._recording'": "PENSTOCK_PROFILE records a program from its start",
    },
    "penstock._api": {
        "'penstock.' + module": "a module is loaded when one of its public names is first used",
        "f'penstock._ops.{module}'": "ops.txt names the function for the rare arguments of an op",
    },
    "penstock._base.version_1": {"self._home": "the hook that penstock sets"},
    "penstock.compat.v1.data._todays": {
        "f'penstock.{namespace}'": "the functions of tf.data, and of tf.data.experimental",
    },
    "penstock.compat._as_tensorflow": {
        "root + name": "tensorflow.x is penstock.x",
        "roots[0]": "tensorflow is penstock, or its tf.compat.v1",
    },
    "penstock.compat.v1": {"'penstock.compat.v1.' + name": "a namespace on first use"},
    "penstock.compat.v1._names": {
        "where": "_names.txt names today's function",
        "'penstock.' + base": "a namespace of TensorFlow 1 stands on today's",
    },
    "penstock.compat.v1._parts": {
        "f'{_PLACE}.{name}'.rstrip('.')": "a namespace of tf.compat.v1",
        "f'{_PLACE}.{file}'": "a part is loaded when it is first used",
    },
    "penstock.profiler._exports": {
        "f'penstock.profiler.{FORMS[form].module}'": "the writer of a file format, on first use"
    },
}

_RELATIVE = "."
_CALLS_BY_NAME = ("import_module", "__import__", "load_from")


class Import(NamedTuple):
    module: str
    line: int
    is_late: bool


def modules_in(package: Path) -> dict[str, Path]:
    """The files of a package by the names of their modules."""
    modules = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        modules[".".join(parts).removesuffix(".__init__")] = path
    return modules


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def imports_of(name: str, text: str, modules) -> list[Import]:
    """The modules of the package that a module imports; `_core` is one."""
    imports = []

    def visit(node, is_late):
        for child in ast.iter_child_nodes(node):
            if _is_type_checking(child):
                continue
            if isinstance(child, ast.Import):
                names = [alias.name for alias in child.names if _is_own(alias.name)]
            elif isinstance(child, ast.ImportFrom) and child.level:
                names = [_RELATIVE]
            elif isinstance(child, ast.ImportFrom) and _is_own(child.module or ""):
                names = [f"{child.module}.{alias.name}" for alias in child.names]
                names = [full_name if full_name in modules else child.module for full_name in names]
            else:
                kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
                visit(child, is_late or isinstance(child, kinds))
                continue
            imports.extend(
                Import(module, child.lineno, is_late) for module in names if module != name
            )

    visit(ast.parse(text), False)
    return imports


def imports_by_name(text: str) -> list[tuple[int, str]]:
    """(line, argument) of each import by name or by a hook."""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and node.args]
    return [
        (call.lineno, ast.unparse(call.args[0]))
        for call in calls
        if getattr(call.func, "attr", getattr(call.func, "id", "")) in _CALLS_BY_NAME
    ]


def check_by_name(texts: dict[str, str], declared) -> Iterator[tuple[str, int, str]]:
    """(module, line, message) for each import by name that is not declared, and each declared one
    that is not there."""
    for name in sorted({*texts, *declared}):
        unused = dict(declared.get(name, {}))
        for line, argument in imports_by_name(texts.get(name, "")):
            if argument not in declared.get(name, {}):
                yield name, line, f"imports {argument} by name: declare it in BY_NAME, and why"
            unused.pop(argument, None)
        for argument in unused:
            yield name, 1, f"no longer imports {argument} by name: BY_NAME needs no line for it"


def _is_own(module: str) -> bool:
    return module.split(".")[0] == "penstock"


def heights(layers: list[str]) -> dict[str, int]:
    return {part: height for height, line in enumerate(layers) for part in line.split()}


def part_of(module: str) -> str:
    """The package that a module is of: what LAYERS speaks of."""
    return module.split(".")[1] if "." in module else module


def check_layers(graph, layers, upwards) -> Iterator[tuple[str, int, str]]:
    """(module, line, message) for each import that goes up."""
    height, unused = heights(layers), dict(upwards)
    for name, imports in graph.items():
        if part_of(name) not in height:
            yield name, 1, f"{part_of(name)} is in no layer (see LAYERS in tools/python_layers.py)"
            continue
        for imported in imports:
            if imported.module == _RELATIVE:
                yield name, imported.line, "imports are written in full: from penstock…"
            if height.get(part_of(imported.module), -1) <= height[part_of(name)]:
                continue
            if (name, imported.module) in upwards:
                unused.pop((name, imported.module), None)
            else:
                yield name, imported.line, f"{part_of(name)} may not import {imported.module}"
    for name, module in unused:
        yield name, 1, f"no longer imports {module}: UPWARDS needs no line for it"


def rings(graph: dict[str, set[str]]) -> list[list[str]]:
    """The sets of modules that import each other, each sorted (Tarjan's algorithm)."""
    index, low, stack, result = {}, {}, [], []

    def visit(name):
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in sorted(graph.get(name, ())):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            place = stack.index(name)
            ring = sorted(stack[place:])
            del stack[place:]
            if len(ring) > 1:
                result.append(ring)

    for name in sorted(graph):
        if name not in index:
            visit(name)
    return result


def check_rings(graph, closing) -> Iterator[tuple[str, int, str]]:
    """(module, line, message) for each ring, and for each exception that none needs."""
    edges = {name: {imported.module for imported in imports} for name, imports in graph.items()}
    early = {
        (name, imported.module)
        for name in graph
        for imported in graph[name]
        if not imported.is_late
    }
    for name, module in closing:
        if (name, module) in early:
            yield name, 1, f"imports {module} at its top: CLOSING is for late imports"
        if module in edges.get(name, ()):
            edges[name].discard(module)
        else:
            yield name, 1, f"no longer imports {module}: CLOSING needs no line for it"
    for ring in rings(edges):
        yield ring[0], 1, "modules import each other in a ring: " + " ".join(ring)
    for name, module in closing:
        if name in edges:
            edges[name].add(module)
            if not any(name in ring and module in ring for ring in rings(edges)):
                yield name, 1, f"closes no ring with {module}: CLOSING needs no line for it"
            edges[name].discard(module)


def read_texts(modules: dict[str, Path]) -> dict[str, str]:
    return {name: path.read_text(encoding="utf-8") for name, path in modules.items()}


def read_graph(package: Path) -> tuple[dict[str, Path], dict[str, list[Import]]]:
    """The files of the package, and the imports of each module."""
    modules = modules_in(package)
    known = {*modules, "penstock._core"}
    texts = read_texts(modules)
    return modules, {name: imports_of(name, text, known) for name, text in texts.items()}


def check_tree(root: Path) -> list[str]:
    """All messages about the package of a repository."""
    package = root / "python" / "penstock"
    if not package.is_dir():
        return []
    modules, graph = read_graph(package)
    messages = [
        *check_layers(graph, LAYERS, UPWARDS),
        *check_rings(graph, CLOSING),
        *check_by_name(read_texts(modules), BY_NAME),
    ]
    return [
        f"{modules[name].relative_to(root) if name in modules else name}:{line}: {what}"
        for name, line, what in messages
    ]
