"""Liveness: which names statements read and change, and which are needed after a statement.

A name that a nested function reads counts as read wherever that function's name is used."""

from __future__ import annotations

import ast
import copy

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def parameters(arguments) -> list[str]:
    """The names of a function's parameters."""
    kinds = (arguments.posonlyargs, arguments.args, arguments.kwonlyargs)
    named = [each for kind in kinds for each in kind]
    named += [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
    return [each.arg for each in named]


def inside(node):
    """The node and all nodes below it, except those in nested functions and classes."""
    left = [node]
    while left:
        each = left.pop()
        yield each
        if each is node or not isinstance(each, _SCOPES):
            left.extend(ast.iter_child_nodes(each))


def _statements(nodes):
    for node in nodes:
        if isinstance(node, _SCOPES):
            yield node
        else:
            yield from inside(node)


def changed(nodes) -> set[str]:
    """The names that statements bind or delete in their function."""
    found = set()
    for each in _statements(nodes):
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
            found.add(each.id)
        elif isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(each.name)
        elif isinstance(each, (ast.Import, ast.ImportFrom)):
            found.update((name.asname or name.name).partition(".")[0] for name in each.names)
        elif isinstance(each, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and each.name:
            found.add(each.name)
    return found - _names_of_comprehensions(nodes)


def _names_of_comprehensions(nodes) -> set[str]:
    """Names that only comprehensions bind: they are local to these."""
    own, others = set(), set()
    for node in _statements(nodes):
        if isinstance(node, ast.comprehension):
            own |= _targets(node.target)
    if own:
        for node in nodes:
            others |= _bound_outside(node)
    return own - others


def _bound_outside(node) -> set[str]:
    if isinstance(node, ast.comprehension):
        return set()
    if isinstance(node, ast.Name):
        return {node.id} if not isinstance(node.ctx, ast.Load) else set()
    if isinstance(node, _SCOPES):
        return set()
    return {name for child in ast.iter_child_nodes(node) for name in _bound_outside(child)}


def _targets(target) -> set[str]:
    return {each.id for each in ast.walk(target) if isinstance(each, ast.Name)}


def changed_places(nodes) -> dict[str, ast.expr]:
    """Attributes and elements that statements bind, by their text: `model.step`, `found["a"]`.

    Only those that are the same place throughout: what they hang on is not bound as well."""
    names, found = changed(nodes), {}
    for each in _statements(nodes):
        if not isinstance(each, (ast.Attribute, ast.Subscript)) or isinstance(each.ctx, ast.Load):
            continue
        if not isinstance(each.ctx, ast.Store) or not _is_place(each):
            continue
        if not names & _targets(each):
            found[ast.unparse(each)] = copy.deepcopy(each)
    return found


def _is_place(node) -> bool:
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) or _is_place(node.value)
    if isinstance(node, ast.Subscript):
        is_simple = isinstance(node.slice, (ast.Constant, ast.Name))
        return is_simple and (isinstance(node.value, ast.Name) or _is_place(node.value))
    return False


class Liveness:
    """The live names before and after the statements of one function."""

    def __init__(self, statements):
        self._captured = {}  # by name of a nested function: the names it reads
        for each in _statements(statements):
            if isinstance(each, ast.FunctionDef):
                self._captured[each.name] = _read_in(each)
            elif isinstance(each, ast.Assign) and isinstance(each.value, ast.Lambda):
                for target in each.targets:
                    if isinstance(target, ast.Name):
                        self._captured[target.id] = _read_in(each.value)
        self.kept = {  # visible to others: live to the end
            name
            for each in _statements(statements)
            if isinstance(each, (ast.Global, ast.Nonlocal))
            for name in each.names
        }

    def reads(self, node) -> set[str]:
        found, left = set(), list(_read_in(node))
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                left.extend(self._captured.get(name, ()))
        return found

    def before(self, statements, after) -> set[str]:
        """The names live before statements, given those live after them."""
        live = set(after)
        for each in reversed(statements):
            live = self._before_one(each, live)
        return live

    def _before_one(self, node, after) -> set[str]:
        if isinstance(node, ast.If):
            branches = self.before(node.body, after) | self.before(node.orelse, after)
            return self.reads(node.test) | branches
        if isinstance(node, (ast.While, ast.For)):
            return self.at_head(node, after) | self.reads(getattr(node, "iter", node))
        if isinstance(node, (ast.Try, ast.Match)) or type(node).__name__ == "TryStar":
            return after | self.reads(node)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            found = self.before(node.body, after)
            for item in node.items:
                if item.optional_vars is not None:
                    found -= changed([item.optional_vars])
                found |= self.reads(item)
            return found
        if isinstance(node, (ast.Return, ast.Raise)):
            return self.reads(node)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            return (after - {node.name}) | self.reads(node)
        if isinstance(node, ast.Delete):
            return after | self.reads(node)
        found = (after - changed([node])) | self.reads(node)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        return found

    def at_head(self, loop, after) -> set[str]:
        """The names live at the head of a loop."""
        head = self.before(loop.orelse, after) | set(after)
        if isinstance(loop, ast.While):
            head |= self.reads(loop.test)
            head |= self.before(loop.body, head)
            return head | self.before(loop.body, head)
        own = _targets(loop.target)
        if hasattr(loop, "goes_on"):  # of a loop with a `break`
            head |= self.reads(loop.goes_on)
        head |= self.before(loop.body, head) - own
        return head | (self.before(loop.body, head) - own)


def _read_in(node) -> set[str]:
    return {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    }
