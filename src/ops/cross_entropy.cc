// Cross entropy between softmax(features) and labels, given as distributions or as class numbers.
// The second output, `backprop`, is the loss's gradient with respect to the features.
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/rows.h"

namespace penstock {
namespace {

// The outputs: a loss for each row, and backprop.
void add_outputs(InferContext& ctx, int arrays) {
  const Shape& features = ctx.shape(0);
  if (!features.has_rank()) {
    ctx.add_output(ctx.dtype(0), features);
    return ctx.add_output(ctx.dtype(0), features);
  }
  Shape rows = features;
  rows.remove(features.rank() - 1);
  ctx.add_output(ctx.dtype(0), rows);
  ctx.add_output(ctx.dtype(0), features);
  if (!features.is_known()) return;
  ctx.set_scratch(kernels::row_scratch(ctx.dtype(0), kernels::rows_of(features), arrays),
                  sizeof(float));
}

void check_features(InferContext& ctx) {
  if (ctx.shape(0).rank() == 0) {
    ctx.fail("logits must have at least 1 dimension, but got shape ", ctx.shape(0));
  }
}

// `rows` (one number for each row) with an axis of size 1 at the end.
Tensor as_column(const Tensor& rows) {
  Shape shape = rows.shape();
  shape.append(1);
  return reshape(rows, shape_tensor(shape));
}

// What reaches the features through both outputs. d loss = backprop; d backprop is softmax's own.
template <typename SoftmaxFn>
Tensor features_gradient(const GradContext& g, SoftmaxFn softmax_of_features) {
  const Tensor through_loss = as_column(g.dy(0)) * g.output(1);
  if (!g.raw_dy(1).defined()) return through_loss;
  const Tensor y = softmax_of_features();
  const Tensor dy = g.dy(1);
  return through_loss + (dy - reduce_sum(dy * y, {-1}, true)) * y;
}

void infer_dense(InferContext& ctx) {
  check_features(ctx);
  if (ctx.shape(0).is_known() && ctx.shape(1).is_known() && ctx.shape(0) != ctx.shape(1)) {
    ctx.fail("logits and labels must have the same shape, but got ", ctx.shape(0), " and ",
             ctx.shape(1));
  }
  add_outputs(ctx, kernels::kCrossEntropyArrays);
}

KernelResult cpu_dense(const KernelContext& ctx) {
  kernels::cross_entropy(ctx.inputs[0], ctx.inputs[1], ctx.outputs[0], ctx.outputs[1], ctx.scratch);
  return KernelResult::ok();
}

Gradients grad_dense(const GradContext& g) {
  const Tensor& features = g.input(0);
  Gradients gradients = {{}, {}};
  if (g.needs(0)) {
    gradients[0] = features_gradient(g, [&] { return softmax(features); });
  }
  if (g.needs(1)) {
    Tensor through_loss = as_column(g.dy(0)) * -log_softmax(features);
    gradients[1] = g.raw_dy(1).defined() ? through_loss - g.dy(1) : through_loss;
  }
  return gradients;
}

std::vector<Sample> samples_dense() {
  const std::vector<double> shares = {0.2, 0.3, 0.5, 1, 0, 0};
  const auto two_rows = [&](DType dtype) { return given(dtype, {2, 3}, shares); };
  return {
      {{f32({2, 3}), two_rows(DType::kFloat32)}},
      {{f32({3}), given(DType::kFloat32, {3}, {0.25, 0.25, 0.5})}},
      {{f32({1, 2, 3}), given(DType::kFloat32, {1, 2, 3}, shares)}},
      {{f32({0, 3}), f32({0, 3})}},
      {{f32({2, 0}), f32({2, 0})}, {}, 0, false},
      {{given(DType::kFloat32, {1, 3}, {1000, 1, -1000}),
        given(DType::kFloat32, {1, 3}, {0, 1, 0})},
       {},
       0,
       false},
      {{of(DType::kFloat64, {2, 3}), two_rows(DType::kFloat64)}},
      {{of(DType::kFloat16, {2, 3}), two_rows(DType::kFloat16)}},
      {{of(DType::kBFloat16, {2, 3}), two_rows(DType::kBFloat16)}},
      {{f32({2, 35}), f32({2, 35}, 0, 0.05)}, {}, 0, false},
      {.inputs = {f32({256, 1000}), f32({256, 1000}, 0, 0.002)}, .for_speed = true},
  };
}

void infer_sparse(InferContext& ctx) {
  check_features(ctx);
  const Shape& features = ctx.shape(0);
  if (features.is_known() && ctx.shape(1).is_known()) {
    const int last = features.rank() - 1;
    Shape rows = features;
    rows.remove(last);
    if (rows != ctx.shape(1)) {
      ctx.fail("logits and labels must have the same first dimensions, got logits shape ", features,
               " and labels shape ", ctx.shape(1));
    }
    if (features[last] == 0) {
      ctx.fail("Must have at least one class, but got logits shape ", features);
    }
  }
  add_outputs(ctx, kernels::kSparseCrossEntropyArrays);
}

KernelResult cpu_sparse(const KernelContext& ctx) {
  const View& features = ctx.inputs[0];
  const View& labels = ctx.inputs[1];
  const int64_t classes = features.shape[features.shape.rank() - 1];
  const int64_t bad = kernels::first_bad_label(labels, classes);
  if (bad >= 0) {
    return KernelResult::invalid(
        "Received a label value of {} which is outside the valid range of [0, {}), at position {}",
        kernels::label_at(labels, bad), classes, bad);
  }
  kernels::sparse_cross_entropy(features, labels, ctx.outputs[0], ctx.outputs[1], ctx.scratch);
  return KernelResult::ok();
}

// backprop = softmax - one_hot(labels), so the softmax need not be kept.
Gradients grad_sparse(const GradContext& g) {
  const Tensor& backprop = g.output(1);
  return {features_gradient(g,
                            [&] {
                              const auto classes = static_cast<int32_t>(backprop.dim(-1));
                              return backprop + one_hot(g.input(1), Tensor(classes),
                                                        scalar_like(backprop, 1),
                                                        scalar_like(backprop, 0));
                            }),
          {}};
}

std::vector<Sample> samples_sparse() {
  return {
      {{f32({3, 4}), ints({0, 3, 1})}},
      {{f32({4}), given(DType::kInt64, {}, {2})}},
      {{f32({2, 2, 3}), given(DType::kInt64, {2, 2}, {0, 1, 2, 1})}},
      {{f32({0, 3}), ints({})}},
      {{f32({2, 40}), ints({39, 0})}},
      {{of(DType::kFloat64, {2, 3}), ints({0, 2})}},
      {{of(DType::kFloat16, {2, 3}), ints({0, 2})}},
      {{of(DType::kBFloat16, {2, 3}), ints({0, 2})}},
      {.inputs = {f32({256, 1000}), i32({256}, 0, 1000)}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(softmax_cross_entropy_with_logits) = {
    .name = "SoftmaxCrossEntropyWithLogits",
    .doc = "The cross entropy of softmax(features) and labels, and its gradient, row by row.",
    .inputs = {in("features", kRealFloatTypes), in("labels", kRealFloatTypes)},
    .outputs = {"loss", "backprop"},
    .forwards = {{0, 1}},
    .infer = infer_dense,
    .cpu = cpu_dense,
    .grad = grad_dense,
    .saves = {.inputs = 1, .outputs = 2},
    .samples = samples_dense,
};

PEN_OP_DEF(sparse_softmax_cross_entropy_with_logits) = {
    .name = "SparseSoftmaxCrossEntropyWithLogits",
    .doc = "The cross entropy of softmax(features) and class numbers, and its gradient.",
    .inputs = {in("features", kRealFloatTypes), in("labels", kIndexTypes, 'I')},
    .outputs = {"loss", "backprop"},
    .forwards = {{0, 1}},
    .infer = infer_sparse,
    .cpu = cpu_sparse,
    .grad = grad_sparse,
    .saves = {.inputs = 2, .outputs = 2},
    .samples = samples_sparse,
};

}  // namespace penstock
