"""tf.nn: mostly ops under their public names (see _api/ops.txt)."""

from penstock import _api
from penstock._ops.convolutions import (
    avg_pool,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    conv1d,
    conv1d_transpose,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    conv_transpose,
    convolution,
    depthwise_conv2d,
    depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input,
    max_pool,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_pool_with_argmax,
    pool,
    separable_conv2d,
)
from penstock._ops.math import l2_normalize, top_k
from penstock._ops.nn import (
    batch_norm_with_global_normalization,
    batch_normalization,
    bias_add,
    compute_average_loss,
    ctc_loss,
    dropout,
    embedding_lookup,
    moments,
    normalize_moments,
    scale_regularization_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
    sufficient_statistics,
    weighted_moments,
)
from penstock._ops.sampled import compute_accidental_hits, nce_loss, sampled_softmax_loss
from penstock._ops.samplers import (
    all_candidate_sampler,
    fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler,
)
from penstock.nn import experimental

__getattr__, __dir__ = _api.surface("nn")
