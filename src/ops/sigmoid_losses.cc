// Losses of single outputs: sigmoid and weighted cross entropies, and the log-Poisson loss.
#include <numbers>

#include <penstock/core/fits.h>
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

// One loss per element. Labels and logits must have the same shape.
void infer_same(InferContext& ctx) {
  Shape shape = ctx.shape(ctx.shape(0).has_rank() ? 0 : 1);
  const Shape& other = ctx.shape(1);
  if (!fits(shape, other)) ctx.fail("the shapes must be the same: ", shape, " vs. ", other);
  for (int i = 0; i < shape.rank() && other.has_rank(); ++i) {
    if (shape[i] == kUnknownDim) shape.set(i, other[i]);
  }
  ctx.add_output(ctx.dtype(0), shape);
}

void check_same(const ComposeContext& ctx, const char* names) {
  if (ctx.shape(0) != ctx.shape(1))
    ctx.fail(names, " must have the same shape (", ctx.shape(1), " vs ", ctx.shape(0), ")");
}

// max(x, 0) - x z + log(1 + e^-|x|), which never overflows; by selection, so that the gradient at 0
// is right too.
Tensors compose_sigmoid(const ComposeContext& ctx) {
  check_same(ctx, "logits and labels");
  const Tensor &labels = ctx.tensor(0), &logits = ctx.tensor(1);
  const Tensor zero = scalar_like(logits, 0);
  const Tensor is_positive = greater_equal(logits, zero);
  const Tensor positive = select(is_positive, logits, zero);
  const Tensor minus_size = select(is_positive, -logits, logits);
  return {positive - logits * labels + log1p(exp(minus_size))};
}

Tensors compose_weighted(const ComposeContext& ctx) {
  check_same(ctx, "logits and labels");
  const Tensor &labels = ctx.tensor(0), &logits = ctx.tensor(1), &pos_weight = ctx.tensor(2);
  const Tensor log_weight = 1 + (pos_weight - 1) * labels;
  return {(1 - labels) * logits + log_weight * (log1p(exp(-abs(logits))) + relu(-logits))};
}

// The full loss adds Stirling's approximation of log(targets!), which counts from 1 on.
Tensors compose_log_poisson(const ComposeContext& ctx) {
  check_same(ctx, "log_input and targets");
  const Tensor &targets = ctx.tensor(0), &log_input = ctx.tensor(1);
  Tensor loss = exp(log_input) - log_input * targets;
  if (!ctx.attr(0).as_bool()) return {loss};
  const Tensor zero = scalar_like(targets, 0);
  const Tensor one = scalar_like(targets, 1);
  const Tensor stirling =
      targets * log(targets) - targets + log(targets * (2 * std::numbers::pi)) * 0.5;
  const Tensor is_small = logical_and(greater_equal(targets, zero), less_equal(targets, one));
  return {loss + select(is_small, zero, stirling)};
}

std::vector<Sample> samples_sigmoid() {
  using enum DType;
  return {
      {{f32({3, 4}, 0, 1), f32({3, 4})}},
      {{f32({5}, 0, 1), given(kFloat32, {5}, {-100, 0, 100, 1, -1})}},
      {{of(kFloat64, {2, 2}, 0, 1), of(kFloat64, {2, 2})}},
      {{f32({}, 0, 1), f32({})}},
      {{f32({0, 3}), f32({0, 3})}},
      {{of(kFloat16, {4}, 0, 1), of(kFloat16, {4})}},
      {{of(kBFloat16, {4}, 0, 1), of(kBFloat16, {4})}},
      {.inputs = {f32({1 << 20}, 0, 1), f32({1 << 20})}, .for_speed = true},
  };
}

std::vector<Sample> samples_weighted() {
  using enum DType;
  return {
      {{f32({3, 4}, 0, 1), f32({3, 4}), given(kFloat32, {}, {2.5})}},
      {{of(kFloat64, {2, 3}, 0, 1), of(kFloat64, {2, 3}), of(kFloat64, {3}, 0.5, 2)}},
      {{f32({0}), f32({0}), f32({})}},
      {{of(kFloat16, {4}, 0, 1), of(kFloat16, {4}), given(kFloat16, {}, {2})}},
  };
}

std::vector<Sample> samples_log_poisson() {
  using enum DType;
  return {
      {{f32({3, 4}, 0, 5), f32({3, 4})}},
      {{f32({6}, 1.1, 5), f32({6})}, {{"compute_full_loss", true}}},
      {{given(kFloat64, {3}, {0.3, 0.6, 2}), of(kFloat64, {3})}, {{"compute_full_loss", true}}},
      {{f32({0}), f32({0})}, {{"compute_full_loss", true}}},
      {{of(kBFloat16, {4}, 1.1, 3), of(kBFloat16, {4})}},
  };
}

}  // namespace

PEN_OP_DEF(sigmoid_cross_entropy_with_logits) = {
    .name = "SigmoidCrossEntropyWithLogits",
    .doc = "The cross entropy of sigmoid(logits) and labels, element by element.",
    .inputs = {in("labels", kRealFloatTypes), in("logits", kRealFloatTypes)},
    .infer = infer_same,
    .compose = compose_sigmoid,
    .grad = composed_gradient,
    .samples = samples_sigmoid,
    .graph_name = {"logistic_loss"},
};

PEN_OP_DEF(weighted_cross_entropy_with_logits) = {
    .name = "WeightedCrossEntropyWithLogits",
    .doc =
        "The cross entropy of sigmoid(logits) and labels, with positives counted pos_weight times.",
    .inputs = {in("labels", kRealFloatTypes), in("logits", kRealFloatTypes),
               in("pos_weight", kRealFloatTypes)},
    .infer = composed,
    .compose = compose_weighted,
    .grad = composed_gradient,
    .samples = samples_weighted,
    .graph_name = {"logistic_loss"},
};

PEN_OP_DEF(log_poisson_loss) = {
    .name = "LogPoissonLoss",
    .doc = "The loss of a Poisson distribution with mean exp(log_input) at targets.",
    .inputs = {in("targets", kRealFloatTypes), in("log_input", kRealFloatTypes)},
    .attrs = {bool_attr("compute_full_loss", false)},
    .infer = infer_same,
    .compose = compose_log_poisson,
    .grad = composed_gradient,
    .samples = samples_log_poisson,
    .graph_name = {"log_poisson_loss", "sub"},
};

}  // namespace penstock
