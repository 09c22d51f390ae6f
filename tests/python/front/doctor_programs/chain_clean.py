"""Objects that take what they need of the one before; cycles wait for the collector only."""

import penstock as tf


class State:
    def __init__(self, values):
        self.values = values
        self.me = self


state = State(tf.zeros([256]))
for step in range(40):
    state = State(state.values + 1.0)
