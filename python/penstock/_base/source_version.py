"""Which TensorFlow a program is written for, read from its source.

TensorFlow 2 dropped names of TensorFlow 1 (`tf.placeholder`, `tf.train.AdamOptimizer`) and added
others. _version_names.txt lists both kinds. A program is TensorFlow 1's when it uses more names of
the first kind than of the second. The script itself decides; if it uses neither, the modules that
it imports from its own folder do, nearest first.

Some uses do not count: `tf.compat.v1.placeholder`, a name that the program assigns itself
(`tf.placeholder = …`), and a name that the program checks for first (`hasattr(tf, "Session")`,
`tf.__version__`, `except AttributeError`).
"""

from __future__ import annotations

import ast
import functools
import os
import sys
import warnings
from collections import deque
from pathlib import Path
from typing import NamedTuple

_MOST_FILES = 200
# Programs that read one of these work with several versions.
_VERSION = {"__version__", "VERSION", "version", "executing_eagerly"}
# TensorFlow 1 has these too, but its graphs do not need them. They are signs of an eager program.
_EAGER = {"GradientTape", "function"}
_TURNS_EAGER = {"enable_eager_execution", "enable_v2_behavior"}


class Sign(NamedTuple):
    """A name of TensorFlow 1 and the place where a program first uses it."""

    name: str
    file: str
    line: int


