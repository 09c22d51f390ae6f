// Identity, StopGradient, ExpandDims and Squeeze: the same data, at most under another shape.
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

void infer_same(InferContext& ctx) { ctx.share_output(ctx.shape(0)); }

Gradients grad_same(const GradContext& g) { return {g.raw_dy()}; }

void infer_expand_dims(InferContext& ctx) {
  Shape shape = ctx.shape(0);
  if (!shape.has_rank()) return ctx.share_output(shape);
  const int64_t axis = ctx.attr(0).as_int();
  const int rank = shape.rank();
  if (axis < -rank - 1 || axis > rank) {
    ctx.fail("Tried to expand dim index ", axis, " for tensor with ", rank, " dimensions.");
  }
  shape.insert(static_cast<int>(axis < 0 ? axis + rank + 1 : axis), 1);
  ctx.share_output(shape);
}

void infer_squeeze(InferContext& ctx) {
  const Shape& shape = ctx.shape(0);
  const std::span<const int64_t> axes = ctx.attr(0).as_ints();
  if (!shape.has_rank() || (axes.empty() && !shape.is_known())) {
    return ctx.share_output(Shape::unknown_rank());
  }
  uint32_t chosen = axes.empty() ? ~0u : 0;
  for (int64_t axis : axes) chosen |= 1u << ctx.axis(axis, shape.rank());  // repeats are no error
  Shape squeezed;
  for (int i = 0; i < shape.rank(); ++i) {
    const bool is_chosen = ((chosen >> i) & 1) != 0;
    if (is_chosen && !axes.empty() && shape[i] != 1 && shape[i] != kUnknownDim) {
      ctx.fail("Can not squeeze dim[", i, "], expected a dimension of 1, got ", shape[i]);
    }
    if (!is_chosen || (axes.empty() && shape[i] != 1)) squeezed.append(shape[i]);
  }
  ctx.share_output(squeezed);
}

Gradients grad_reshape(const GradContext& g) { return {reshape(g.dy(), shape_tensor(g.input(0)))}; }

std::vector<Sample> same_samples() {
  return {
      {{f32({2, 3})}},
      {{f32({})}},
      {{f32({0, 2})}},
      {{of(DType::kFloat16, {3})}},
      {{of(DType::kInt64, {3})}},
      {{of(DType::kBool, {3})}},
      {{of(DType::kComplex64, {3})}},
      {{of(DType::kString, {3})}},
  };
}

std::vector<Sample> expand_dims_samples() {
  return {
      {{f32({2, 3})}, {{"axis", 0}}},
      {{f32({2, 3})}, {{"axis", 2}}},
      {{f32({2, 3})}, {{"axis", -1}}},
      {{f32({2, 3})}, {{"axis", -3}}},
      {{of(DType::kFloat64, {})}, {{"axis", 0}}},
      {{of(DType::kInt32, {0})}, {{"axis", 1}}},
      {{of(DType::kString, {2})}, {{"axis", 1}}},
  };
}

std::vector<Sample> squeeze_samples() {
  using Axes = std::vector<int64_t>;
  return {
      {{f32({1, 3, 1})}},
      {{f32({1, 3, 1})}, {{"axis", Axes{0}}}},
      {{f32({1, 3, 1, 1})}, {{"axis", Axes{-1, 0}}}},
      {{of(DType::kComplex128, {1, 1})}},
      {{of(DType::kInt64, {2, 3})}},
      {{of(DType::kBool, {1, 0})}},
      {{of(DType::kString, {1, 2})}, {{"axis", Axes{-2}}}},
      {{of(DType::kBFloat16, {})}},
  };
}

}  // namespace

PEN_OP_DEF(identity) = {
    .name = "Identity",
    .doc = "The same tensor; shares its data.",
    .inputs = {in("input", kAnyType)},
    .traits = {Trait::kElementwise, Trait::kSparseGrad},
    .infer = infer_same,
    .grad = grad_same,
    .samples = same_samples,
};

PEN_OP_DEF(stop_gradient) = {
    .name = "StopGradient",
    .doc = "The same tensor, which no gradient flows through; shares its data.",
    .inputs = {in("input", kAnyType)},
    .traits = {Trait::kElementwise},
    .infer = infer_same,
    .grad = no_gradient,
    .samples = same_samples,
};

PEN_OP_DEF(expand_dims) = {
    .name = "ExpandDims",
    .doc = "The same values with an axis of one element more.",
    .inputs = {in("input", kAnyType)},
    .attrs = {int_attr("axis")},
    .traits = {Trait::kMoves, Trait::kCannotFail},
    .infer = infer_expand_dims,
    .grad = grad_reshape,
    .samples = expand_dims_samples,
    .graph_name = {.attr_inputs = {{"axis", "dim"}}},
};

PEN_OP_DEF(squeeze) = {
    .name = "Squeeze",
    .doc = "The same values without axes of one element: those listed, or all.",
    .inputs = {in("input", kAnyType)},
    .attrs = {ints_attr("axis", kNoInts)},
    .traits = {Trait::kMoves, Trait::kCannotFail},
    .infer = infer_squeeze,
    .grad = grad_reshape,
    .samples = squeeze_samples,
};

}  // namespace penstock
