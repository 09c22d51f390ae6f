"""Convolutions, pools and losses: paddings, strides and windows, and mistakes in them."""

SETUP = """
x4 = tf.reshape(tf.range(32.0) / 10, [1, 4, 4, 2])
k = tf.reshape(tf.range(16.0) / 10 - 0.5, [2, 2, 2, 2])
x3 = tf.reshape(tf.range(12.0), [1, 6, 2])
k1 = tf.reshape(tf.range(12.0), [3, 2, 2])
a = tf.constant([[4.0, 1.0], [2.0, 3.0]])
"""

CALLS = r"""
tf.nn.conv2d(x4, k, 1, "SAME")
tf.nn.conv2d(x4, k, 2, "SAME")
tf.nn.conv2d(x4, k, [1, 2, 2, 1], "VALID")
tf.nn.conv2d(x4, k, [1, 1], "VALID")
tf.nn.conv2d(x4, k, 1, [[0, 0], [1, 0], [0, 1], [0, 0]])
tf.nn.conv2d(x4, k, 1, "SAME", dilations=2)
tf.nn.conv2d(x4, k, 1, "same")
tf.nn.conv2d(x4, k, 1, "FULL")
tf.nn.conv2d(x4, k, 0, "SAME")
tf.nn.conv2d(x4[0], k, 1, "SAME")
tf.nn.conv2d(x4, k[:, :, :1], 1, "SAME")
tf.nn.conv2d_transpose(x4, k, [1, 8, 8, 2], 2, "SAME").shape
tf.nn.conv2d_transpose(x4, k, [1, 5, 5, 2], 1, "VALID")[0, 0]
tf.nn.conv1d(x3, k1, 1, "SAME")
tf.nn.conv1d(x3, k1, 2, "VALID")
tf.nn.conv1d(x3, k1, 1, "CAUSAL")
tf.nn.convolution(x4, k, 1, "SAME")[0, 0]
tf.nn.depthwise_conv2d(x4, k, [1, 1, 1, 1], "SAME")[0, 0]
tf.nn.separable_conv2d(x4, k, tf.ones([1, 1, 4, 3]), [1, 1, 1, 1], "SAME")[0, 0]
tf.nn.max_pool2d(x4, 2, 2, "SAME")
tf.nn.max_pool2d(x4, 3, 1, "SAME")[0, 0]
tf.nn.max_pool(x4, 2, 2, "VALID")
tf.nn.avg_pool2d(x4, 3, 2, "SAME")
tf.nn.avg_pool2d(x4, [2, 2], [1, 1], "VALID")[0, 0]
tf.nn.avg_pool(x4, 5, 1, "VALID")
tf.nn.max_pool1d(x3, 2, 2, "SAME")
tf.nn.avg_pool1d(x3, 2, 2, "VALID")
tf.nn.pool(x4, [2, 2], "MAX", strides=[2, 2])
tf.nn.pool(x4, [2, 2], "AVG", padding="SAME")[0, 0]
tf.nn.max_pool_with_argmax(x4, 2, 2, "SAME")
tf.nn.max_pool2d(x4, 0, 1, "SAME")
tf.nn.atrous_conv2d(x4, k, 2, "SAME")[0, 0]
tf.nn.dilation2d(x4, k[:, :, :, 0], [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1])[0, 0]
tf.nn.bias_add(x4, [1.0, 2.0])[0, 0]
tf.nn.bias_add(x4, [1.0])
tf.nn.batch_normalization(x4, 0.5, 2.0, None, None, 1e-3)[0, 0]
tf.nn.moments(x4, [0, 1, 2])
tf.nn.moments(x4, [0, 1, 2], keepdims=True)
tf.nn.moments(x4, [])[0].shape
tf.nn.moments(x4, None)
tf.nn.local_response_normalization(x4)[0, 0]
tf.nn.softmax_cross_entropy_with_logits([[0.0, 1.0]], [[1.0, 2.0]])
tf.nn.sparse_softmax_cross_entropy_with_logits([1], [[1.0, 2.0]])
tf.nn.sparse_softmax_cross_entropy_with_logits([5], [[1.0, 2.0]])
tf.nn.sparse_softmax_cross_entropy_with_logits([1.0], [[1.0, 2.0]])
tf.nn.sigmoid_cross_entropy_with_logits([1.0], [0.5])
tf.nn.embedding_lookup(a, [1, 0])
tf.nn.embedding_lookup(a, [2])
tf.nn.relu(-1)
tf.nn.relu6([-1.0, 7.0])
tf.nn.selu([-1.0])
tf.nn.swish([1.0])
tf.nn.crelu([-1.0, 2.0])
tf.nn.log_softmax([1.0, 2.0])
tf.nn.softplus([0.0])
tf.nn.space_to_depth(x4, 2).shape
tf.nn.depth_to_space(tf.ones([1, 2, 2, 4]), 2).shape
tf.nn.top_k([1.0, 3.0, 2.0], 5)
tf.nn.in_top_k([0], [[1.0, 2.0]], 1)
"""
