"""Update rules of optimisers, whole or row by row. Half types are computed in float32."""

import numpy as np

from references import ref


def wide(x):
    return x.astype(np.float32) if x.dtype.itemsize == 2 else x


def gradient_descent(var, alpha, grad):
    return (var - alpha * grad,)


def momentum(var, accum, lr, grad, momentum, use_nesterov):
    accum = accum * momentum + grad
    step = grad * lr + accum * momentum * lr if use_nesterov else accum * lr
    return var - step, accum


def adam(var, m, v, b1_power, b2_power, lr, b1, b2, epsilon, grad, use_nesterov, weight_decay):
    rate = lr * np.sqrt(1 - b2_power) / (1 - b1_power)
    m = m + (grad - m) * (1 - b1)
    v = v + (grad * grad - v) * (1 - b2)
    step = grad * (1 - b1) + b1 * m if use_nesterov else m
    decayed = var - lr * var.dtype.type(weight_decay) * var
    return decayed - rate * step / (np.sqrt(v) + epsilon), m, v


def adagrad(var, accum, lr, epsilon, grad):
    accum = accum + grad * grad
    return var - lr * grad / (np.sqrt(accum) + epsilon), accum


def rms_prop(var, ms, mom, lr, rho, momentum, epsilon, grad):
    ms = ms + (grad * grad - ms) * (1 - rho)
    mom = mom * momentum + lr * grad / np.sqrt(ms + epsilon)
    return var - mom, ms, mom


def ftrl(var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power):
    grown = accum + grad * grad
    shrunk = grad + 2 * l2_shrinkage * var
    linear = linear + shrunk - (grown**-lr_power - accum**-lr_power) / lr * var
    quadratic = grown**-lr_power / lr + 2 * l2
    var = np.where(np.abs(linear) > l1, (np.sign(linear) * l1 - linear) / quadratic, 0)
    return var, grown, linear


def dense(rule):
    return lambda *inputs, **attrs: rule(*map(wide, inputs), **attrs)


def by_rows(rule, states, indices_at):
    """The rule for one row after the other, in the order of the indices."""

    def apply(*inputs, **attrs):
        inputs = list(inputs)
        indices = inputs.pop(indices_at)
        inputs = [wide(x) for x in inputs]
        slots = [x.copy() for x in inputs[:states]]
        rest = inputs[states:]
        for i, row in enumerate(indices):
            now = [x[i] if x.ndim else x for x in rest]
            for slot, value in zip(
                slots, rule(*(s[row] for s in slots), *now, **attrs), strict=True
            ):
                slot[row] = value
        return tuple(slots)

    return apply


RULES = [
    # name, rule, states, position of the indices
    ("ApplyGradientDescent", gradient_descent, 1, 3),
    ("ApplyMomentum", momentum, 2, 4),
    ("ApplyAdam", adam, 3, 10),
    ("ApplyAdagradV2", adagrad, 2, 5),
    ("ApplyRMSProp", rms_prop, 3, 8),
    ("ApplyFtrlV2", ftrl, 3, 4),
]
for name, rule, states, indices_at in RULES:
    ref(name, dense(rule))
    ref("Sparse" + name, by_rows(rule, states, indices_at))
