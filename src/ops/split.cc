// Split, SplitV: a tensor cut along an axis, into equal parts or parts of given sizes.
#include <penstock/base/checked.h>
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/move.h"

namespace penstock {
namespace {

// Adds the outputs; parts along the leading axis share the input's data.
void add_parts(InferContext& ctx, int axis, std::span<const int64_t> sizes) {
  const Shape& whole = ctx.shape(0);
  const bool shares = whole.is_known() && kernels::product(whole, 0, axis) == 1;
  int64_t offset = 0;
  for (int64_t size : sizes) {
    Shape shape = whole;
    shape.set(axis, size);
    if (shares) {
      ctx.share_output(shape, 0, offset);
      offset += shape.num_bytes(dtype_size(ctx.dtype(0)));
    } else {
      ctx.add_output(ctx.dtype(0), shape);
    }
  }
}

void add_unknown_parts(InferContext& ctx, int64_t count) {
  for (int64_t i = 0; i < count; ++i) ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
}

void infer_split(InferContext& ctx) {
  const int64_t parts = ctx.attr(0).as_int();
  if (parts < 1) ctx.fail("Number of ways to split should be > 0, but got ", parts);
  if (!ctx.shape(0).has_rank()) return add_unknown_parts(ctx, parts);
  const int axis = ctx.axis(ctx.attr(1).as_int(), ctx.shape(0).rank());
  const int64_t size = ctx.shape(0)[axis];
  if (size != kUnknownDim && size % parts != 0) {
    ctx.fail("Number of ways to split should evenly divide the split dimension, but got axis ",
             axis, " (size = ", size, ") and num_split ", parts);
  }
  // An empty axis can be split into any number of parts; no call needs more than these.
  constexpr int64_t kMaxParts = 1 << 20;
  if (parts > kMaxParts) ctx.fail("num_split is at most ", kMaxParts, ", but got ", parts);
  IntVector sizes;
  for (int64_t i = 0; i < parts; ++i) {
    sizes.push_back(size == kUnknownDim ? kUnknownDim : size / parts);
  }
  add_parts(ctx, axis, sizes);
}

void infer_split_v(InferContext& ctx) {
  const std::span<const int64_t> wanted = ctx.attr(0).as_ints();
  if (!ctx.shape(0).has_rank()) return add_unknown_parts(ctx, static_cast<int64_t>(wanted.size()));
  const int axis = ctx.axis(ctx.attr(1).as_int(), ctx.shape(0).rank());
  const int64_t whole = ctx.shape(0)[axis];
  IntVector sizes;
  int64_t sum = 0;
  int free_part = -1;
  for (int64_t size : wanted) {
    if (size == -1 && free_part >= 0) ctx.fail("There can only be one -1 in size_splits");
    if (size < -1) ctx.fail("a size cannot be negative, but size_splits has ", size);
    if (size == -1) {
      free_part = static_cast<int>(sizes.size());
    } else if (!checked_add(sum, size, &sum)) {
      ctx.fail("the sum of size_splits overflows");
    }
    sizes.push_back(size);
  }
  const bool fits = free_part >= 0 ? sum <= whole : sum == whole;
  if (whole != kUnknownDim && !fits) {
    ctx.fail("Determined shape must either match input shape along axis ", axis,
             " exactly if fully specified, or be less than the size of the input along it if not: ",
             "the sizes add up to ", sum, ", the input has ", whole);
  }
  if (free_part >= 0 && whole != kUnknownDim) sizes[static_cast<size_t>(free_part)] = whole - sum;
  add_parts(ctx, axis, sizes);
}

KernelResult cpu(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  if (in.size() == 0) return KernelResult::ok();
  const int64_t given_axis = ctx.attrs[1].as_int();
  const int axis = static_cast<int>(given_axis < 0 ? given_axis + in.shape.rank() : given_axis);
  const kernels::AxisParts whole = kernels::parts_at(in.shape, axis);
  int64_t start = 0;
  for (const View& out : ctx.outputs) {
    const int64_t run = out.shape[axis] * whole.inner;
    kernels::Move part;
    part.add(whole.outer, whole.size * whole.inner, run);
    part.add(run, 1, 1);
    part.from_start = start;
    kernels::move(part, in.data, out.data, dtype_size(in.dtype));
    start += run;
  }
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) {
  if (g.num_outputs() == 0) return {zeros_like(g.input(0))};
  Tensors dys;
  for (size_t i = 0; i < g.num_outputs(); ++i) dys.push_back(g.dy(i));
  return {concat(std::span<const Tensor>(dys), g.attr(1).as_int())};
}

std::vector<Sample> split_samples() {
  return {
      {{f32({4, 3})}, {{"num_split", 2}}},
      {{f32({2, 6})}, {{"num_split", 3}, {"axis", 1}}},
      {{of(DType::kFloat64, {2, 4, 2})}, {{"num_split", 2}, {"axis", -2}}},
      {{of(DType::kInt64, {4})}, {{"num_split", 4}}},
      {{of(DType::kUInt8, {2, 4})}, {{"num_split", 2}, {"axis", 1}}},
      {{of(DType::kComplex64, {2, 2})}, {{"num_split", 2}, {"axis", 1}}},
      {{of(DType::kString, {2, 2})}, {{"num_split", 2}, {"axis", 1}}},
      {{f32({0, 2})}, {{"num_split", 2}}},
      {{f32({512, 512})}, {{"num_split", 4}, {"axis", 1}}, 0, true, true},
  };
}

std::vector<Sample> split_v_samples() {
  using Sizes = std::vector<int64_t>;
  return {
      {{f32({4, 3})}, {{"size_splits", Sizes{1, 3}}}},
      {{f32({2, 6})}, {{"size_splits", Sizes{1, -1, 3}}, {"axis", 1}}},
      {{of(DType::kFloat16, {2, 4})}, {{"size_splits", Sizes{0, 4}}, {"axis", -1}}},
      {{of(DType::kInt32, {3})}, {{"size_splits", Sizes{3}}}},
      {{of(DType::kBool, {2, 3})}, {{"size_splits", Sizes{2, 1}}, {"axis", 1}}},
      {{of(DType::kString, {2, 3})}, {{"size_splits", Sizes{2, 1}}, {"axis", 1}}},
      {{f32({512, 512})}, {{"size_splits", Sizes{100, 412}}, {"axis", 1}}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(split) = {
    .name = "Split",
    .doc = "A tensor cut into equal parts along an axis.",
    .inputs = {in("value", kAnyType)},
    .attrs = {int_attr("num_split"), int_attr("axis", 0)},
    .traits = {Trait::kMoves, Trait::kManyOutputs},
    .infer = infer_split,
    .cpu = cpu,
    .grad = grad,
    .samples = split_samples,
    .graph_name = {.scope = "split", .attr_inputs = {{"axis", "split_dim"}}},
};

PEN_OP_DEF(split_v) = {
    .name = "SplitV",
    .doc = "A tensor cut along an axis into parts of the given sizes, one of which may be -1.",
    .inputs = {in("value", kAnyType)},
    .attrs = {ints_attr("size_splits"), int_attr("axis", 0)},
    .traits = {Trait::kMoves, Trait::kManyOutputs},
    .infer = infer_split_v,
    .cpu = cpu,
    .grad = grad,
    .samples = split_v_samples,
    .graph_name = {.scope = "split",
                   .attr_inputs = {{"size_splits", "Const"}, {"axis", "split_dim"}}},
};

}  // namespace penstock
