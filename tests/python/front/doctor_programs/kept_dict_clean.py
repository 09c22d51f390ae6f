"""A cache with a bound."""

import penstock as tf


class Encoder:
    def __init__(self):
        self.cache = {}
        self.w = tf.random.normal([32, 32])

    def encode(self, key, x):
        encoded = tf.nn.relu(x @ self.w)
        self.cache[key] = encoded
        if len(self.cache) > 8:
            self.cache.pop(next(iter(self.cache)))
        return encoded


def main():
    encoder = Encoder()
    for step in range(40):
        encoder.encode(step, tf.random.normal([4, 32]))


main()
