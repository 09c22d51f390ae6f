#!/usr/bin/env python3
"""Checks that the folders include each other as the layering allows, and a few rules per file.

A file belongs to the layer it lies in: src/<layer>/ and include/penstock/<layer>/ alike. Public
headers are included as <penstock/layer/x.h>, private ones as "layer/x.h". Messages are printed as
`file:line: message`; the exit status is 1 if there are any. What the Python modules import is
checked by python_layers.py.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import python_layers

# What each layer may include besides itself and base.
ALLOWED: dict[str, set[str]] = {
    "base": set(),
    "core": set(),
    "ledger": set(),
    "plan": set(),
    "memory": {"core", "ledger"},
    "kernels": {"core"},
    "tensor": {"core", "ledger", "memory"},
    "ops": {"core", "kernels", "memory", "tensor"},
    "graph": {"core", "memory", "ops", "tensor"},
    "autodiff": {"core", "graph", "ledger", "memory", "ops", "tensor"},
    "exec": {
        *("autodiff", "core", "graph", "kernels", "ledger", "memory", "ops", "plan", "tensor"),
    },
    "profile": {"graph", "ledger"},
    "api": {
        *("autodiff", "core", "exec", "graph", "kernels", "ledger", "memory", "ops", "plan"),
        *("profile", "tensor"),
    },
}

# Headers that lie directly in include/penstock/ or are generated there.
TOP_HEADERS = {"penstock.h": "api", "ops.h": "ops", "version.h": "base"}

MAX_HEADER_LINES = 260
MAX_SOURCE_LINES = 600

# Kernels neither allocate nor throw.
KERNEL_BANS = re.compile(r"\b(throw|new|malloc|calloc|realloc|std::vector)\b")

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
# Comments, and string and character literals; newlines inside block comments are kept.
NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\'', re.DOTALL
)

Message = tuple[int, str]


def layer_of(path: Path) -> str | None:
    """The layer of a path relative to the repository root; None for a file in no layer."""
    parts = path.parts
    if parts[:2] == ("include", "penstock"):
        return parts[2] if len(parts) > 3 else TOP_HEADERS.get(parts[-1])
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def strip_noise(text: str) -> str:
    return NOISE.sub(lambda match: "\n" * match.group().count("\n") or " ", text)


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
    """The bindings see what every user sees: public headers, and files of their own."""
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match and match[1] == '"' and "/" in match[2]:
            yield number, f'the bindings may include public headers only: "{match[2]}"'


def check_tree(root: Path) -> list[str]:
    messages = []
    for file in sorted((root / "python" / "src").glob("*")):
        path, text = file.relative_to(root), file.read_text(encoding="utf-8")
        found = [*check_bindings(text), *check_length(path, text)]
        messages += [f"{path}:{line}: {what}" for line, what in found]
    for folder in ("include", "src"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in {".h", ".cc"}:
                path = file.relative_to(root)
                text = file.read_text(encoding="utf-8")
                messages += [f"{path}:{line}: {what}" for line, what in check_file(path, text)]
    return messages + python_layers.check_tree(root)


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
