// IsNonDecreasing, IsStrictlyIncreasing and ConfusionMatrix.
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

template <bool strictly>
Tensors compose_order(const ComposeContext& ctx) {
  const Tensor x = reshape(ctx.tensor(0), Tensor({int64_t{-1}}));
  const int64_t n = x.dim(0);
  if (n < 2) return {Tensor(true)};
  const Tensor count({n - 1});
  const Tensor first = slice(x, Tensor({int64_t{0}}), count);
  const Tensor second = slice(x, Tensor({int64_t{1}}), count);
  return {reduce_all(strictly ? less(first, second) : less_equal(first, second))};
}

// The largest class plus 1; 0 for empty tensors.
Tensor count_classes(const Tensor& labels, const Tensor& predictions) {
  const Tensor largest = maximum(reduce_max(labels), reduce_max(predictions));
  return maximum(largest, scalar_like(largest, -1)) + 1;
}

Tensors compose_confusion(const ComposeContext& ctx) {
  const Tensor labels = cast(ctx.tensor(0), DType::kInt64);
  const Tensor predictions = cast(ctx.tensor(1), DType::kInt64);
  const int64_t given_classes = ctx.attr(0).as_int();
  const DType dtype = ctx.attr(1).as_dtype();
  ctx.check_rank(0, 1);
  ctx.check_rank(1, 1);
  if (labels.shape() != predictions.shape()) {
    ctx.fail("labels and predictions must have the same shape: ", labels.shape(), " vs. ",
             predictions.shape());
  }
  if (given_classes < -1) ctx.fail("num_classes must not be negative: ", given_classes);
  if (!kNumberTypes.has(dtype)) ctx.fail_type("cannot count in ", dtype);
  const Tensor classes =
      given_classes >= 0 ? Tensor(given_classes) : count_classes(labels, predictions);
  const Tensor pair[] = {labels, predictions};
  const Tensor sizes[] = {classes, classes};
  return {scatter_nd(stack(pair, 1), ones(dtype, labels.shape()), stack(sizes))};
}

std::vector<Sample> order_samples() {
  std::vector<Sample> samples = {
      {{given(DType::kFloat32, {2, 2}, {1, 2, 2, 3})}},
      {{given(DType::kFloat32, {3}, {1, 2, 3})}},
      {{given(DType::kFloat64, {3}, {3, 2, 1})}},
      {{given(DType::kInt32, {4}, {-3, 2, 10, 11})}},
      {{given(DType::kUInt8, {2}, {255, 0})}},
      {{given(DType::kFloat16, {2}, {1, 1})}},
      {{f32({0, 3})}},
      {{f32({})}},
      {.inputs = {f32({1 << 20})}, .for_speed = true},
  };
  return samples;
}
std::vector<Sample> confusion_samples() {
  return {
      {{ints({1, 2, 4}), ints({2, 2, 4})}},
      {{ints({1, 2, 1, 1}), ints({2, 2, 1, 1})}, {{"num_classes", 6}}},
      {{given(DType::kInt64, {3}, {0, 1, 1}), given(DType::kInt64, {3}, {0, 0, 1})},
       {{"dtype", DType::kFloat32}}},
      {{ints({}), ints({})}},
      {.inputs = {of(DType::kInt32, {1 << 16}, 0, 100), of(DType::kInt32, {1 << 16}, 0, 100)},
       .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(is_non_decreasing) = {
    .name = "IsNonDecreasing",
    .doc = "Whether no element is less than the one before it.",
    .inputs = {in("x", kRealTypes)},
    .infer = composed,
    .compose = compose_order<false>,
    .grad = no_gradient,
    .samples = order_samples,
    .graph_name = {"is_non_decreasing", "All"},
};

PEN_OP_DEF(is_strictly_increasing) = {
    .name = "IsStrictlyIncreasing",
    .doc = "Whether every element is more than the one before it.",
    .inputs = {in("x", kRealTypes)},
    .infer = composed,
    .compose = compose_order<true>,
    .grad = no_gradient,
    .samples = order_samples,
    .graph_name = {"is_strictly_increasing", "All"},
};

PEN_OP_DEF(confusion_matrix) = {
    .name = "ConfusionMatrix",
    .doc = "How often each class (row) was predicted as each class (column).",
    .inputs = {in("labels", kIndexTypes), in("predictions", kIndexTypes)},
    .attrs = {int_attr("num_classes", -1), dtype_attr("dtype", DType::kInt32)},
    .infer = composed,
    .compose = compose_confusion,
    .grad = no_gradient,
    .samples = confusion_samples,
    .graph_name = {"confusion_matrix", "ScatterNd"},
};

}  // namespace penstock
