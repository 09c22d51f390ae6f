"""The user's files: which they are, and where their loops begin and end."""

from __future__ import annotations

import ast
import linecache
import os
import sys
import sysconfig
from typing import NamedTuple

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
_OTHERS = tuple(
    sorted({sysconfig.get_paths()[name] + os.sep for name in ("stdlib", "purelib", "platlib")})
)
_NAMES = (ast.Name, ast.Attribute)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class Loop(NamedTuple):
    """A loop of the source: the line that every iteration passes first, and its last line."""

    file: str
    line: int  # of `for` or `while`
    head: int
    last: int

    def __contains__(self, line):
        return self.line <= line <= self.last


class Site(NamedTuple):
    """A line of the user's program."""

    file: str
    line: int

    def __str__(self):
        return f"{shown(self.file)}:{self.line}"


_is_user = {}  # by the file's name as code objects have it


def is_user_file(name) -> bool:
    """Whether a code object of that file is the user's: not ours, not a library's."""
    is_users = _is_user.get(name)
    if is_users is None:
        path = os.path.abspath(name)
        is_library = path.startswith(_PACKAGE) or path.startswith(_OTHERS)
        is_users = _is_user[name] = not name.startswith("<frozen") and not is_library
    return is_users


def users_frame(frame):
    """The innermost frame of the user from here outwards, or None."""
    while frame is not None and not is_user_file(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def users_site() -> Site | None:
    """The line of the user that is being run."""
    frame = users_frame(sys._getframe(1))
    return None if frame is None else Site(frame.f_code.co_filename, frame.f_lineno)


def shown(file) -> str:
    """A file as people call it: relative where that is shorter."""
    path = os.path.abspath(file)
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def text_of(site) -> str:
    """The source of a line, without what surrounds it."""
    return linecache.getline(site.file, site.line).strip()


_heads = {}


def loops_of(file) -> dict[int, Loop]:
    """The loops of a file by their head lines."""
    if file not in _heads:
        _heads[file] = _find_loops(file)
    return _heads[file]


def tree_of(file):
    """The syntax tree of a file, or None where there is no source."""
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None


def _find_loops(file):
    tree = tree_of(file)
    loops = {}
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, _LOOPS):
            head = _head_line(node)
            loops.setdefault(head, Loop(file, node.lineno, head, node.end_lineno))
    return loops


def _head_line(node) -> int:
    """`while True` is passed but once: there the first line of the body is the head, or the
    second where the first is the head of a loop itself."""
    if not isinstance(node, ast.While) or not isinstance(node.test, ast.Constant):
        return node.lineno
    first, *rest = node.body
    return rest[0].lineno if isinstance(first, _LOOPS) and rest else first.lineno


def is_used_as_a_whole(name, loop) -> bool:
    """Whether what a loop collected is the data of a later one, or joined to one tensor: then it
    was collected on purpose."""
    tree = tree_of(loop.file)
    for node in ast.walk(tree) if tree is not None and name else ():
        if getattr(node, "lineno", 0) <= loop.last:
            continue
        if isinstance(node, ast.For) and name in _names(node.iter):
            return True
        if (
            isinstance(node, ast.Call)
            and getattr(node.func, "attr", "") in ("concat", "stack")
            and name in _names(node)
        ):
            return True
    return False


def _names(tree) -> set[str]:
    return {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, _NAMES)}
