#!/usr/bin/env python3
"""Writes python/penstock/_api/names.txt: the module of each public name, from `@public` in the
sources.

A function, a class or a value declares its public names:

    @public("math.add_n", "add_n")
    def add_n(inputs, name=None): …

    to_float = public("v1.to_float")(…)

The package looks names up in the file, so that it imports a module when one of its names is first
asked for. With --check nothing is written: the exit status is 1 if the file is not up to date.

What a public module defines itself is public as it stands. Lists of names are refused: `__all__`
with names in it, and imports from other modules of the package that would show.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator
from pathlib import Path

HEAD = """\
# Where public names are: names | module.name. Made by `make names` from @public in the sources.
"""


def _names_of(node: ast.AST) -> list[str] | None:
    """The names in `public("a", "b")`; None for anything else."""
    is_public = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    if not is_public or node.func.id != "public":
        return None
    return [ast.literal_eval(argument) for argument in node.args]


def public_names(text: str) -> Iterator[tuple[str, list[str]]]:
    """(own name, public names) of what a module makes public."""
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            own, calls = node.name, node.decorator_list
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            own, calls = ast.unparse(node.targets[0]), [node.value.func]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and node.value.args:
            own, calls = ast.unparse(node.value.args[0]), [node.value.func]
        else:
            continue
        for names in filter(None, map(_names_of, calls)):
            yield own, names


def listed_names(text: str, modules: set[str]) -> Iterator[tuple[int, str]]:
    """(line, message) for each list of names in a public module."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            listed = getattr(node.value, "elts", [])
            if any(isinstance(element, ast.Constant) for element in listed):
                yield node.lineno, "__all__ repeats names: @public says them where they are made"
        if not isinstance(node, ast.ImportFrom) or (node.module or "").split(".")[0] != "penstock":
            continue
        for alias in node.names:
            shown = alias.asname or alias.name
            if shown.startswith("_") or shown == "*" or f"{node.module}.{alias.name}" in modules:
                continue
            yield node.lineno, f"shows {shown} of {node.module}, where @public should name it"


def check_public_modules(package: Path) -> Iterator[str]:
    """What is wrong with the public modules: those without a private part in their names."""
    paths = {path: path.relative_to(package.parent) for path in sorted(package.rglob("*.py"))}
    parts = {path: relative.with_suffix("").parts for path, relative in paths.items()}
    modules = {".".join(names).removesuffix(".__init__") for names in parts.values()}
    for path, names in parts.items():
        if any(name.startswith("_") and name != "__init__" for name in names):
            continue
        for line, message in listed_names(path.read_text(encoding="utf-8"), modules):
            yield f"{paths[path]}:{line}: {message}"


def make_index(package: Path) -> tuple[str, list[str]]:
    """The text of the file, and what is wrong with the names."""
    lines, seen, complaints = [], {}, []
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        module = ".".join(parts).removesuffix(".__init__")
        for own, names in public_names(path.read_text(encoding="utf-8")):
            place = f"{module}.{own}"
            lines.append(f"{' '.join(names)} | {place}\n")
            for name in names:
                if name in seen:
                    complaints.append(f"{name} is public twice: {seen[name]} and {place}")
                seen[name] = place
    return HEAD + "".join(sorted(lines)), complaints


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    package = Path(__file__).resolve().parent.parent / "python" / "penstock"
    file = package / "_api" / "names.txt"
    text, complaints = make_index(package)
    complaints += check_public_modules(package)
    if options.check and (not file.exists() or file.read_text(encoding="utf-8") != text):
        complaints.append(f"{file.name} is not up to date: run `make names`")
    for complaint in complaints:
        print(f"public_names: {complaint}")
    if not options.check and not complaints:
        file.write_text(text, encoding="utf-8")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
