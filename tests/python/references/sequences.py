"""Sequences and very many classes: CTC, candidate samplers and the losses over them."""

from itertools import product

import numpy as np

from references import random, ref

# --- CTC --------------------------------------------------------------------------------------


def log_softmax(x):
    x = x.astype(np.float64)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def spells(path, label, blank, merge):
    spelt, before = [], None
    for k in path:
        if k != blank and not (merge and k == before):
            spelt.append(k)
        before = k
    return spelt == label


def ctc_item(logits, label, blank, merge=True):
    """(loss, gradient) by looking at every path."""
    log_y = log_softmax(logits)
    steps, classes = logits.shape
    total, through = 0.0, np.zeros((steps, classes))
    for path in product(range(classes), repeat=steps):
        if spells(path, label, blank, merge):
            chance = np.exp(sum(log_y[t, k] for t, k in enumerate(path)))
            total += chance
            for t, k in enumerate(path):
                through[t, k] += chance
    share = through / total if total > 0 else 0
    return -np.log(total), np.exp(log_y) - share


def ctc_dense(logits, labels, label_length, logit_length, blank_index, logits_time_major):
    x = logits if logits_time_major else np.swapaxes(logits, 0, 1)
    blank = blank_index % x.shape[2]
    losses, gradient = np.zeros(x.shape[1]), np.zeros(x.shape)
    for b in range(x.shape[1]):
        steps, label = logit_length[b], list(labels[b, : label_length[b]])
        losses[b], gradient[:steps, b] = ctc_item(x[:steps, b], label, blank)
    return losses, gradient if logits_time_major else np.swapaxes(gradient, 0, 1)


ref("CTCLossDense", lambda *inputs, **attrs: ctc_dense(*inputs, **attrs)[0])
ref("CTCLossDenseGrad", lambda *inputs, **attrs: ctc_dense(*inputs, **attrs)[1])


def ctc_sparse(
    x,
    indices,
    values,
    lengths,
    preprocess_collapse_repeated,
    ctc_merge_repeated,
    ignore_longer_outputs_than_inputs,
):
    blank = x.shape[2] - 1
    losses, gradient = np.zeros(x.shape[1]), np.zeros(x.shape)
    for b in range(x.shape[1]):
        label = [v for v in values[indices[:, 0] == b] if v < blank]
        if preprocess_collapse_repeated:
            label = [v for i, v in enumerate(label) if i == 0 or v != label[i - 1]]
        loss, part = ctc_item(x[: lengths[b], b], label, blank, ctc_merge_repeated)
        if np.isfinite(loss):
            losses[b], gradient[: lengths[b], b] = loss, part
        else:
            assert ignore_longer_outputs_than_inputs
    return losses, gradient


ref("CTCLoss", ctc_sparse)


def greedy_decoder(x, lengths, merge_repeated, blank_index):
    blank, batch = blank_index % x.shape[2], x.shape[1]
    indices, values, sums = [], [], np.zeros((batch, 1))
    for b in range(batch):
        label, before = [], None
        for t in range(lengths[b]):
            k = int(x[t, b].argmax())
            sums[b] -= x[t, b, k]
            if k != blank and not (merge_repeated and k == before):
                label.append(k)
            before = k
        indices += [(b, i) for i in range(len(label))]
        values += label
    longest = max((i + 1 for _, i in indices), default=0)
    places = np.array(indices, np.int64).reshape(-1, 2)
    return places, np.array(values, np.int64), np.array([batch, longest]), sums


ref("CTCGreedyDecoder", greedy_decoder)


# --- Candidate samplers -----------------------------------------------------------------------

# What TensorFlow draws for the samples' seeds.
LOG_UNIFORM = {
    (6, True, 0): [1, 3, 6, 0, 5, 7],
    (6, False, 0): [1, 3, 1, 6, 0, 0],
    (6, False, 3072): [3, 0, 9, 4, 1, 4],
}
UNIFORM = {
    (6, True, 0): [1, 5, 9, 7, 3, 4],
    (6, False, 0): [1, 5, 9, 9, 7, 3],
    (6, False, 3072): [8, 8, 3, 6, 4, 1],
}
FIXED = {
    (3, True, 0): [3, 1, 2],
    (6, False, 0): [3, 3, 3, 1, 2, 2],
    (6, False, 3072): [4, 0, 2, 3, 0, 3],
}
ZEROS = {(6, False, 0): [3, 3, 3, 3, 2, 2]}
DRAWS = {("log", 6): 11, ("even", 6): 7, ("fixed", 3): 5}


