#!/usr/bin/env python3
"""Checks that the folders include each other as the layering allows, and a few rules per file.

A file belongs to the layer it lies in: src/<layer>/ and include/penstock/<layer>/ alike. Public
headers are included as <penstock/layer/x.h>, private ones as "layer/x.h". A layer may have rooms,
folders below it, which include each other as ROOMS allows; public headers are open to all of them.
A unit is a private header with the source of the same name: units must not include each other in a
ring. Messages are printed as `file:line: message`; the exit status is 1 if there are any. What the
Python modules import is checked by python_layers.py, and that ops are known in src/ops alone by
op_knowledge.py.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import op_knowledge
import python_layers
from cxx_text import strip_noise

# What each layer may include besides itself and base.
ALLOWED: dict[str, set[str]] = {
    "base": set(),
    "core": set(),
    "ledger": set(),
    "plan": set(),
    "memory": {"core", "ledger"},
    "recording": {"core", "ledger", "memory"},
    "kernels": {"core"},
    "tensor": {"core", "ledger", "memory"},
    "ops": {"core", "kernels", "memory", "tensor"},
    "graph": {"core", "memory", "ops", "plan", "tensor"},
    "autodiff": {"core", "graph", "ledger", "memory", "ops", "tensor"},
    "exec": {
        *("autodiff", "core", "graph", "kernels", "ledger", "memory", "ops", "plan"),
        *("recording", "tensor"),
    },
    "data": {"core", "exec", "kernels", "ledger", "memory", "ops", "tensor"},
    "profile": {"graph", "ledger"},
    "api": {
        *("autodiff", "core", "data", "exec", "graph", "kernels", "ledger", "memory", "ops"),
        *("plan", "profile", "recording", "tensor"),
    },
}

# The rooms of a layer, and what each may include of the layer besides itself. The layer's own
# folder is a room too, under its own name, and must be listed like the others.
ROOMS: dict[str, set[str]] = {
    "graph": set(),
    "graph/passes": {"graph"},
    "exec": set(),
    "exec/trace": {"exec"},
    "exec/eager": {"exec", "exec/trace"},
    "exec/control": {"exec", "exec/trace", "exec/eager"},
    "exec/compile/fusion": {"exec"},
    "exec/compile": {"exec", "exec/compile/fusion"},
    "exec/run": {"exec", "exec/compile", "exec/compile/fusion"},
    "exec/run/control": {"exec", "exec/run"},
    "exec/function": {
        *("exec", "exec/trace", "exec/eager", "exec/control"),
        *("exec/compile", "exec/run", "exec/run/control"),
    },
    "data": set(),
    "data/files": {"data"},
    "data/stages": {"data", "data/files"},
    "exec/v1": {"exec", "exec/trace", "exec/eager", "exec/control", "exec/function"},
}

# Headers that lie directly in include/penstock/ or are generated there.
TOP_HEADERS = {"penstock.h": "api", "ops.h": "ops", "version.h": "base"}

# Where every file opens with a line that says what it is for, and which programs need not: they are
# kept as they were found.
FIRST_LINES_IN = [
    *("benchmarks", "cmake", "examples", "include", "python/penstock", "python/src", "src"),
    *("tests", "tools"),
]
PROGRAMS_AS_FOUND = ["tests/differential/corpus", "tests/python/front/programs"]

MAX_HEADER_LINES = 260
MAX_SOURCE_LINES = 600

# Kernels neither allocate nor throw.
KERNEL_BANS = re.compile(r"\b(throw|new|malloc|calloc|realloc|std::vector)\b")

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')

Message = tuple[int, str]


def layer_of(path: Path) -> str | None:
    """The layer of a path relative to the repository root; None for a file in no layer."""
    parts = path.parts
    if parts[:2] == ("include", "penstock"):
        return parts[2] if len(parts) > 3 else TOP_HEADERS.get(parts[-1])
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def room_of(path: Path) -> str | None:
    """The folder of a private file below src/; None for a public header."""
    return path.parent.relative_to("src").as_posix() if path.parts[0] == "src" else None


def check_room(path: Path, layer: str, target: str) -> str | None:
    """What is wrong with a private include of the file's own layer."""
    room = room_of(path)
    other = target.rsplit("/", 1)[0]
    if layer not in ROOMS:
        return f'{layer} has no rooms: "{target}"' if other != layer else None
    if other not in ROOMS:
        return f'no such room (see ROOMS in tools/check_layers.py): "{target}"'
    if room == other or other in ROOMS.get(room, ()):
        return None
    return f"{room} may not include {other}: {target}"


def included_layer(bracket: str, target: str) -> tuple[str | None, str | None]:
    """(layer, complaint) of one include; both None for a header of somebody else."""
    parts = target.split("/")
    if parts[0] == "penstock":
        if bracket == '"':
            return None, f'public headers are included with <>: "{target}"'
        layer = parts[1] if len(parts) > 2 else TOP_HEADERS.get(parts[-1])
        return (layer, None) if layer in ALLOWED else (None, f"no such public header: <{target}>")
    if bracket == "<":
        return None, None
    if len(parts) > 1 and parts[0] in ALLOWED:
        return parts[0], None
    return None, f'not of the form "layer/file.h": "{target}"'


def check_includes(path: Path, layer: str, text: str) -> Iterator[Message]:
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        bracket, target = match.groups()
        other, complaint = included_layer(bracket, target)
        if complaint:
            yield number, complaint
        elif other and bracket == '"' and path.parts[0] == "include":
            yield number, f'a public header includes the private "{target}"'
        elif other and other not in {layer, "base"} | ALLOWED[layer]:
            yield number, f"{layer} may not include {other}: {target}"
        elif other == layer and bracket == '"' and (wrong := check_room(path, layer, target)):
            yield number, wrong


