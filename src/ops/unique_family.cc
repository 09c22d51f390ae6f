// UniqueWithCounts, UniqueV2, UniqueWithCountsV2: distinct elements or slices, and their counts.
// UniqueRows finds slices. ListDiff: the elements of one list that are not in another.
#include <cstring>

#include <penstock/memory/strings.h>
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

#include "kernels/indices.h"
#include "kernels/move.h"
#include "kernels/unique.h"

namespace penstock {
namespace {

DType index_type(const InferContext& ctx, const Attr& attr, int64_t count) {
  const DType out_idx = attr.as_dtype();
  if (!kIndexTypes.has(out_idx)) ctx.fail_type("out_idx must be int32 or int64, but is ", out_idx);
  if (out_idx == DType::kInt32 && count > INT32_MAX) {
    ctx.fail("does not support input tensors larger than ", INT32_MAX,
             " elements: give out_idx int64");
  }
  return out_idx;
}

void set_slots(InferContext& ctx, int64_t count) {
  if (count != kUnknownDim) {
    ctx.set_scratch(kernels::unique_slots(count), kernels::unique_slot_bytes(count));
  }
}

void put(const View& out, int64_t i, int64_t value) {
  if (out.dtype == DType::kInt32) {
    out.as<int32_t>()[i] = static_cast<int32_t>(value);
  } else {
    out.as<int64_t>()[i] = value;
  }
}

// counts[k] = how many of `places` are k, for k below `found`.
void count_places(const View& places, const View& counts, int64_t found) {
  for (int64_t k = 0; k < found; ++k) put(counts, k, 0);
  const int64_t size = places.size();
  for (int64_t i = 0; i < size; ++i) {
    const int64_t k = kernels::index_at(places, i);
    put(counts, k, kernels::index_at(counts, k) + 1);
  }
}

void infer_counts(InferContext& ctx) {
  if (ctx.shape(0).has_rank() && ctx.shape(0).rank() != 1) {
    ctx.fail("unique expects a 1D vector, but got shape ", ctx.shape(0));
  }
  const Shape shape = ctx.shape(0).has_rank() ? ctx.shape(0) : Shape{kUnknownDim};
  const DType out_idx = index_type(ctx, ctx.attr(0), shape[0]);
  ctx.add_bounded_output(ctx.dtype(0), shape);
  ctx.add_output(out_idx, shape);
  ctx.add_bounded_output(out_idx, shape);
  set_slots(ctx, shape[0]);
}

KernelResult cpu_counts(const KernelContext& ctx) {
  const int64_t found =
      kernels::unique(ctx.inputs[0], ctx.outputs[0], ctx.outputs[1], ctx.scratch, string_text);
  count_places(ctx.outputs[1], ctx.outputs[2], found);
  ctx.outputs[0].shape = ctx.outputs[2].shape = Shape{found};
  return KernelResult::ok();
}

void infer_rows(InferContext& ctx) {
  const Shape& shape = ctx.shape(0);
  if (shape.rank() == 0) ctx.fail("needs at least one axis");
  const int64_t rows = shape.has_rank() ? shape[0] : kUnknownDim;
  const DType out_idx = index_type(ctx, ctx.attr(0), rows);
  ctx.add_bounded_output(out_idx, Shape{rows});
  ctx.add_output(out_idx, Shape{rows});
  ctx.add_bounded_output(out_idx, Shape{rows});
  set_slots(ctx, rows);
}

KernelResult cpu_rows(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  const int64_t found =
      kernels::unique_rows(x, x.shape[0], ctx.outputs[0], ctx.outputs[1], ctx.scratch, string_text);
  count_places(ctx.outputs[1], ctx.outputs[2], found);
  ctx.outputs[0].shape = ctx.outputs[2].shape = Shape{found};
  return KernelResult::ok();
}

// Slices along an axis are rows once that axis is the first.
std::array<Tensor, 3> unique_slices(const ComposeContext& ctx) {
  const IntVector axes = ctx.values(1);
  const Tensor& x = ctx.tensor(0);
  const DType out_idx = ctx.attr(0).as_dtype();
  if (axes.size() > 1) ctx.fail("axis does not support input tensors larger than 1 elements");
  if (axes.empty() || (x.rank() == 1 && ctx.axis(axes[0], 1) == 0)) {
    return unique_with_counts(x, out_idx);
  }
  const int axis = ctx.axis(axes[0], x.rank());
  IntVector perm = {axis};
  for (int i = 0; i < x.rank(); ++i) {
    if (i != axis) perm.push_back(i);
  }
  const auto [first, places, counts] =
      unique_rows(transpose(x, std::span<const int64_t>(perm)), out_idx);
  return {gather(x, first, axis), places, counts};
}

Tensors compose_v2(const ComposeContext& ctx) {
  const auto found = unique_slices(ctx);
  return {found[0], found[1]};
}

Tensors compose_counts_v2(const ComposeContext& ctx) {
  const auto found = unique_slices(ctx);
  return {found[0], found[1], found[2]};
}

void infer_diff(InferContext& ctx) {
  ctx.check_rank(0, 1);
  ctx.check_rank(1, 1);
  const Shape shape = ctx.shape(0).has_rank() ? ctx.shape(0) : Shape{kUnknownDim};
  const DType out_idx = index_type(ctx, ctx.attr(0), shape[0]);
  ctx.add_bounded_output(ctx.dtype(0), shape);
  ctx.add_bounded_output(out_idx, shape);
  if (ctx.shape(1).has_rank()) set_slots(ctx, ctx.shape(1)[0]);
}

KernelResult cpu_diff(const KernelContext& ctx) {
  const int64_t found = kernels::list_difference(ctx.inputs[0], ctx.inputs[1], ctx.outputs[0],
                                                 ctx.outputs[1], ctx.scratch, string_text);
  ctx.outputs[0].shape = ctx.outputs[1].shape = Shape{found};
  return KernelResult::ok();
}

SampleInput texts() {
  SampleInput input = {DType::kString, {5}};
  input.strings = {"b", "a", "", "b", ""};
  return input;
}

std::vector<Sample> list_samples() {
  return {
      {{ints({3, 1, 3, 2, 1})}},
      {{ints({3, 1, 3, 2, 1})}, {{"out_idx", DType::kInt64}}},
      {{i32({0})}},
      {{of(DType::kInt64, {30}, -4, 5)}},
      {{of(DType::kUInt8, {12}, 0, 4)}},
      {{of(DType::kBool, {5})}},
      {{given(DType::kFloat32, {5}, {1.5, -0.0, 0, 2, 1.5})}},
      {{given(DType::kFloat16, {4}, {1, 2, 1, 3})}},
      {{given(DType::kComplex64, {4}, {1, 2, 1, 3})}},
      {{texts()}},
      {{i32({100000}, 0, 5000)}, {}, 0, true, true},
  };
}

std::vector<Sample> row_samples() {
  SampleInput words = {DType::kString, {3, 2}};
  words.strings = {"b", "a", "", "b", "b", "a"};
  return {
      {{given(DType::kInt32, {4, 2}, {1, 2, 3, 4, 1, 2, 1, 3})}},
      {{given(DType::kFloat32, {3, 2}, {0, 1, -0.0, 1, 1, 0})}, {{"out_idx", DType::kInt64}}},
      {{of(DType::kBool, {6, 1, 2})}},
      {{i32({3, 0})}},
      {{i32({0, 3})}},
      {{words}},
      {{i32({10000, 4}, 0, 10)}, {}, 0, true, true},
  };
}

std::vector<Sample> axis_samples() {
  const SampleInput none = i32({0});
  const SampleInput table = given(DType::kInt32, {2, 4}, {1, 2, 1, 1, 3, 4, 3, 5});
  return {
      {{ints({3, 1, 3, 2, 1}), none}},
      {{ints({3, 1, 3, 2, 1}), given(DType::kInt64, {1}, {0})}, {{"out_idx", DType::kInt64}}},
      {{table, ints({1})}},
      {{table, ints({-2})}},
      {{given(DType::kFloat64, {2, 2, 2}, {1, 2, 1, 2, 3, 4, 3, 4}), ints({1})}},
      {{texts(), ints({0})}},
      {{i32({4, 10000}, 0, 10), ints({1})}, {}, 0, true, true},
  };
}

std::vector<Sample> diff_samples() {
  SampleInput other = {DType::kString, {2}};
  other.strings = {"a", "x"};
  return {
      {{ints({1, 2, 3, 4, 5, 6, 2}), ints({1, 3, 5})}},
      {{ints({1, 2, 1}), i32({0})}, {{"out_idx", DType::kInt64}}},
      {{i32({0}), ints({1})}},
      {{given(DType::kFloat32, {3}, {1, 0, 2.5}), given(DType::kFloat32, {2}, {-0.0, 1})}},
      {{of(DType::kUInt8, {5}, 0, 5), of(DType::kUInt8, {3}, 0, 5)}},
      {{of(DType::kInt64, {5}, 0, 5), of(DType::kInt64, {3}, 0, 5)}},
      {{given(DType::kComplex64, {3}, {1, 2, 3}), given(DType::kComplex64, {1}, {2})}},
      {{texts(), other}},
      {{i32({100000}, 0, 5000), i32({1000}, 0, 5000)}, {}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(unique_with_counts) = {
    .name = "UniqueWithCounts",
    .doc = "The distinct elements of x, for every element its place among them, and their counts.",
    .inputs = {in("x", kAnyType)},
    .attrs = {dtype_attr("out_idx", DType::kInt32)},
    .outputs = {"y", "idx", "count"},
    .traits = {Trait::kDynamicShape},
    .infer = infer_counts,
    .cpu = cpu_counts,
    .grad = missing_gradient,
    .samples = list_samples,
};

PEN_OP_DEF(unique_rows) = {
    .name = "UniqueRows",
    .doc =
        "Where the distinct slices along the first axis come first, for every slice its place "
        "among them, and their counts.",
    .inputs = {in("x", kAnyType)},
    .attrs = {dtype_attr("out_idx", DType::kInt32)},
    .outputs = {"first", "idx", "count"},
    .traits = {Trait::kDynamicShape},
    .infer = infer_rows,
    .cpu = cpu_rows,
    .grad = missing_gradient,
    .samples = row_samples,
};

PEN_OP_DEF(unique_v2) = {
    .name = "UniqueV2",
    .doc = "The distinct slices of x along an axis, and for every slice its place among them.",
    .inputs = {in("x", kAnyType), host("axis", kIndexTypes)},
    .attrs = {dtype_attr("out_idx", DType::kInt32)},
    .outputs = {"y", "idx"},
    .infer = composed,
    .compose = compose_v2,
    .grad = missing_gradient,
    .samples = axis_samples,
};

PEN_OP_DEF(unique_with_counts_v2) = {
    .name = "UniqueWithCountsV2",
    .doc =
        "The distinct slices of x along an axis, for every slice its place among them, and "
        "their counts.",
    .inputs = {in("x", kAnyType), host("axis", kIndexTypes)},
    .attrs = {dtype_attr("out_idx", DType::kInt32)},
    .outputs = {"y", "idx", "count"},
    .infer = composed,
    .compose = compose_counts_v2,
    .grad = missing_gradient,
    .samples = axis_samples,
};

PEN_OP_DEF(setdiff1d) = {
    .name = "ListDiff",
    .doc = "The elements of x that y does not have, in their order, and where they are in x.",
    .inputs = {in("x", kAnyType), in("y", kAnyType)},
    .attrs = {dtype_attr("out_idx", DType::kInt32)},
    .outputs = {"out", "idx"},
    .traits = {Trait::kDynamicShape},
    .infer = infer_diff,
    .cpu = cpu_diff,
    .grad = missing_gradient,
    .samples = diff_samples,
};

}  // namespace penstock