def check_sampler(kind, chance, recorded):
    def check(inputs, outputs, num_true, num_sampled, unique, range_max, seed, seed2, skip):
        (classes,), (sampled, expected, sampled_expected) = inputs, outputs
        assert ((sampled >= 0) & (sampled < range_max)).all()
        assert not unique or len(set(sampled)) == len(sampled)
        if (num_sampled, unique, skip) not in recorded:
            return
        assert list(sampled) == recorded[num_sampled, unique, skip], sampled
        for values, counts in ((classes, expected), (sampled, sampled_expected)):
            p = chance(values, range_max)
            wanted = num_sampled * p
            if unique:
                wanted = 1 - (1 - p) ** DRAWS[kind, num_sampled]
            assert np.allclose(counts, wanted, rtol=1e-5), (counts, wanted)

    return check


def log_chance(k, n):
    return np.log((k + 2.0) / (k + 1.0)) / np.log1p(n)


def even_chance(k, n):
    return np.full(k.shape, 1 / n)


ref("LogUniformCandidateSampler", check=check_sampler("log", log_chance, LOG_UNIFORM))
ref("UniformCandidateSampler", check=check_sampler("even", even_chance, UNIFORM))


def check_fixed(inputs, outputs, unigrams, **attrs):
    weights = np.array(unigrams.split(","), float)
    recorded = FIXED if weights[0] else ZEROS
    check = check_sampler("fixed", lambda k, _: (weights / weights.sum())[k], recorded)
    check(inputs, outputs, **attrs)


def check_learned(inputs, outputs, num_true, num_sampled, unique, range_max, **seeds):
    classes, weights = inputs
    sums, drawn, draws = np.cumsum(weights), [], 0
    words = random.words(100, random.stateful(**seeds))
    while len(drawn) < num_sampled:
        value = int(np.searchsorted(sums, int(words[draws]) % int(sums[-1]), side="right"))
        draws += 1
        if not (unique and value in drawn):
            drawn.append(value)
    assert list(outputs[0]) == drawn, (outputs[0], drawn)
    for values, counts in ((classes, outputs[1]), (outputs[0], outputs[2])):
        p = weights[values] / sums[-1]
        wanted = num_sampled * p if draws == num_sampled else 1 - (1 - p) ** draws
        assert np.allclose(counts, wanted, rtol=1e-5), (counts, wanted)


def all_candidates(classes, num_true, num_sampled, unique, seed, seed2):
    return np.arange(num_sampled), np.ones(classes.shape), np.ones(num_sampled)


ref("FixedUnigramCandidateSampler", check=check_fixed)
ref("LearnedUnigramCandidateSampler", check=check_learned)
ref("AllCandidateSampler", all_candidates)


def accidental_hits(classes, sampled, num_true, seed, seed2):
    places = {int(k): i for i, k in enumerate(sampled)}
    hits = [(i, places[int(k)]) for i, row in enumerate(classes) for k in row if int(k) in places]
    rows, ids = np.array(hits, np.int64).reshape(-1, 2).T
    return rows.astype(np.int32), ids, np.full(len(hits), np.finfo(np.float32).min, np.float32)


ref("ComputeAccidentalHits", accidental_hits)


def sampled_loss(loss):
    """The losses for the four classes that seeds 3 and 4 draw first."""

    def compute(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        remove_accidental_hits,
        seed,
        seed2,
        skip,
    ):
        sampled = np.array([1, 3, 6, 0])
        draws = 5
        true = np.einsum("bd,btd->bt", inputs, weights[labels]) + biases[labels]
        other = inputs @ weights[sampled].T + biases[sampled]
        if remove_accidental_hits:
            hits = (labels[:, :, None] == sampled).any(1)
            other = np.where(hits, np.finfo(np.float32).min, other)
        true = true - np.log(1 - (1 - log_chance(labels, num_classes)) ** draws)
        other = other - np.log(1 - (1 - log_chance(sampled, num_classes)) ** draws)
        targets = np.concatenate([np.full(true.shape, 1 / num_true), np.zeros(other.shape)], 1)
        return loss(np.concatenate([true, other], 1).astype(np.float64), targets)

    return compute


def nce(logits, targets):
    return (targets * np.logaddexp(0, -logits) + (1 - targets) * np.logaddexp(0, logits)).sum(1)


ref("NceLoss", sampled_loss(nce))
ref("SampledSoftmaxLoss", sampled_loss(lambda x, z: -(z * log_softmax(x)).sum(1)))
