// Cross entropy between softmax(features) and labels, given as distributions or as class numbers.
// The second output, `backprop`, is the loss's gradient with respect to the features.
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/broadcast_to.h"
#include "kernels/rows.h"

namespace penstock {
namespace {

// The outputs: a loss for each row of `features`, and backprop.
void add_outputs(InferContext& ctx, const Shape& features) {
  if (!features.has_rank()) {
    ctx.add_output(ctx.dtype(0), features);
    return ctx.add_output(ctx.dtype(0), features);
  }
  Shape rows = features;
  rows.remove(features.rank() - 1);
  ctx.add_output(ctx.dtype(0), rows);
  ctx.add_output(ctx.dtype(0), features);
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

// The gradient of the features through both outputs. d loss = backprop; d backprop is softmax's
// own.
template <typename SoftmaxFn>
Tensor features_gradient(const GradContext& g, SoftmaxFn softmax_of_features) {
  const Tensor through_loss = as_column(g.dy(0)) * g.output(1);
  if (!g.raw_dy(1).defined()) return through_loss;
  const Tensor y = softmax_of_features();
  const Tensor dy = g.dy(1);
  return through_loss + (dy - reduce_sum(dy * y, {-1}, true)) * y;
}

// Scratch that the rows need, rounded up so that whole arrays can follow.
int64_t rows_bytes(DType dtype, const Shape& rows) {
  const int64_t floats =
      kernels::row_scratch(dtype, kernels::rows_of(rows), kernels::kCrossEntropyArrays);
  return (floats * static_cast<int64_t>(sizeof(float)) + 15) / 16 * 16;
}

// Inputs that need broadcasting are broadcast into scratch.
void infer_dense(InferContext& ctx) {
  Shape rows;
  if (!broadcast_shapes(ctx.shape(0), ctx.shape(1), &rows)) {
    ctx.fail("logits and labels must be broadcastable: logits_size=", ctx.shape(0),
             " labels_size=", ctx.shape(1));
  }
  if (rows.rank() == 0)
    ctx.fail("logits and labels must have at least 1 dimension, but got shape ", rows);
  add_outputs(ctx, rows);
  if (!rows.is_known()) return;
  int64_t bytes = rows_bytes(ctx.dtype(0), rows);
  for (size_t i : {0, 1}) {
    if (ctx.shape(i) != rows) bytes += (rows.num_bytes(dtype_size(ctx.dtype(0))) + 15) / 16 * 16;
  }
  ctx.set_scratch(bytes);
}

KernelResult cpu_dense(const KernelContext& ctx) {
  const View& backprop = ctx.outputs[1];
  View views[] = {ctx.inputs[0], ctx.inputs[1]};
  char* free = static_cast<char*>(ctx.scratch) + rows_bytes(backprop.dtype, backprop.shape);
  for (View& view : views) {
    if (view.shape == backprop.shape) continue;
    const View wide{free, view.dtype, backprop.shape};
    free += (backprop.shape.num_bytes(dtype_size(view.dtype)) + 15) / 16 * 16;
    if (wide.size() > 0) kernels::broadcast_to(view, wide);
    view = wide;
  }
  kernels::cross_entropy(views[0], views[1], ctx.outputs[0], backprop, ctx.scratch);
  return KernelResult::ok();
}

Gradients grad_dense(const GradContext& g) {
  const Shape& rows = g.output(1).shape();
  const auto features = [&] {
    const Tensor& given = g.input(0);
    return given.shape() == rows ? given : broadcast_to(given, shape_tensor(rows));
  };
  Gradients gradients = {{}, {}};
  if (g.needs(0)) {
    const Tensor whole = features_gradient(g, [&] { return softmax(features()); });
    gradients[0] = sum_to_like(whole, g.input(0));
  }
  if (g.needs(1)) {
    Tensor through_loss = as_column(g.dy(0)) * -log_softmax(features());
    if (g.raw_dy(1).defined()) through_loss = through_loss - g.dy(1);
    gradients[1] = sum_to_like(through_loss, g.input(1));
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
      {{f32({2, 3}), given(DType::kFloat32, {1, 3}, {0.2, 0.3, 0.5})}},
      {{f32({3}), two_rows(DType::kFloat32)}},
      {{of(DType::kFloat64, {2, 1}), two_rows(DType::kFloat64)}},
      {{of(DType::kBFloat16, {2, 3}), given(DType::kBFloat16, {}, {0.5})}, {}, 0, false},
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
  // There is a label for each row.
  Shape together = features;
  for (int i = 0; i < ctx.shape(1).rank() && i + 1 < together.rank(); ++i) {
    if (together[i] == kUnknownDim) together.set(i, ctx.shape(1)[i]);
  }
  add_outputs(ctx, together);
  if (!features.is_known()) return;
  ctx.set_scratch(kernels::row_scratch(ctx.dtype(0), kernels::rows_of(features),
                                       kernels::kSparseCrossEntropyArrays),
                  sizeof(float));
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
    .graph_name = {.result = "*"},
};

}  // namespace penstock
