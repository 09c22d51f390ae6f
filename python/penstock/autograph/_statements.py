"""Converts `if`, `while` and `for` to operator calls.

The blocks of a statement become nested functions that share the variables of the enclosing one. So
Python values behave as before. For tensors the operator also receives accessors for the statement's
state: the variables that the blocks change and later code needs.

    ag__test_1 = x > 0
    def ag__if_1(): nonlocal y; y = x
    def ag__else_1(): nonlocal y; y = -x
    if ag__test_1 is True: ag__if_1()
    elif ag__test_1 is False: ag__else_1()
    else:
        def ag__set_1(ag__values): nonlocal y; y = ag__values[0]; …
        ag__.if_stmt(ag__test_1, ag__if_1, ag__else_1, lambda: (lambda: y,), ag__set_1, ("y",), 1)
"""

from __future__ import annotations

import ast

from penstock.autograph import _jumps, _tree
from penstock.autograph._expressions import Expressions, is_plain_test
from penstock.autograph._names import Liveness, changed, changed_places, inside, parameters

_VALUES, _ITEM = "ag__values", "ag__item"


class FunctionBody:
    """Converts one function; each nested function has its own converter."""

    def __init__(self, node, calls, count):
        self._node, self._calls, self._count = node, calls, count
        self._shared = set()  # names that blocks bind in the function

    def convert(self):
        """Converts the function in place. One with a jump out of a `finally` stays unchanged."""
        node = self._node
        if _jumps.returns_in_finally(node.body):
            return node
        taken = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        flags = _jumps.Flags([*taken, *parameters(node.args)])
        body, end = node.body, []
        if _jumps.needs_lowering(body):
            returns = _jumps.Returns(flags)
            body = returns.lower(body)
            start = [_set(returns.done, ast.Constant(False)), _set(returns.value, _no_value())]
            result = ast.Return(_tree.operator("result", _tree.load(returns.value)))
            end = [_tree.at(result, node.body[-1])]
            body = [*[_tree.at(statement, node.body[0]) for statement in start], *body]
        body = _jumps.lower_loops(body, flags) + end
        self._live = Liveness(body)
        self._scopes = _declared(body)
        calls = self._calls.inside(changed(body) | set(parameters(node.args)))
        first = next(iter(parameters(node.args)), None)
        self._expressions = Expressions(self._nested, calls, first)
        self._calls = calls
        converted = self._block(body, self._live.kept)
        node.body = self._bindings() + converted
        return node

    def _nested(self, node):
        node.decorator_list = [
            self._expressions.visit(decorator) for decorator in node.decorator_list
        ]
        node.args.defaults = [self._expressions.visit(default) for default in node.args.defaults]
        kept = node.args.kw_defaults
        node.args.kw_defaults = [default and self._expressions.visit(default) for default in kept]
        if _pauses(node):
            return node
        return FunctionBody(node, self._calls, self._count).convert()

    def _bindings(self) -> list:
        """Statements that make the names of blocks names of the function; they never run."""
        names = sorted(self._shared - set(self._scopes) - set(parameters(self._node.args)))
        if not names:
            return []
        bound = [_set(name, ast.Constant(None)) for name in names]
        return [_tree.at(ast.If(ast.Constant(False), bound, []), self._node.body[0])]

    def _block(self, statements, after) -> list:
        """Converts statements, given the names `after` that are live after them."""
        converted, needed = [], set(after) | self._live.kept
        for statement in reversed(statements):
            before = self._live.before([statement], needed) | self._live.kept
            converted = self._one(statement, needed) + converted
            needed = before
        return converted

    def _one(self, node, after) -> list:
        if isinstance(node, ast.If) and not is_plain_test(node.test):
            return self._if(node, after)
        if isinstance(node, ast.While) and not _is_plain_loop(node):
            return self._while(node, after)
        if isinstance(node, ast.For):
            return self._for(node, after)
        if isinstance(node, (ast.If, ast.While, ast.With, ast.Try, ast.Match)):
            return [self._inline(node, after)]
        converted = self._expressions.visit(node)
        return converted if isinstance(converted, list) else [converted]

    def _inline(self, node, after):
        """A statement that stays; its blocks are converted in place."""
        if isinstance(node, ast.While):
            after = self._live.at_head(node, after)
        elif isinstance(node, (ast.Try, ast.Match)):
            after = after | self._live.reads(node)
        blocks = [(owner, name, getattr(owner, name)) for owner, name in _jumps.blocks_of(node)]
        for owner, name, _ in blocks:
            setattr(owner, name, [])
        self._expressions.generic_visit(node)
        for owner, name, block in blocks:
            setattr(owner, name, self._block(block, after) or [ast.Pass()])
        return ast.fix_missing_locations(node)

    def _if(self, node, after):
        blocks = [*node.body, *node.orelse]
        entering = self._live.before(node.body, after) | self._live.before(node.orelse, after)
        names = changed(blocks)
        outputs = sorted(name for name in names if name in after)
        others = sorted(name for name in names - set(outputs) if name in entering)
        number, places = self._next(), changed_places(blocks)
        body = self._function(f"ag__if_{number}", [], names, self._block(node.body, after))
        statements, orelse = [body], ast.Constant(None)
        if node.orelse:
            orelse = self._block(node.orelse, after)
            statements.append(self._function(f"ag__else_{number}", [], names, orelse))
            orelse = _tree.load(f"ag__else_{number}")
        tested = f"ag__test_{number}"
        test = _set(tested, self._expressions.visit(node.test))
        statements.insert(0, _tree.at(test, node.test))
        slow = []
        state = self._state(number, outputs, places, others, slow)
        body = _tree.load(f"ag__if_{number}")
        count = ast.Constant(len(outputs) + len(places))
        call = _tree.operator("if_stmt", _tree.load(tested), body, orelse, *state, count)
        slow.append(_at_head(ast.Expr(call), node, node.test))
        # Python bools need no operator.
        other = [ast.Expr(ast.Call(orelse, [], [])) if node.orelse else ast.Pass()]
        choice = _if_is(tested, False, other, slow)
        statements.append(_if_is(tested, True, [ast.Expr(ast.Call(body, [], []))], [choice]))
        _at_head(statements[-1].body[0], node, node.test)
        _at_head(other[0], node, node.test)
        return [_tree.at(statement, node) for statement in statements]

    def _while(self, node, after):
        number, options = self._next(), _take_options(node, self._expressions)
        head = self._live.at_head(node, after)
        names, places = changed([*node.body, ast.Expr(node.test)]), changed_places(node.body)
        body = self._block(node.body, head)
        test = ast.copy_location(ast.Return(self._expressions.visit(node.test)), node.test)
        statements = [
            self._function(f"ag__test_{number}", [], names, [test]),
            self._function(f"ag__loop_{number}", [], names, body),
        ]
        kept = sorted(names & head)
        state = self._state(number, kept, places, [], statements)
        functions = _tree.load(f"ag__test_{number}"), _tree.load(f"ag__loop_{number}")
        call = _tree.operator("while_stmt", *functions, *state, options)
        statements.append(_at_head(ast.Expr(call), node, node.test))
        return [_tree.at(statement, node) for statement in statements]

    def _for(self, node, after):
        number, options = self._next(), _take_options(node, self._expressions)
        head = self._live.at_head(node, after)
        names, places = changed([*node.body, node.target]), changed_places(node.body)
        body = self._block(node.body, head)
        bind = ast.copy_location(ast.Assign([node.target], _tree.load(_ITEM)), node.target)
        statements = [self._function(f"ag__loop_{number}", [_ITEM], names, [bind, *body])]
        goes_on = getattr(node, "goes_on", None)
        extra = ast.Constant(None) if goes_on is None else _tree.thunk(
            self._expressions.visit(goes_on)
        )  # fmt: skip
        kept = sorted(names & head)
        state = self._state(number, kept, places, [], statements)
        rows = self._rows(node.iter)
        call = _tree.operator(
            "for_stmt", rows, extra, _tree.load(f"ag__loop_{number}"), *state, options
        )
        statements.append(_at_head(ast.Expr(call), node, node.iter))
        return [_tree.at(statement, node) for statement in statements]

    def _rows(self, node):
        """The iterable of a loop. A range of tensors stays symbolic."""
        if isinstance(node, ast.Call) and self._calls.may_be_range(node.func):
            node.func = _tree.at(_tree.operator("rows_of", node.func), node)
            return self._expressions.generic_visit(node)
        return self._expressions.visit(node)

    def _next(self) -> int:
        self._count[0] += 1
        return self._count[0]

    def _scope_of(self, names) -> list:
        """The declarations that make names in a block those of the function."""
        statements = []
        for kind in (ast.Global, ast.Nonlocal):
            own = [
                name
                for name in sorted(names)
                if (self._scopes.get(name) is ast.Global) == (kind is ast.Global)
            ]
            if own:
                statements.append(kind(own))
        return statements

    def _function(self, name, arguments, names, body):
        used = names & changed(body)
        self._shared |= used
        return _tree.function(name, arguments, self._scope_of(used) + body)

    def _state(self, number, names, places, others, statements):
        """The arguments with which an operator accesses the state; the setter is added to
        `made`."""
        texts = [*names, *places, *others]
        if not texts:
            return [ast.Constant(None), ast.Constant(None), _tree.texts([])]
        readers = [_tree.load(name) for name in names]
        readers += [_reading(place) for place in places.values()]
        readers += [_tree.load(name) for name in others]
        getter = _tree.thunk(ast.Tuple([_tree.thunk(reader) for reader in readers], ast.Load()))
        body = []
        for i, text in enumerate(texts):
            value = ast.Subscript(_tree.load(_VALUES), ast.Constant(i), ast.Load())
            if text in places:
                body.append(_unless_undefined(value, ast.Assign([places[text]], value)))
            else:
                body.append(_set(text, value))
                gone = ast.Delete([ast.Name(text, ast.Del())])
                body.append(ast.If(_tree.operator("is_undefined", _tree.load(text)), [gone], []))
        name = f"ag__set_{number}"
        statements.append(self._function(name, [_VALUES], {*names, *others}, body))
        return [getter, _tree.load(name), _tree.texts(texts)]


