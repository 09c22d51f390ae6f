#!/usr/bin/env python3
"""Writes a C++ program that refers to every function declared in public headers.

public_functions.py OUTPUT INCLUDE_DIR…

It links only if the library defines and exports each of them: tests/CMakeLists.txt builds it. The
parser expects the house style: declarations that end in a semicolon, in namespaces and in public
parts of classes. Templates, macros and functions with a body in the header are skipped.
"""

import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\])*")', re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*\n", re.MULTILINE)
_FIELDS = re.compile(r"^ *PEN_\w+\(PEN_\w+\)$", re.MULTILINE)  # a list of fields, made by macros
_SCOPE = re.compile(
    r"(?:inline )?namespace ([\w:]*)$|"
    r"(class|struct|union) (?:\[\[\w+\]\] )?(?:PEN_API )?(?:alignas\([^)]*\) )?"
    r"(\w+)(?: final)?(?: ?:[^:].*)?$"
)
_ACCESS = re.compile(r"^(public|protected|private) ?: ?")
_NOISE = re.compile(r"\[\[\w+\]\] ?|\bPEN_API ?|\bexplicit ?|\bvirtual ?|\boverride\b ?|\bextern ?")
_LEFT_OUT = re.compile(r"^(template|using|friend|typedef|static_assert|enum|requires|constexpr|"
                       r"inline|PEN_[A-Z_]+\()|= ?(default|delete|0)$")  # fmt: skip

_POINTER = re.compile(r"^[^(]*\(\*\w+\)")  # a variable that points to a function


@dataclass
class Scope:
    kind: str  # "namespace", "class", "struct"; "" for a body of something else
    name: str = ""
    is_public: bool = True


@dataclass
class Function:
    """A declaration: where it is, and its parts."""

    namespaces: list[str]
    classes: list[str]
    result: str
    name: str
    parameters: list[str]
    qualifiers: str = ""
    is_static: bool = False

    @property
    def full_name(self):
        return "::".join([*self.namespaces, *self.classes, self.name])


