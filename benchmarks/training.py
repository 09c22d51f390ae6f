"""Training steps in each library's own API: forward, backward, plain gradient descent.

The classes are parts of the adapters in libraries.py. A step takes the parameters from the
adapter's variables() and returns the call to time, which returns the loss. For libraries that
compile functions, the code to compile is inside self.compiled or self.calling.
"""

from __future__ import annotations

MLP_SIZES = (784, 512, 512, 10)
MLP_LEARNING_RATE = 0.01
DEEP_LEARNING_RATE = 0.5  # of a mean over many elements: a step shows in the loss


class Torch:
    def variables(self, arrays):
        return [self.tensor(array).requires_grad_() for array in arrays]

    def descending(self, loss_of, parameters, rate, *args):
        loss_of = self.compiled(loss_of)
        sgd = self.torch.optim.SGD(parameters, lr=rate)

        def step():
            loss = loss_of(*args)
            sgd.zero_grad()
            loss.backward()
            sgd.step()
            return loss

        return step

    def mlp_step(self, weights, biases, x, labels):
        relu, cross_entropy = self.torch.relu, self.torch.nn.functional.cross_entropy

        def loss_of(x, labels):
            h = x
            for i, (w, b) in enumerate(zip(weights, biases, strict=True)):
                h = h @ w + b
                if i < 2:
                    h = relu(h)
            return cross_entropy(h, labels)

        parameters = [*weights, *biases]
        return self.descending(loss_of, parameters, MLP_LEARNING_RATE, x, labels.long())

    def deep_step(self, weights, x):
        tanh = self.torch.tanh

        def loss_of(x):
            h = x
            for w in weights:
                h = tanh(h @ w)
            return h.square().mean()

        return self.descending(loss_of, weights, DEEP_LEARNING_RATE, x)


class TensorFlow:
    def variables(self, arrays):
        return [self.tf.Variable(array) for array in arrays]

    def mlp_step(self, weights, biases, x, labels):
        tf, variables = self.tf, [*weights, *biases]

        def step(x, labels):
            with tf.GradientTape() as tape:
                h = x
                for i, (w, b) in enumerate(zip(weights, biases, strict=True)):
                    h = tf.matmul(h, w) + b
                    if i < 2:
                        h = tf.nn.relu(h)
                loss = tf.reduce_mean(
                    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=h)
                )
            for v, g in zip(variables, tape.gradient(loss, variables), strict=True):
                v.assign_sub(MLP_LEARNING_RATE * g)
            return loss

        return self.calling(step, x, labels)

    def deep_step(self, weights, x):
        tf = self.tf

        def step(x):
            with tf.GradientTape() as tape:
                h = x
                for w in weights:
                    h = tf.tanh(tf.matmul(h, w))
                loss = tf.reduce_mean(tf.square(h))
            for w, g in zip(weights, tape.gradient(loss, weights), strict=True):
                w.assign_sub(DEEP_LEARNING_RATE * g)
            return loss

        return self.calling(step, x)


class Jax:
    def variables(self, arrays):
        return [self.jnp.array(array) for array in arrays]

    def descending(self, loss_of, parameters, rate, *args):
        jax = self.jax

        def step(parameters, *args):
            loss, gradients = jax.value_and_grad(loss_of)(parameters, *args)
            return loss, jax.tree.map(lambda p, g: p - rate * g, parameters, gradients)

        made = self.compiled(step, takes_over=0)
        parameters = jax.tree.map(self.jnp.array, parameters)  # copies, for made to take over

        def call():
            nonlocal parameters
            loss, parameters = made(parameters, *args)
            jax.block_until_ready(parameters)
            return loss

        return call

    def mlp_step(self, weights, biases, x, labels):
        jax, jnp = self.jax, self.jnp

        def loss_of(parameters, x, labels):
            h = x
            for i, (w, b) in enumerate(zip(*parameters, strict=True)):
                h = h @ w + b
                if i < 2:
                    h = jax.nn.relu(h)
            return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(h), labels[:, None], 1))

        return self.descending(loss_of, (weights, biases), MLP_LEARNING_RATE, x, labels)

    def deep_step(self, weights, x):
        jnp = self.jnp

        def loss_of(weights, x):
            h = x
            for w in weights:
                h = jnp.tanh(h @ w)
            return jnp.mean(jnp.square(h))

        return self.descending(loss_of, weights, DEEP_LEARNING_RATE, x)
