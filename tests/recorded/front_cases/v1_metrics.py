"""TensorFlow 1's metrics: the figure before and after every batch."""

SETUP = """
v1 = tf.compat.v1
M = v1.metrics
labels = [tf.constant([[1.0, 0.0], [0.0, 1.0]]), tf.constant([[1.0, 1.0], [0.0, 1.0]])]
scores = [tf.constant([[0.9, 0.2], [0.3, 0.6]]), tf.constant([[0.5, 0.8], [0.7, 0.4]])]
classes = [tf.constant([0, 1, 2, 1]), tf.constant([2, 2, 0, 1])]
guesses = [tf.constant([0, 2, 2, 1]), tf.constant([2, 1, 0, 0])]
yes = [each > 0.45 for each in scores]
weights = [[1.0], [0.5]]
def gathered(metric, *batches):
    if not hasattr(v1, "Session"):  # a function keeps its variables, as a session does
        run = tf.function(metric)
        return [np.asarray(each) for batch in zip(*batches) for each in run(*batch)]
    found = []
    with v1.Graph().as_default(), v1.Session() as session:
        given = [v1.placeholder(rows[0].dtype, rows[0].shape) for rows in batches]
        value, update = metric(*given)
        session.run(v1.local_variables_initializer())
        for batch in zip(*batches):
            feed = {key: each.numpy() for key, each in zip(given, batch)}
            found += [np.asarray(session.run(value)), np.asarray(session.run(update, feed))]
    return found
"""

CALLS = """
gathered(M.mean, scores)
gathered(lambda x: M.mean(x, weights), scores)
gathered(lambda x: M.mean(x, 0.0), scores)
gathered(M.accuracy, classes, guesses)
gathered(lambda l, p: M.accuracy(l, p, [1.0, 0.0, 2.0, 1.0]), classes, guesses)
gathered(lambda l, p: M.accuracy(tf.expand_dims(l, -1), p), classes, guesses)
gathered(M.mean_absolute_error, labels, scores)
gathered(M.mean_squared_error, labels, scores)
gathered(lambda l, p: M.mean_squared_error(l, p, weights), labels, scores)
gathered(M.root_mean_squared_error, labels, scores)
gathered(lambda l, p: M.mean_relative_error(l, p, p), labels, scores)
gathered(lambda l, p: M.mean_cosine_distance(l, p, 1), labels, scores)
gathered(lambda x: M.percentage_below(x, 0.55), scores)
gathered(M.mean_tensor, scores)
gathered(lambda x: M.mean_tensor(x, weights), scores)
gathered(M.true_positives, labels, yes)
gathered(M.false_positives, labels, yes)
gathered(M.true_negatives, labels, yes)
gathered(M.false_negatives, labels, yes)
gathered(lambda l, p: M.false_negatives(l, p, weights), labels, yes)
gathered(M.precision, labels, yes)
gathered(lambda l, p: M.precision(l, p, weights), labels, yes)
gathered(M.recall, labels, yes)
gathered(M.auc, labels, scores)
gathered(lambda l, p: M.auc(l, p, weights), labels, scores)
gathered(lambda l, p: M.auc(l, p, num_thresholds=10), labels, scores)
gathered(lambda l, p: M.auc(l, p, num_thresholds=10, summation_method="minoring"), labels, scores)
gathered(lambda l, p: M.auc(l, p, curve="PR", summation_method="majoring"), labels, scores)
gathered(lambda l, p: M.auc(l, p, curve="other"), labels, scores)
gathered(lambda l, p: M.precision_at_thresholds(l, p, [0.3, 0.6]), labels, scores)
gathered(lambda l, p: M.recall_at_thresholds(l, p, [0.3, 0.6]), labels, scores)
gathered(lambda l, p: M.true_positives_at_thresholds(l, p, [0.3, 0.6]), labels, scores)
gathered(lambda l, p: M.false_negatives_at_thresholds(l, p, [0.3], weights), labels, scores)
gathered(lambda l, p: M.mean_iou(l, p, 3), classes, guesses)
gathered(lambda l, p: M.mean_per_class_accuracy(l, p, 3), classes, guesses)
M.mean([1.0])
M.auc([True], [0.5])
M.mean_squared_error([1.0], [0.5])
"""
