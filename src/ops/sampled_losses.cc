// NceLoss and SampledSoftmaxLoss: losses over many classes that use the true ones and a few others,
// sampled log-uniformly.
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

#include "ops/random_inputs.h"

namespace penstock {
namespace {

struct Call {
  const Tensor &weights, &biases, &labels, &inputs;
  int64_t num_sampled, num_classes, num_true;
  bool removes_hits;
  int64_t seed, seed2, skip;
};

Call checked_call(const ComposeContext& ctx) {
  const Call call{ctx.tensor(0),        ctx.tensor(1),         ctx.tensor(2),
                  ctx.tensor(3),        ctx.attr(0).as_int(),  ctx.attr(1).as_int(),
                  ctx.attr(2).as_int(), ctx.attr(3).as_bool(), ctx.attr(4).as_int(),
                  ctx.attr(5).as_int(), ctx.attr(6).as_int()};
  for (size_t i : {0, 2, 3}) ctx.check_rank(i, 2);
  ctx.check_rank(1, 1);
  const Shape &weights = ctx.shape(0), &labels = ctx.shape(2), &inputs = ctx.shape(3);
  if (weights[0] != call.num_classes || ctx.shape(1)[0] != call.num_classes) {
    ctx.fail("weights and biases must have a row for each of ", call.num_classes,
             " classes, but their shapes are ", weights, " and ", ctx.shape(1));
  }
  if (inputs[1] != weights[1] || labels[0] != inputs[0] || labels[1] != call.num_true) {
    ctx.fail("weights ", weights, ", labels ", labels, " and inputs ", inputs,
             " do not go together for num_true = ", call.num_true);
  }
  return call;
}

// Logits of the true classes, then of the sampled ones, with labels for them: 1 / num_true and 0.
struct Sampled {
  Tensor logits, labels;
};

Tensor without_hits(const Call& call, const Tensor& sampled, const Tensor& logits) {
  auto [rows, columns, weights] = compute_accidental_hits(call.labels, sampled, call.num_true);
  const Tensor at[] = {cast(rows, DType::kInt64), columns};
  const Tensor masked = cast(weights, logits.dtype());
  return tensor_scatter_add(logits, stack(at, 1), masked);
}

Sampled sampled_logits(const Call& call) {
  const int64_t batch = call.labels.dim(0), depth = call.inputs.dim(1);
  const DType dtype = call.inputs.dtype();
  auto [sampled, true_expected, sampled_expected] =
      log_uniform_candidate_sampler(call.labels, call.num_true, call.num_sampled, true,
                                    call.num_classes, call.seed, call.seed2, call.skip);
  const Tensor true_rows = gather(call.weights, call.labels);  // [batch, num_true, depth]
  const Tensor column = reshape(call.inputs, shape_tensor(Shape{batch, 1, depth}));
  Tensor true_logits = reduce_sum(true_rows * column, {2}) + gather(call.biases, call.labels);
  Tensor other_logits = matmul(call.inputs, gather(call.weights, sampled), false, true) +
                        gather(call.biases, sampled);
  if (call.removes_hits) other_logits = without_hits(call, sampled, other_logits);
  true_logits = true_logits - log(cast(true_expected, dtype));
  other_logits = other_logits - log(cast(sampled_expected, dtype));
  const Tensor logits[] = {true_logits, other_logits};
  const Tensor labels[] = {ones_like(true_logits) / static_cast<double>(call.num_true),
                           zeros_like(other_logits)};
  return {concat(logits, 1), concat(labels, 1)};
}

Tensors compose_nce(const ComposeContext& ctx) {
  const Sampled sampled = sampled_logits(checked_call(ctx));
  return {reduce_sum(sigmoid_cross_entropy_with_logits(sampled.labels, sampled.logits), {1})};
}
Tensors compose_softmax(const ComposeContext& ctx) {
  const Sampled sampled = sampled_logits(checked_call(ctx));
  return {softmax_cross_entropy_with_logits(sampled.logits, sampled.labels)[0]};
}

std::vector<Sample> samples() {
  using enum DType;
  const auto call = [](DType dtype, int64_t num_true) {
    return std::vector<SampleInput>{of(dtype, {10, 3}), of(dtype, {10}),
                                    of(kInt64, {2, num_true}, 0, 10), of(dtype, {2, 3})};
  };
  const auto attrs = [](int num_true, bool removes) {
    return std::vector<SampleAttr>{{"num_sampled", 4},
                                   {"num_classes", 10},
                                   {"num_true", num_true},
                                   {"remove_accidental_hits", removes},
                                   {"seed", 3},
                                   {"seed2", 4}};
  };
  return {
      {call(kFloat32, 1), attrs(1, false)},
      {call(kFloat64, 2), attrs(2, false), 1e-6},  // expected counts are float32
      {call(kFloat64, 1), attrs(1, true), 1e-6, false},
      {.inputs = {f32({10000, 64}), f32({10000}), of(kInt64, {128, 1}, 0, 10000), f32({128, 64})},
       .attrs = {{"num_sampled", 64}, {"num_classes", 10000}},
       .for_speed = true},
  };
}

constexpr DTypeSet kLossTypes = DTypeSet(DType::kFloat32) | DType::kFloat64;

LateName late_nce_loss(const GraphCall&) { return {"", "sampled_losses ones MatMul"}; }

}  // namespace

PEN_OP_DEF(nce_loss) = {
    .name = "NceLoss",
    .doc = "The noise-contrastive loss of the labels against classes drawn log-uniformly.",
    .inputs = {in("weights", kLossTypes), in("biases", kLossTypes),
               in("labels", DType::kInt64, 'L'), in("inputs", kLossTypes)},
    .attrs = {int_attr("num_sampled"), int_attr("num_classes"), int_attr("num_true", 1),
              bool_attr("remove_accidental_hits", false), int_attr("seed", 0), int_attr("seed2", 0),
              int_attr("skip", -1)},
    .traits = {Trait::kStateful},
    .infer = composed,
    .compose = compose_nce,
    .grad = composed_gradient,
    .samples = samples,
    .graph_name = {.scope = "Reshape", .late = late_nce_loss},
};

PEN_OP_DEF(sampled_softmax_loss) = {
    .name = "SampledSoftmaxLoss",
    .doc = "The softmax cross entropy of the labels against classes drawn log-uniformly.",
    .inputs = {in("weights", kLossTypes), in("biases", kLossTypes),
               in("labels", DType::kInt64, 'L'), in("inputs", kLossTypes)},
    .attrs = {int_attr("num_sampled"), int_attr("num_classes"), int_attr("num_true", 1),
              bool_attr("remove_accidental_hits", true), int_attr("seed", 0), int_attr("seed2", 0),
              int_attr("skip", -1)},
    .traits = {Trait::kStateful},
    .infer = composed,
    .compose = compose_softmax,
    .grad = composed_gradient,
    .samples = samples,
    .graph_name = {"softmax_cross_entropy_with_logits", "Reshape_2"},
};

}  // namespace penstock