@dataclass
class Reader:
    """Goes through the text of a header, scope by scope."""

    scopes: list[Scope] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)

    def read(self, text):
        # A text may contain what separates parameters.
        text = _COMMENT.sub(lambda match: '""' if match.group(1) else " ", text)
        text = _FIELDS.sub("", _DIRECTIVE.sub("", text))
        piece, depth = "", 0
        for part in re.findall(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|[{};()]|\s+|[^{};()"\'\s]+',
                               text):  # fmt: skip
            if part in "()":
                depth += 1 if part == "(" else -1
            if part == "{" and depth == 0:
                self.open(_tidy(piece))
                piece = ""
            elif part == "}" and depth == 0:
                self.scopes.pop()
                piece = ""
            elif part == ";" and depth == 0:
                self.declare(_tidy(piece))
                piece = ""
            else:
                piece += part
        if self.scopes:
            raise ValueError("a scope is not closed")
        return self.functions

    def head(self, piece):
        """The piece without the `public:` before it, which counts from here on."""
        while match := _ACCESS.match(piece):
            self.scopes[-1].is_public = match.group(1) == "public"
            piece = piece[match.end() :]
        return piece

    def open(self, piece):
        match = _SCOPE.match(self.head(piece))
        if match and match.group(1) is not None:
            self.scopes.append(Scope("namespace", match.group(1)))
        elif match:
            kind = match.group(2)
            self.scopes.append(Scope(kind, match.group(3), kind != "class"))
        else:
            self.scopes.append(Scope(""))

    def declare(self, piece):
        piece = self.head(piece)
        if "(" not in piece or _LEFT_OUT.search(piece) or _POINTER.search(piece):
            return
        if not all(scope.kind and scope.is_public for scope in self.scopes):
            return
        if any(scope.name.endswith("internal") for scope in self.scopes):
            return
        piece = _NOISE.sub("", piece).strip()
        before, parameters, after = _split(piece)
        match = re.search(r"(operator\s*\S+|~?\w+)$", before)
        if match is None or "=" in before.replace(match.group(1), ""):
            return  # a variable, with a call in what it starts with
        result, name = before[: match.start()].strip(), match.group(1)
        is_static = result.startswith("static ")
        spaces = [s.name for s in self.scopes if s.kind == "namespace" and s.name]
        classes = [s.name for s in self.scopes if s.kind != "namespace"]
        self.functions.append(
            Function(spaces, classes, result.removeprefix("static ").strip(), name,
                     [_without_default(parameter) for parameter in parameters], after, is_static)
        )  # fmt: skip


def _tidy(piece):
    return re.sub(r"\s+", " ", piece).strip()


def _split(piece):
    """What stands before a function's parameters, those, and what stands after them."""
    at = piece.find("(", piece.find("operator()") + 10 if "operator()" in piece else 0)
    parts, start, depth = [], at + 1, 0
    for i in range(at, len(piece)):
        if piece[i] in "(<[{":
            depth += 1
        elif piece[i] in ")>]}":
            depth -= 1
        if depth == 0 or (depth == 1 and piece[i] == ","):
            parts.append(piece[start:i].strip())
            start = i + 1
        if depth == 0:
            break
    return piece[:at].strip(), [part for part in parts if part], piece[start:].strip()


def _without_default(parameter):
    return re.sub(r"\s*=.*$", "", parameter)


def _type_of(parameter):
    """A parameter's type: without its name."""
    if pointer := re.match(r"(.*\(\*)\w+(\)\(.*)$", parameter):
        return pointer.group(1) + pointer.group(2)
    match = re.match(r"(.*[\w>&*])\s+(?:\w+)$|(.*[&*])(\w+)$", parameter)
    if match is None or match.group(1) in ("const", "unsigned", "long"):
        return parameter
    return match.group(1) or match.group(2)


def _use(function):
    """A statement that refers to it, in its namespace and in the scope of its class."""
    types = [_type_of(parameter) for parameter in function.parameters]
    owner = function.classes[-1] if function.classes else ""
    if owner and function.name == owner:
        return f"keep(&make<{', '.join([owner, *types])}>);"
    if function.name.startswith("~"):
        return f"keep(&end<{owner}>);"
    pointer = f"{owner}::*" if owner and not function.is_static else "*"
    name = f"{owner}::{function.name}" if owner else function.name
    signature = f"{function.result} ({pointer})({', '.join(types)}) {function.qualifiers}".strip()
    return f"keep(static_cast<{signature}>(&{name}));"


_HEAD = """\
// Generated by tools/public_functions.py: refers to every function of the public headers.
#include <cstdio>
#include <cstring>
#include <utility>

{includes}

// What is pointed to must be there when the program is linked.
static volatile unsigned char g_kept;
static int g_count;
template <typename Pointer>
void keep(Pointer pointer) {{
  unsigned char bytes[sizeof pointer];
  std::memcpy(bytes, &pointer, sizeof pointer);
  for (unsigned char byte : bytes) g_kept = byte;
  ++g_count;
}}
template <typename T, typename... Arguments>
void make(Arguments... arguments) {{
  static_cast<void>(T(std::forward<Arguments>(arguments)...));
}}
template <typename T>
void end(T* object) {{
  object->~T();
}}
"""


def program(functions, headers):
    """The text of the program. A class's functions are referred to from a class derived of it, so
    that its own names mean there what they mean in the header."""
    lines = [_HEAD.format(includes="\n".join(f"#include <{header}>" for header in headers))]
    for i, function in enumerate(functions):
        lines.append(f"namespace {'::'.join(function.namespaces)} {{")
        base = f" : {'::'.join(function.classes)}" if function.classes else ""
        lines.append(f"struct Use{i}{base} {{ static void use() {{ {_use(function)} }} }};")
        lines.append("}")
    lines.append("int main() {")
    for i, function in enumerate(functions):
        lines.append(f"  {'::'.join(function.namespaces)}::Use{i}::use();")
    lines.append('  std::printf("%d public functions are defined\\n", g_count);')
    lines.append(f"  return g_count == {len(functions)} ? 0 : 1;\n}}")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    args = parser.parse_args()
    functions, headers = [], []
    for folder in args.folders:
        for path in sorted(folder.rglob("*.h")):
            headers.append(path.relative_to(folder).as_posix())
            try:
                functions += Reader().read(path.read_text(encoding="utf-8"))
            except (ValueError, IndexError) as problem:
                sys.exit(f"public_functions: {path}: {problem}")
    text = program(functions, headers)
    if not args.output.exists() or args.output.read_text(encoding="utf-8") != text:
        args.output.write_text(text, encoding="utf-8")
    print(f"public_functions: {len(functions)} in {len(headers)} headers")


if __name__ == "__main__":
    main()
