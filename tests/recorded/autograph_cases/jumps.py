"""`break`, `continue` and early `return`."""

import tensorflow as tf


def break_in_while(x):
    i = 0
    while i < 100:
        if i * i > x:
            break
        i += 1
    return i


def break_in_for(x):
    found = -1
    for i in tf.range(10):
        if i * 3 > x:
            found = i
            break
    return found


def continue_in_for(x):
    total = 0
    for i in tf.range(x):
        if i % 2 == 0:
            continue
        total += i
    return total


def continue_in_while(x):
    total = 0
    while x > 0:
        x -= 1
        if x % 3 == 0:
            continue
        total += x
    return total


def both_jumps(x):
    total = 0
    for i in tf.range(20):
        if i == 3:
            continue
        if i > x:
            break
        total += i
    return total


def break_of_inner_loop(x):
    total = 0
    for i in tf.range(x):
        for j in tf.range(x):
            if j > i:
                break
            if j == 1:
                continue
            total += j
        if total > 6:
            break
    return total


def early_return(x):
    if x < 0:
        return -1
    x = x + 5
    return x


def return_chain(x):
    if x < 0:
        return -1
    if x == 0:
        return 0
    if x > 10:
        return 10
    return x


def return_from_nested(x, y):
    if x > 0:
        if y > 0:
            return x + y
        return x
    y = y + 1
    return y


def return_from_loop(x):
    for i in tf.range(10):
        if i == x:
            return i * 100
    return -1


def return_from_nested_loops(x):
    for i in range(3):
        for j in range(3):
            if i * j == 2:
                return x + i
    return x


def while_true(x):
    while True:
        x += 3
        if x > 10:
            break
    return x


def break_from_python_loop(x):
    for i in range(10):
        x = x + i
        if i == 2:
            break
    else:
        x = x * 100
    return x


def loop_with_else(x):
    for i in range(3):
        x = x + i
        if i == 5:
            break
    else:
        x = x * 100
    return x


def return_nothing(x):
    total = x
    for _ in range(2):
        total += 1
    return


def return_inside_with(x):
    with tf.name_scope("scope"):
        if x > 0:
            y = x
        else:
            y = -x
        return y


def return_inside_try(x):
    try:
        if x > 0:
            y = x + 1
        else:
            y = x - 1
        return y
    finally:
        x = 0


CASES = [
    (break_in_while, (30,)), (break_in_for, (7,)), (break_in_for, (70,)), (continue_in_for, (6,)),
    (continue_in_while, (8,)), (both_jumps, (6,)), (break_of_inner_loop, (4,)),
    (early_return, (-2,)), (early_return, (2,)), (return_chain, (-5,)), (return_chain, (0,)),
    (return_chain, (50,)), (return_chain, (5,)), (return_from_nested, (1, 2)),
    (return_from_nested, (1, -2)), (return_from_nested, (-1, 2)), (return_from_loop, (4,)),
    (return_from_loop, (40,)), (return_from_nested_loops, (1,)), (while_true, (2,)),
    (break_from_python_loop, (1,)), (loop_with_else, (1,)), (return_nothing, (1,)),
    (return_inside_with, (-3,)), (return_inside_try, (3,)),
]  # fmt: skip
