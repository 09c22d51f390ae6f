"""Checks the imports of the Python modules: the order of the packages, and no cycles.

A module may import what stands below its own layer in LAYERS, and modules of its own layer, as long
as no ring comes of it. Imports inside of functions count as well. Imports that stand under
`if TYPE_CHECKING:` do not: nothing runs them. The package itself loads its namespaces by name when
they are asked for; what the rest asks of TensorFlow 1 is registered (_base/version_1.py).
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


_RELATIVE = "."


class Import(NamedTuple):
    module: str
    line: int
    is_late: bool


def modules_in(package: Path) -> dict[str, Path]:
    """The files of a package by the names of their modules."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def imports_of(name: str, text: str, modules) -> list[Import]:
    """The modules of the package that a module imports; `_core` is one."""
    found = []

    def visit(node, is_late):
        for child in ast.iter_child_nodes(node):
            if _is_type_checking(child):
                continue
            if isinstance(child, ast.Import):
                names = [each.name for each in child.names if _is_own(each.name)]
            elif isinstance(child, ast.ImportFrom) and child.level:
                names = [_RELATIVE]
            elif isinstance(child, ast.ImportFrom) and _is_own(child.module or ""):
                names = [f"{child.module}.{each.name}" for each in child.names]
                names = [each if each in modules else child.module for each in names]
            else:
                kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
                visit(child, is_late or isinstance(child, kinds))
                continue
            found.extend(Import(each, child.lineno, is_late) for each in names if each != name)

    visit(ast.parse(text), False)
    return found


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
        for each in imports:
            if each.module == _RELATIVE:
                yield name, each.line, "imports are written in full: from penstock…"
            if height.get(part_of(each.module), -1) <= height[part_of(name)]:
                continue
            if (name, each.module) in upwards:
                unused.pop((name, each.module), None)
            else:
                yield name, each.line, f"{part_of(name)} may not import {each.module}"
    for name, module in unused:
        yield name, 1, f"no longer imports {module}: UPWARDS needs no line for it"


def rings(graph: dict[str, set[str]]) -> list[list[str]]:
    """The sets of modules that import each other, each sorted (Tarjan's algorithm)."""
    index, low, stack, found = {}, {}, [], []

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
                found.append(ring)

    for name in sorted(graph):
        if name not in index:
            visit(name)
    return found


def check_rings(graph, closing) -> Iterator[tuple[str, int, str]]:
    """(module, line, message) for each ring, and for each exception that none needs."""
    edges = {name: {each.module for each in imports} for name, imports in graph.items()}
    early = {(name, each.module) for name in graph for each in graph[name] if not each.is_late}
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


def read_graph(package: Path) -> tuple[dict[str, Path], dict[str, list[Import]]]:
    """The files of the package, and the imports of each module."""
    modules = modules_in(package)
    known = {*modules, "penstock._core"}
    texts = {name: path.read_text(encoding="utf-8") for name, path in modules.items()}
    return modules, {name: imports_of(name, text, known) for name, text in texts.items()}


def check_tree(root: Path) -> list[str]:
    """All messages about the package of a repository."""
    package = root / "python" / "penstock"
    if not package.is_dir():
        return []
    modules, graph = read_graph(package)
    found = [*check_layers(graph, LAYERS, UPWARDS), *check_rings(graph, CLOSING)]
    return [
        f"{modules[name].relative_to(root) if name in modules else name}:{line}: {what}"
        for name, line, what in found
    ]