@functools.cache
def only_in(version: int) -> dict[str, frozenset[str]]:
    """The names that exist only in that version of TensorFlow, by module ("" is the top level)."""
    names_by_module = {}
    text = (Path(__file__).parent / "version_names.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        number, module, *names = line.split()
        if number == str(version):
            names_by_module[module.removeprefix("tf").removeprefix(".")] = frozenset(names)
    return names_by_module


def _version_of(path: str) -> tuple[int, str]:
    """The only version with this name, and the part that decides; 0 if both have it."""
    parts = path.split(".")
    for i, name in enumerate(parts):
        for version in (1, 2):
            if name in only_in(version).get(".".join(parts[:i]), ()):
                return version, ".".join(parts[: i + 1])
    return 0, path


class _Source:
    """The names of TensorFlow that one file uses, and its imports."""

    def __init__(self, path: str):
        self.path = path
        with open(path, "rb") as file:
            text = file.read()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python shows them when the program runs
            self.nodes = list(_walk(ast.parse(text)))
        self._modules = self._find_modules() if b"tensorflow" in text else {}
        self._flags = self._find_flags() if self._modules else set()

    def _imported(self):
        """(path, alias, node) of each `import tensorflow…`."""
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    first, _, path = alias.name.partition(".")
                    if first == "tensorflow":
                        yield path, alias, node

    def _imported_from(self):
        """The same of `from tensorflow… import …`, for each name."""
        for node in self.nodes:
            if isinstance(node, ast.ImportFrom) and not node.level:
                first, _, module = node.module.partition(".")
                if first == "tensorflow":
                    for alias in node.names:
                        yield _join(module, alias.name), alias, node

    def _find_modules(self) -> dict[str, str]:
        """The file's names for parts of TensorFlow: {"tf": "", "nn": "nn", "v1": "compat.v1"}."""
        modules = {}

        def bind(name, path):
            # A name that means compat.v1 somewhere is the program's own choice of version.
            if not modules.get(name, "").startswith("compat.v1"):
                modules[name] = path

        for path, alias, _ in self._imported():
            bind(alias.asname or alias.name.partition(".")[0], path if alias.asname else "")
        for path, alias, _ in self._imported_from():
            bind(alias.asname or alias.name, path)
        for node in self.nodes:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                path = _path(node.value, modules)
                if path is not None:
                    bind(node.targets[0].id, path)
        return modules

    def _find_flags(self) -> set[str]:
        """Variables that hold an answer about the version: `IS_TF2 = tf.__version__[0] == "2"`."""
        return {
            node.targets[0].id
            for node in self.nodes
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and self._asks_version(node.value, ())
        }

    def _asks_version(self, test, flags) -> bool:
        for node in _walk(test):
            if isinstance(node, ast.Name) and node.id in flags:
                return True
            if isinstance(node, ast.Attribute) and _path(node, self._modules) in _VERSION:
                return True
            if isinstance(node, ast.Call) and self._asks_for_name(node):
                return True
        return False

    def _asks_for_name(self, call: ast.Call) -> bool:
        """Whether it is `hasattr(tf, …)` or `getattr(tf, …)`."""
        is_asking = isinstance(call.func, ast.Name) and call.func.id in ("hasattr", "getattr")
        return is_asking and bool(call.args) and _path(call.args[0], self._modules) is not None

    def _checked(self) -> set[ast.AST]:
        """The nodes that run only if their names exist."""
        checked = set()
        for node in self.nodes:
            if isinstance(node, ast.If | ast.IfExp) and self._asks_version(node.test, self._flags):
                checked.update(_walk(node))
            elif isinstance(node, ast.Try) and _expects_missing_names(node):
                for statement in node.body:
                    checked.update(_walk(statement))
        return checked

    def _uses(self):
        """(path, line) of each use of a name of TensorFlow."""
        checked = self._checked()
        for path, alias, node in [*self._imported(), *self._imported_from()]:
            if alias.name == "*":
                yield from self._bare_names(path.removesuffix("*").rstrip("."))
            elif path and node not in checked:
                yield path, node.lineno
        for node in self.nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                path = _path(node, self._modules)
                if path and node not in checked:
                    yield path, node.lineno

    def _bare_names(self, module):
        """Uses of names from `from tensorflow import *`."""
        own = set()
        for node in self.nodes:
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                own.add(node.id)
            elif isinstance(node, ast.arg):
                own.add(node.arg)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
                own.add(node.name)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                own.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        for node in self.nodes:
            if isinstance(node, ast.Name) and node.id not in own:
                yield _join(module, node.id), node.lineno

    def signs(self) -> tuple[dict[str, int], set[str]]:
        """The names of TensorFlow 1 with their first lines, and the names of TensorFlow 2."""
        if not self._modules:
            return {}, set()
        assigned = {
            _path(node, self._modules)
            for node in self.nodes
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
        }
        uses = [*self._uses()]
        # A program with both spellings of a name chooses between them.
        assigned |= {
            path.removeprefix("compat.v1.") for path, _ in uses if path.startswith("compat.v1.")
        }
        old, new = {}, set()
        for path, line in uses:
            version, name = _version_of(path)
            if version == 1 and name not in assigned and path not in assigned:
                old[name] = min(line, old.get(name, line))
            elif version == 2 or name in _EAGER:
                new.add(name)
        if _TURNS_EAGER & {*old}:
            new -= _EAGER
        return old, new

    def imports(self, root: str):
        """The files of the program's own folder that this one imports."""
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield from _files_of(root, alias.name)
            elif isinstance(node, ast.ImportFrom):
                folder = root
                if node.level:
                    folder = os.path.dirname(self.path)
                    for _ in range(node.level - 1):
                        folder = os.path.dirname(folder)
                module = node.module or ""
                yield from _files_of(folder, module)
                for alias in node.names:
                    yield from _files_of(folder, _join(module, alias.name))


def _walk(tree):
    """All nodes of a tree in source order, however deep it is."""
    left = [] if tree is None else [tree]
    while left:
        node = left.pop()
        yield node
        left.extend(reversed([*ast.iter_child_nodes(node)]))


def _join(module, name):
    return f"{module}.{name}" if module else name


def _path(node, modules) -> str | None:
    """The part of TensorFlow that an expression names: "train.Saver" for `tf.train.Saver`."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in modules:
        return None
    return ".".join(filter(None, [modules[node.id], *reversed(parts)]))


def _expects_missing_names(node: ast.Try) -> bool:
    """Whether a `try` is there because a name may be missing."""
    is_simple = len(node.body) == 1 and not hasattr(node.body[0], "body")
    for handler in node.handlers:
        kinds = {node.id for node in _walk(handler.type) if isinstance(node, ast.Name)}
        if kinds & {"AttributeError", "ImportError", "ModuleNotFoundError"}:
            return True
        if is_simple and (handler.type is None or "Exception" in kinds):
            return True  # and not for a whole program in a `try`
    return False


def _files_of(folder, module):
    """The files that `import module` runs, as far as they are in the folder."""
    parts = module.split(".") if module else []
    for i in range(1, len(parts) + 1):
        stem = os.path.join(folder, *parts[:i])
        for path in (stem + ".py", os.path.join(stem, "__init__.py")):
            if os.path.isfile(path):
                yield path


def find_version_1(script: str) -> Sign | None:
    """The first name that makes this a TensorFlow 1 program; None if it is not one."""
    path = os.path.abspath(script)
    if os.path.isdir(path):
        path = os.path.join(path, "__main__.py")
    if not os.path.isfile(path):  # a pipe can be read only once
        return None
    root = os.path.dirname(path)
    left, seen = deque([path]), {path}
    while left:
        path = left.popleft()
        try:
            source = _Source(path)
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # running it reports the error
        old, new = source.signs()
        if len(old) != len(new):
            if len(old) < len(new):
                return None
            name = min(old, key=old.get)
            return Sign("tf." + name, os.path.relpath(path, root), old[name])
        for other in source.imports(root):
            if other not in seen and len(seen) < _MOST_FILES:
                seen.add(other)
                left.append(other)
    return None


def choose_version(options, script: str) -> None:
    """Sets `options.tf1` if neither --tf1 nor --no-tf1 is given, and reports when it is on."""
    if options.tf1 is not None:
        return
    sign = find_version_1(script)
    options.tf1 = sign is not None
    if sign is not None:
        print(
            f"penstock: {script} is a TensorFlow 1 program ({sign.name} at "
            f"{sign.file}:{sign.line}) and runs as one; --no-tf1 prevents this",
            file=sys.stderr,
        )