def check_length(path: Path, text: str) -> Iterator[Message]:
    lines = text.count("\n")
    limit = MAX_HEADER_LINES if path.suffix == ".h" else MAX_SOURCE_LINES
    if lines > limit:
        yield limit + 1, f"{lines} lines; the limit is {limit}"


def check_file(path: Path, text: str) -> Iterator[Message]:
    """All messages about one file; `path` is relative to the repository root."""
    layer = layer_of(path)
    if layer not in ALLOWED:
        yield 1, "lies in no layer (see ALLOWED in tools/check_layers.py)"
        return
    room = room_of(path)
    if room is not None and room not in ROOMS and (room != layer or layer in ROOMS):
        yield 1, "lies in no room (see ROOMS in tools/check_layers.py)"
        return
    yield from check_includes(path, layer, text)
    yield from check_length(path, text)
    # Highway compiles its per-target headers several times, so they have a toggled guard instead.
    if path.suffix == ".h" and "#pragma once" not in text and "HWY_TARGET_TOGGLE" not in text:
        yield 1, "#pragma once is missing"
    if layer == "kernels":
        for number, line in enumerate(strip_noise(text).splitlines(), 1):
            if line.lstrip().startswith("#"):
                continue
            for match in KERNEL_BANS.finditer(line):
                yield number, f"kernels neither allocate nor throw: {match.group()}"


def check_bindings(text: str) -> Iterator[Message]:
    """The bindings may include what every user sees: public headers, and their own files."""
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match and match[1] == '"' and "/" in match[2]:
            yield number, f'the bindings may include public headers only: "{match[2]}"'


def first_line_told_by(path: Path) -> list[Path]:
    """The headers whose first line also serves a C++ source: its own, private or public."""
    if path.suffix != ".cc":
        return []
    layer = layer_of(path)
    public = [Path("include", "penstock", layer, path.stem + ".h")] if layer else []
    return [path.with_suffix(".h"), *public]


def has_first_line(path: Path, text: str) -> bool:
    """Whether a file opens with a comment or a docstring; an empty one need not."""
    head = text.lstrip()
    if path.suffix == ".py":
        return not head or head.startswith("# ") or ast.get_docstring(ast.parse(text)) is not None
    return not head or head.startswith("//" if path.suffix in {".h", ".cc"} else "#")


def check_first_lines(root: Path) -> list[str]:
    messages = []
    for folder in FIRST_LINES_IN:
        for file in sorted((root / folder).rglob("*")):
            path = file.relative_to(root)
            is_source = file.suffix in {".h", ".cc", ".py", ".cmake"}
            if not is_source and file.name != "CMakeLists.txt":
                continue
            if any(path.is_relative_to(other) for other in PROGRAMS_AS_FOUND):
                continue
            has_header = any((root / header).exists() for header in first_line_told_by(path))
            if not has_header and not has_first_line(path, file.read_text(encoding="utf-8")):
                messages.append(f"{path}:1: the first line does not say what the file is for")
    return messages


def unit_of(path: Path) -> str:
    """A private header and the source of the same name are one unit."""
    return path.relative_to("src").with_suffix("").as_posix()


def find_rings(units: dict[str, set[str]]) -> list[list[str]]:
    """Units that include each other, directly or by way of others: a sorted list for each ring."""
    number: dict[str, int] = {}  # of units, as they are met
    lowest: dict[str, int] = {}  # the first unit on the path that this one leads back to
    path: list[str] = []
    rings = []

    def visit(unit: str) -> None:
        number[unit] = lowest[unit] = len(number)
        path.append(unit)
        for other in sorted(units.get(unit, ())):
            if other not in number:
                visit(other)
                lowest[unit] = min(lowest[unit], lowest[other])
            elif other in path:
                lowest[unit] = min(lowest[unit], number[other])
        if lowest[unit] == number[unit]:
            ring = path[path.index(unit) :]
            del path[path.index(unit) :]
            if len(ring) > 1:
                rings.append(sorted(ring))

    for unit in sorted(units):
        if unit not in number:
            visit(unit)
    return sorted(rings)


def check_rings(units: dict[str, set[str]]) -> list[str]:
    return [
        f"src/{ring[0]}.h:1: units that include each other: {', '.join(ring)}"
        for ring in find_rings(units)
    ]


def included_units(path: Path, text: str) -> set[str]:
    """The units that a private file includes, its own aside."""
    units = {
        match[2] for match in map(INCLUDE.match, text.splitlines()) if match and match[1] == '"'
    }
    return {target.removesuffix(".h") for target in units} - {unit_of(path)}


def check_tree(root: Path) -> list[str]:
    messages = []
    units: dict[str, set[str]] = {}
    for file in sorted((root / "python" / "src").glob("*")):
        path, text = file.relative_to(root), file.read_text(encoding="utf-8")
        results = [*check_bindings(text), *check_length(path, text)]
        messages += [f"{path}:{line}: {what}" for line, what in results]
    for folder in ("include", "src"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in {".h", ".cc"}:
                path = file.relative_to(root)
                text = file.read_text(encoding="utf-8")
                messages += [f"{path}:{line}: {what}" for line, what in check_file(path, text)]
                if folder == "src":
                    units.setdefault(unit_of(path), set()).update(included_units(path, text))
    messages += check_rings(units)
    return messages + op_knowledge.check_tree(root) + python_layers.check_tree(root)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default_root = Path(__file__).resolve().parent.parent
    parser.add_argument("--root", type=Path, default=default_root, help="repository to check")
    messages = check_tree(parser.parse_args().root)
    for message in messages:
        print(message)
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
