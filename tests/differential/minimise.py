"""Makes a program that shows a difference smaller, as long as it still shows it."""

from __future__ import annotations

import ast
import copy


def minimise(text: str, shows, most_tries=90) -> str:
    """The smallest text found for which `shows(text)` holds; it holds for the given one."""
    tries = 0
    is_smaller = True
    while is_smaller and tries < most_tries:
        is_smaller = False
        for smaller in candidates(text):
            if smaller == text or len(smaller) > len(text):
                continue
            tries += 1
            if shows(smaller):
                text, is_smaller = smaller, True
                break
            if tries >= most_tries:
                break
    return text


def candidates(text):
    """Texts that are a little less: the largest steps first."""
    tree = ast.parse(text)
    changes = (fewer_calls, fewer_results, fewer_statements)
    for change in (*changes, fewer_inputs, simpler_calls, smaller_inputs):
        for other in change(tree):
            yield ast.unparse(ast.fix_missing_locations(other)) + "\n"


def function_of(tree):
    return next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "f"), None)


def assigned(tree, name):
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return node
    return None


def fewer_calls(tree):
    calls = assigned(tree, "CALLS")
    if calls is not None and len(calls.value.elts) > 1:
        for i in range(len(calls.value.elts)):
            other = copy.deepcopy(tree)
            del assigned(other, "CALLS").value.elts[i]
            yield other


def fewer_results(tree):
    f = function_of(tree)
    if f is None or not isinstance(getattr(f.body[-1], "value", None), ast.Dict):
        return
    count = len(f.body[-1].value.keys)
    for i in range(count if count > 1 else 0):
        other = copy.deepcopy(tree)
        kept = function_of(other).body[-1].value
        kept.keys, kept.values = [kept.keys[i]], [kept.values[i]]
        yield other
    for i in range(count if count > 1 else 0):
        other = copy.deepcopy(tree)
        kept = function_of(other).body[-1].value
        del kept.keys[i], kept.values[i]
        yield other


def blocks(tree):
    """Every list of statements."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            found = getattr(node, field, None)
            if isinstance(found, list) and found and isinstance(found[0], ast.stmt):
                yield found


def fewer_statements(tree):
    count = sum(len(block) for block in blocks(tree))
    for number in reversed(range(count)):
        for unwrap in (False, True):
            other = copy.deepcopy(tree)
            if remove(other, number, unwrap):
                yield other


def remove(tree, number, unwrap) -> bool:
    for block in blocks(tree):
        if number < len(block):
            node = block[number]
            inner = getattr(node, "body", None)
            if (
                unwrap != (isinstance(inner, list) and not isinstance(node, ast.FunctionDef))
                and unwrap
            ):
                return False
            if isinstance(node, (ast.FunctionDef, ast.Return, ast.AugAssign)):
                return False  # what counts a loop's steps stays
            if "seed" in ast.unparse(node) and not isinstance(node, ast.With):
                return False
            if isinstance(node, ast.With) and "control_dependencies" in ast.unparse(node.items[0]):
                return False  # nor does an order get lost
            block[number : number + 1] = inner if unwrap else []
            if not block:
                block.append(ast.Pass())
            return True
        number -= len(block)
    return False


def simpler_calls(tree):
    """Calls without a keyword; an expression in the place of the call that it is an argument of."""
    nodes = [n for n in ast.walk(tree) if isinstance(n, (ast.Call, ast.BinOp))]
    for number, node in enumerate(nodes):
        if ast.unparse(node) == "i + 1" or "seed(" in ast.unparse(node):
            continue  # what counts a loop's steps stays, and what makes draws the same
        for i, keyword in enumerate(getattr(node, "keywords", [])):
            if keyword.arg in ("maximum_iterations", "seed"):
                continue
            other = copy.deepcopy(tree)
            same = [n for n in ast.walk(other) if isinstance(n, (ast.Call, ast.BinOp))][number]
            del same.keywords[i]
            yield other
        parts = [node.left, node.right] if isinstance(node, ast.BinOp) else node.args
        for i in range(len(parts)):
            yield Hoist(number, i).visit(copy.deepcopy(tree))


class Hoist(ast.NodeTransformer):
    def __init__(self, number, part):
        self.number, self.part, self.seen = number, part, None

    def visit(self, node):
        if self.seen is None:
            nodes = [n for n in ast.walk(node) if isinstance(n, (ast.Call, ast.BinOp))]
            self.seen = nodes[self.number]
        if node is self.seen:
            return (
                [node.left, node.right][self.part]
                if isinstance(node, ast.BinOp)
                else node.args[self.part]
            )
        return super().generic_visit(node)


def fewer_inputs(tree):
    f, calls = function_of(tree), assigned(tree, "CALLS")
    if f is None or calls is None:
        return
    used = {n.id for n in ast.walk(f) if isinstance(n, ast.Name)}
    for i, argument in reversed(list(enumerate(f.args.args))):
        if argument.arg not in used:
            other = copy.deepcopy(tree)
            del function_of(other).args.args[i]
            for call in assigned(other, "CALLS").value.elts:
                del call.elts[i]
            yield other


def smaller_inputs(tree):
    """Smaller sizes, for all inputs that have them, and plainer numbers."""
    calls = assigned(tree, "CALLS")
    if calls is None:
        return
    given = [entry for call in calls.value.elts for entry in call.elts]
    sizes = {d.value for entry in given for d in entry.elts[1].elts if isinstance(d, ast.Constant)}
    for size in sorted(sizes, reverse=True):
        for smaller in [n for n in (1, 2) if n < size]:
            other = copy.deepcopy(tree)
            resize(assigned(other, "CALLS"), size, smaller)
            yield other
    for number in range(len(given)):
        other = copy.deepcopy(tree)
        changed = [e for call in assigned(other, "CALLS").value.elts for e in call.elts][number]
        if changed.elts[0].value.startswith(("float", "bfloat", "int", "uint")):
            count = len(changed.elts[2].elts)
            changed.elts[2].elts = [ast.Constant(1 + i % 3) for i in range(count)]
            yield other


def resize(calls, size, smaller) -> None:
    for call in calls.value.elts:
        for entry in call.elts:
            values, dims = entry.elts[2].elts, entry.elts[1].elts
            total = 1
            for dim in dims:
                if dim.value == size:
                    dim.value = smaller
                total *= dim.value
            entry.elts[2].elts = values[:total]