def _no_value():
    return ast.Attribute(_tree.load(_tree.OPERATORS), "NO_RETURN", ast.Load())


def _set(name, value):
    return ast.Assign([_tree.store(name)], value)


def _unless_undefined(value, statement):
    test = ast.UnaryOp(ast.Not(), _tree.operator("is_undefined", value))
    return ast.If(test, [statement], [])


def _reading(place):
    """An attribute or element, read instead of bound."""
    kind = type(place)
    last = place.attr if kind is ast.Attribute else place.slice
    return kind(place.value, last, ast.Load())


def _if_is(name, value, then, otherwise):
    test = ast.Compare(_tree.load(name), [ast.Is()], [ast.Constant(value)])
    return ast.If(test, then, otherwise)


def _at_head(statement, node, last):
    """The line of a statement up to its colon, without its block."""
    for part in (statement, getattr(statement, "value", statement)):
        part.lineno, part.col_offset = node.lineno, node.col_offset
        part.end_lineno, part.end_col_offset = last.end_lineno, last.end_col_offset
    return ast.fix_missing_locations(statement)


def _is_plain_loop(node) -> bool:
    return isinstance(node.test, ast.Constant)


def _declared(body) -> dict:
    return {
        name: type(part)
        for node in body
        for part in ast.walk(node)
        if isinstance(part, (ast.Global, ast.Nonlocal))
        for name in part.names
    }


def _pauses(node) -> bool:
    return any(isinstance(part, (ast.Yield, ast.YieldFrom, ast.Await)) for part in inside(node))


def _take_options(loop, expressions):
    """Removes the loop's own set_loop_options; returns a function of its arguments."""
    for i, statement in enumerate(loop.body):
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call):
            continue
        name = getattr(call.func, "attr", getattr(call.func, "id", None))
        if name == "set_loop_options":
            loop.body[i] = ast.copy_location(ast.Pass(), statement)
            call.func = ast.Attribute(_tree.load(_tree.OPERATORS), "loop_options", ast.Load())
            return _tree.thunk(ast.fix_missing_locations(call))
    return ast.Constant(None)
