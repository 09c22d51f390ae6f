"""Liveness: which names statements read and change, and which are needed after a statement.

A name that a nested function reads counts as read wherever that function's name is used."""

from __future__ import annotations

import ast
import copy

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def parameters(arguments) -> list[str]:
    """The names of a function's parameters."""
    kinds = (arguments.posonlyargs, arguments.args, arguments.kwonlyargs)
    named = [parameter for kind in kinds for parameter in kind]
    named += [
        parameter for parameter in (arguments.vararg, arguments.kwarg) if parameter is not None
    ]
    return [parameter.arg for parameter in named]


def inside(node):
    """The node and all nodes below it, except those in nested functions and classes."""
    left = [node]
    while left:
        part = left.pop()
        yield part
        if part is node or not isinstance(part, _SCOPES):
            left.extend(ast.iter_child_nodes(part))


def _statements(nodes):
    for node in nodes:
        if isinstance(node, _SCOPES):
            yield node
        else:
            yield from inside(node)


def changed(nodes) -> set[str]:
    """The names that statements bind or delete in their function."""
    names = set()
    for statement in _statements(nodes):
        if isinstance(statement, ast.Name) and not isinstance(statement.ctx, ast.Load):
            names.add(statement.id)
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(statement.name)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            names.update((name.asname or name.name).partition(".")[0] for name in statement.names)
        elif (
            isinstance(statement, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar))
            and statement.name
        ):
            names.add(statement.name)
    return names - _names_of_comprehensions(nodes)


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
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def changed_places(nodes) -> dict[str, ast.expr]:
    """Attributes and elements that statements bind, by their text: `model.step`, `found["a"]`.

    Only those that are the same place throughout: what they hang on is not bound as well."""
    names, places = changed(nodes), {}
    for statement in _statements(nodes):
        if not isinstance(statement, (ast.Attribute, ast.Subscript)) or isinstance(
            statement.ctx, ast.Load
        ):
            continue
        if not isinstance(statement.ctx, ast.Store) or not _is_place(statement):
            continue
        if not names & _targets(statement):
            places[ast.unparse(statement)] = copy.deepcopy(statement)
    return places


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
        for statement in _statements(statements):
            if isinstance(statement, ast.FunctionDef):
                self._captured[statement.name] = _read_in(statement)
            elif isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Lambda):
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        self._captured[target.id] = _read_in(statement.value)
        self.kept = {  # visible to others: live to the end
            name
            for statement in _statements(statements)
            if isinstance(statement, (ast.Global, ast.Nonlocal))
            for name in statement.names
        }

    def reads(self, node) -> set[str]:
        names, left = set(), list(_read_in(node))
        while left:
            name = left.pop()
            if name not in names:
                names.add(name)
                left.extend(self._captured.get(name, ()))
        return names

    def before(self, statements, after) -> set[str]:
        """The names live before statements, given those live after them."""
        live = set(after)
        for statement in reversed(statements):
            live = self._before_one(statement, live)
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
            needed = self.before(node.body, after)
            for item in node.items:
                if item.optional_vars is not None:
                    needed -= changed([item.optional_vars])
                needed |= self.reads(item)
            return needed
        if isinstance(node, (ast.Return, ast.Raise)):
            return self.reads(node)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            return (after - {node.name}) | self.reads(node)
        if isinstance(node, ast.Delete):
            return after | self.reads(node)
        needed = (after - changed([node])) | self.reads(node)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            needed.add(node.target.id)
        return needed

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
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    }
