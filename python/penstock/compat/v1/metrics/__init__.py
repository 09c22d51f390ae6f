"""tf.compat.v1.metrics: metrics accumulated over batches, as (value, update_op) pairs."""

from penstock.compat.v1.metrics._counts import (
    false_negatives,
    false_negatives_at_thresholds,
    false_positives,
    false_positives_at_thresholds,
    precision,
    precision_at_thresholds,
    recall,
    recall_at_thresholds,
    true_negatives,
    true_negatives_at_thresholds,
    true_positives,
    true_positives_at_thresholds,
)
from penstock.compat.v1.metrics._curves import auc, mean_iou, mean_per_class_accuracy
from penstock.compat.v1.metrics._means import (
    accuracy,
    mean,
    mean_absolute_error,
    mean_cosine_distance,
    mean_relative_error,
    mean_squared_error,
    mean_tensor,
    percentage_below,
    root_mean_squared_error,
)
