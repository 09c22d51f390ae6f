"""Checks that what there is to know of a certain op stands in src/ops and nowhere else.

Passes, execution and the bindings ask an OpDef for its traits and fields. They name no op in a
string, and compare none with a certain definition. To call an op is another thing: by its function
in <penstock/ops.h>, or with its definition in ops/op_defs.h.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from cxx_text import NOISE, strip_noise

# Literals that only look like the name of an op, and why. One that is not needed is an error.
OTHER_WORDS = {
    ("python/src/function_object.cc", "Trace"): "the name of a class of the bindings",
}

OWN_FOLDERS = (("src", "ops"), ("include", "penstock", "ops"))
# The stages of datasets have names of their own; some ops have the same.
OTHER_FOLDERS = (("src", "data"), ("include", "penstock", "data"))

DEFINITION = re.compile(r'PEN_OP_DEF\((\w+)\)\s*=\s*\{\s*\.name\s*=\s*"(\w+)"')
COMPARED = re.compile(r"[=!]=\s*&?\s*(\w+)_op\b|\b(\w+)_op\s*[=!]=")

Message = tuple[int, str]


def read_ops(folder: Path) -> dict[str, str]:
    """The ops that are defined in a folder: their ids, and what they are called."""
    ops: dict[str, str] = {}
    for file in sorted(folder.glob("*.cc")):
        ops.update(DEFINITION.findall(file.read_text(encoding="utf-8")))
    return ops


def literals(text: str) -> Iterator[tuple[int, str]]:
    """The strings of a source, with the lines that they stand in; not those of comments."""
    for match in NOISE.finditer(text):
        if match.group().startswith('"'):
            yield text.count("\n", 0, match.start()) + 1, match.group()[1:-1]


def check_names(text: str, names: set[str]) -> Iterator[tuple[int, str]]:
    """The names of ops among the strings: alone, or in front of a message as `[Name]`."""
    for line, literal in literals(text):
        match = re.match(r"\[?(\w+)\]|(\w+)$", literal)
        word = match and (match[1] or match[2])
        if word in names:
            yield line, word


def check_comparisons(text: str, ids: set[str]) -> Iterator[Message]:
    code = strip_noise(text)
    for match in COMPARED.finditer(code):
        op = match[1] or match[2]
        if op in ids:
            line = code.count("\n", 0, match.start()) + 1
            yield line, f"compares with a certain op, {op}_op: make it a trait or a field of OpDef"


def check_tree(root: Path) -> list[str]:
    ops = read_ops(root / "src" / "ops")
    names, messages, used = set(ops.values()), [], set()
    for folder in ("include", "python/src", "src"):
        for file in sorted((root / folder).rglob("*")):
            path = file.relative_to(root)
            is_own = any(path.parts[: len(own)] == own for own in OWN_FOLDERS + OTHER_FOLDERS)
            if file.suffix not in {".h", ".cc"} or is_own:
                continue
            text = file.read_text(encoding="utf-8")
            for line, name in check_names(text, names):
                if (path.as_posix(), name) in OTHER_WORDS:
                    used.add((path.as_posix(), name))
                else:
                    what = f"names the op {name}: make it a trait or a field of its OpDef"
                    messages.append(f"{path}:{line}: {what}")
            result = check_comparisons(text, set(ops))
            messages += [f"{path}:{line}: {what}" for line, what in result]
    for path, word in OTHER_WORDS:
        if (path, word) not in used and (root / path).exists():
            messages.append(f'{path}:1: has no "{word}" any more, see OTHER_WORDS')
    return messages
