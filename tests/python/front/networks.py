"""Networks as programs write them, for the tests: each with its weights and example batches.

A network is a class with `variables`, `forward(x, training)` and `example(batch)`, which gives
inputs and labels. `trainer` makes a training step of one.
"""

from itertools import pairwise

import numpy as np
import penstock as tf


class Network:
    num_classes = 5

    def __init__(self):
        self._rng = np.random.default_rng(0)
        self.variables = []  # those that are trained
        self.statistics = []  # of batch norms

    def weight(self, *shape):
        scale = np.sqrt(2 / np.prod(shape[:-1]))
        values = self._rng.standard_normal(shape) * scale
        self.variables.append(tf.Variable(values.astype("f")))
        return self.variables[-1]

    def bias(self, size, value=0.0):
        self.variables.append(tf.Variable(tf.fill([size], value)))
        return self.variables[-1]

    def example(self, batch):
        rng = np.random.default_rng(batch)
        x = rng.standard_normal([batch, *self.input_shape]).astype("f")
        return tf.constant(x), tf.constant(rng.integers(0, self.num_classes, batch))

    def loss(self, x, labels):
        logits = self.forward(x, training=True)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        return tf.reduce_mean(losses)


class Mlp(Network):
    def __init__(self, sizes=(20, 32, 24)):
        super().__init__()
        self.input_shape = sizes[:1]
        sizes = (*sizes, self.num_classes)
        self._layers = [(self.weight(a, b), self.bias(b)) for a, b in pairwise(sizes)]

    def forward(self, x, training=False):
        for w, b in self._layers[:-1]:
            x = tf.nn.relu(x @ w + b)
        w, b = self._layers[-1]
        return x @ w + b


class Cnn(Network):
    def __init__(self, size=12, channels=(1, 6, 10)):
        super().__init__()
        self.input_shape = (size, size, channels[0])
        self._convs = [(self.weight(3, 3, a, b), self.bias(b)) for a, b in pairwise(channels)]
        flat = (size // 2 ** len(self._convs)) ** 2 * channels[-1]
        self._hidden = self.weight(flat, 16), self.bias(16)
        self._last = self.weight(16, self.num_classes), self.bias(self.num_classes)

    def forward(self, x, training=False):
        for w, b in self._convs:
            x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w, 1, "SAME"), b))
            x = tf.nn.max_pool2d(x, 2, 2, "VALID")
        x = tf.reshape(x, [tf.shape(x)[0], self._hidden[0].shape[0]])
        x = tf.nn.relu(x @ self._hidden[0] + self._hidden[1])
        return x @ self._last[0] + self._last[1]


class ResNet50(Network):
    """Bottleneck blocks as in ResNet-50: the depth is its own, the sizes are given."""

    def __init__(self, size=32, width=4):
        super().__init__()
        self.input_shape = (size, size, 3)
        self._stem = self._conv(7, 3, width, 2)
        self._blocks, inputs = [], width
        for stage, count in enumerate((3, 4, 6, 3)):
            inner = width * 2**stage
            for i in range(count):
                stride = 2 if stage and i == 0 else 1
                shortcut = self._conv(1, inputs, 4 * inner, stride) if i == 0 else None
                convs = (
                    self._conv(1, inputs, inner, 1),
                    self._conv(3, inner, inner, stride),
                    self._conv(1, inner, 4 * inner, 1),
                )
                self._blocks.append((convs, shortcut))
                inputs = 4 * inner
        self._last = self.weight(inputs, self.num_classes), self.bias(self.num_classes)

    def _conv(self, size, inputs, outputs, stride):
        w = self.weight(size, size, inputs, outputs)
        norm = self.bias(outputs, 1.0), self.bias(outputs)
        kept = tf.Variable(tf.zeros([outputs])), tf.Variable(tf.ones([outputs]))
        self.statistics += kept
        return w, stride, norm, kept

    def _apply(self, x, conv, training):
        w, stride, (scale, offset), (mean, variance) = conv
        x = tf.nn.conv2d(x, w, stride, "SAME")
        if not training:
            return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3)
        y, new_mean, new_variance, *_ = tf.raw_ops.FusedBatchNormV3(
            x=x, scale=scale, offset=offset, mean=[], variance=[], epsilon=1e-3
        )
        mean.assign_sub((mean - new_mean) * 0.01)
        variance.assign_sub((variance - new_variance) * 0.01)
        return y

    def forward(self, x, training=False):
        x = tf.nn.relu(self._apply(x, self._stem, training))
        x = tf.nn.max_pool2d(x, 3, 2, "SAME")
        for convs, shortcut in self._blocks:
            y = tf.nn.relu(self._apply(x, convs[0], training))
            y = tf.nn.relu(self._apply(y, convs[1], training))
            y = self._apply(y, convs[2], training)
            x = tf.nn.relu(y + (x if shortcut is None else self._apply(x, shortcut, training)))
        return tf.reduce_mean(x, [1, 2]) @ self._last[0] + self._last[1]


