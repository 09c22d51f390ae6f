#!/usr/bin/env python3
"""Writes python/penstock/_api/names.txt: the module of each public name, from `@public` in the
sources.

A function, a class or a value declares its public names:

    @public("math.add_n", "add_n")
    def add_n(inputs, name=None): …

    to_float = public("v1.to_float")(…)

The package looks names up in the file, so that it imports a module on first use of one of its
names. With --check nothing is written: the exit status is 1 if the file is out of date.
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
    return [ast.literal_eval(each) for each in node.args]


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
    if options.check and (not file.exists() or file.read_text(encoding="utf-8") != text):
        complaints.append(f"{file.name} is not up to date: run `make names`")
    for complaint in complaints:
        print(f"public_names: {complaint}")
    if not options.check and not complaints:
        file.write_text(text, encoding="utf-8")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