class Transformer(Network):
    """Blocks of attention and a feed-forward network, over embedded tokens."""

    def __init__(self, length=7, width=16, heads=2, depth=1, vocabulary=11):
        super().__init__()
        self.input_shape, self._heads, self._vocabulary = (length,), heads, vocabulary
        self._tokens, self._places = self.weight(vocabulary, width), self.weight(length, width)
        self._blocks = [
            {
                "attend": [self.weight(width, width) for _ in range(4)],
                "feed": (
                    (self.weight(width, 4 * width), self.bias(4 * width)),
                    (self.weight(4 * width, width), self.bias(width)),
                ),
                "norms": [(self.bias(width, 1.0), self.bias(width)) for _ in range(2)],
            }
            for _ in range(depth)
        ]
        self._last = self.weight(width, self.num_classes)

    def example(self, batch):
        rng = np.random.default_rng(batch)
        tokens = rng.integers(0, self._vocabulary, [batch, *self.input_shape])
        return tf.constant(tokens), tf.constant(rng.integers(0, self.num_classes, batch))

    @staticmethod
    def _norm(x, scale, offset):
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-5)

    def _attention(self, x, weights):
        _, length, width = x.shape
        shape = [-1, length, self._heads, width // self._heads]
        q, k, v = (tf.transpose(tf.reshape(x @ w, shape), [0, 2, 1, 3]) for w in weights[:3])
        scores = tf.matmul(q, k, transpose_b=True) * shape[-1] ** -0.5
        mask = tf.linalg.band_part(tf.ones([length, length]), -1, 0)
        mixed = tf.nn.softmax(tf.where(mask > 0, scores, -1e9)) @ v
        return tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [-1, length, width]) @ weights[3]

    def forward(self, x, training=False):
        x = tf.nn.embedding_lookup(self._tokens, x) + self._places
        for block in self._blocks:
            x = x + self._attention(self._norm(x, *block["norms"][0]), block["attend"])
            (w1, b1), (w2, b2) = block["feed"]
            h = tf.nn.gelu(self._norm(x, *block["norms"][1]) @ w1 + b1)
            x = x + h @ w2 + b2
        return tf.reduce_mean(x, 1) @ self._last


class MobileNet(Network):
    """What MobileNets have in common: each conv with its bias, and relu6."""

    num_classes = 1000

    def __init__(self, size=224):
        super().__init__()
        self.input_shape = (size, size, 3)
        self._stem = self.conv(3, 3, 32)

    def conv(self, size, inputs, outputs):
        return self.weight(size, size, inputs, outputs), self.bias(outputs)

    @staticmethod
    def _conv(x, layer, stride=1):
        return tf.nn.bias_add(tf.nn.conv2d(x, layer[0], stride, "SAME"), layer[1])

    @staticmethod
    def _depthwise(x, layer, stride):
        y = tf.nn.depthwise_conv2d(x, layer[0], [1, stride, stride, 1], "SAME")
        return tf.nn.relu6(tf.nn.bias_add(y, layer[1]))


class MobileNetV1(MobileNet):
    def __init__(self, size=224):
        super().__init__(size)
        widths = [32, 64, 128, 128, 256, 256, *[512] * 6, 1024, 1024]
        strides = [1, 2, 1, 2, 1, 2, *[1] * 5, 2, 1]
        self._blocks = [
            ((self.weight(3, 3, a, 1), self.bias(a)), self.conv(1, a, b), stride)
            for (a, b), stride in zip(pairwise(widths), strides, strict=True)
        ]
        self._last = self.weight(1024, self.num_classes)

    def forward(self, x, training=False):
        x = tf.nn.relu6(self._conv(x, self._stem, 2))
        for depthwise, pointwise, stride in self._blocks:
            x = self._depthwise(x, depthwise, stride)
            x = tf.nn.relu6(self._conv(x, pointwise))
        return tf.reduce_mean(x, [1, 2]) @ self._last


class MobileNetV2(MobileNet):
    """Inverted residuals: (expansion, channels, repeats, stride) of each stage."""

    STAGES = (
        *((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2)),
        *((6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)),
    )

    def __init__(self, size=224):
        super().__init__(size)
        self._blocks, inputs = [], 32
        for expansion, channels, repeats, first_stride in self.STAGES:
            for i in range(repeats):
                inner = inputs * expansion
                expand = self.conv(1, inputs, inner) if expansion > 1 else None
                depthwise = self.weight(3, 3, inner, 1), self.bias(inner)
                project = self.conv(1, inner, channels)
                self._blocks.append((expand, depthwise, project, first_stride if i == 0 else 1))
                inputs = channels
        self._wide = self.conv(1, inputs, 1280)
        self._last = self.weight(1280, self.num_classes)

    def forward(self, x, training=False):
        x = tf.nn.relu6(self._conv(x, self._stem, 2))
        for expand, depthwise, project, stride in self._blocks:
            y = x if expand is None else tf.nn.relu6(self._conv(x, expand))
            y = self._conv(self._depthwise(y, depthwise, stride), project)
            x = x + y if x.shape == y.shape else y
        x = tf.nn.relu6(self._conv(x, self._wide))
        return tf.reduce_mean(x, [1, 2]) @ self._last


NETWORKS = Mlp, Cnn, ResNet50, Transformer


def trainer(network, optimizer):
    """A training step: (x, labels) to the loss."""

    def step(x, labels):
        with tf.GradientTape() as tape:
            loss = network.loss(x, labels)
        gradients = tape.gradient(loss, network.variables)
        optimizer.apply_gradients(zip(gradients, network.variables, strict=True))
        return loss

    return step
