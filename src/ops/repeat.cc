// Repeat: repeats every slice along an axis.
#include <algorithm>

#include <penstock/base/checked.h>
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

#include "kernels/move.h"

namespace penstock {
namespace {

// The resulting number of slices.
int64_t total_of(const ComposeContext& ctx, const IntVector& repeats, int64_t size) {
  const bool is_list = repeats.size() != 1;
  if (is_list && static_cast<int64_t>(repeats.size()) != size) {
    ctx.fail("repeats must have one element or ", size, ", but has ", repeats.size());
  }
  int64_t total = 0;
  for (int64_t count : repeats) {
    if (count < 0) ctx.fail("repeats must not be negative, but has ", count);
    if (!checked_add(total, count, &total)) ctx.fail_size("the number of repetitions");
  }
  if (!is_list && !checked_mul(total, size, &total)) ctx.fail_size("the number of repetitions");
  return total;
}

// The same number of times each: a new axis, broadcast.
Tensor repeat_all(const Tensor& data, int axis, int64_t count, const Shape& repeated) {
  const int64_t outer = kernels::product(data.shape(), 0, axis + 1);
  const int64_t inner = kernels::product(data.shape(), axis + 1, data.rank());
  const Tensor rows = reshape(data, shape_tensor(Shape{outer, 1, inner}));
  return reshape(broadcast_to(rows, shape_tensor(Shape{outer, count, inner})),
                 shape_tensor(repeated));
}

Tensor repeat_each(const Tensor& data, int axis, const IntVector& repeats, int64_t total) {
  const Tensor picks = Tensor::empty(DType::kInt64, Shape{total});
  int64_t* to = picks.view().as<int64_t>();
  for (size_t i = 0; i < repeats.size(); ++i) {
    to = std::fill_n(to, repeats[i], static_cast<int64_t>(i));
  }
  // A negative axis: with the first axis given as 0 the gradient would be sparse.
  return gather(data, picks, axis - data.rank());
}

// The known part with open dimensions: all sizes except the axis's are the data's.
void infer(InferContext& ctx) {
  const std::span<const int64_t> axes = ctx.attr(0).as_ints();
  const bool is_flat = !is_given(axes);
  Shape shape = is_flat ? Shape{kUnknownDim} : ctx.shape(0);
  if (!shape.has_rank() || (!is_flat && axes.size() != 1))
    return ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
  const int axis = is_flat ? 0 : ctx.axis(axes[0], shape.rank());
  if (is_flat && ctx.shape(0).is_known()) shape.set(0, ctx.shape(0).num_elements());
  bool known = false;
  const IntVector repeats = ctx.ints(1, &known);
  int64_t total = known ? 0 : kUnknownDim;
  for (int64_t count : repeats) {
    if (count < 0 || !checked_add(total, count, &total))
      ctx.fail("cannot repeat ", count, " times");
  }
  if (known && repeats.size() == 1 &&
      (shape[axis] == kUnknownDim || !checked_mul(total, shape[axis], &total)))
    total = kUnknownDim;
  shape.set(axis, total);
  ctx.add_output(ctx.dtype(0), shape);
}

Tensors compose(const ComposeContext& ctx) {
  Tensor data = ctx.tensor(0);
  const std::span<const int64_t> axes = ctx.attr(0).as_ints();
  const bool is_flat = !is_given(axes);
  if (!is_flat && axes.size() != 1) ctx.fail("takes one axis, but got ", axes.size());
  if (is_flat) data = reshape(data, shape_tensor(Shape{data.num_elements()}));
  const int axis = is_flat ? 0 : ctx.axis(axes[0], data.rank());
  const IntVector repeats = ctx.values(1);
  const int64_t total = total_of(ctx, repeats, data.dim(axis));
  Shape repeated = data.shape();
  repeated.set(axis, total);
  if (data.num_elements() == 0) return {reshape(data, shape_tensor(repeated))};
  return {repeats.size() == 1 ? repeat_all(data, axis, repeats[0], repeated)
                              : repeat_each(data, axis, repeats, total)};
}

std::vector<Sample> samples() {
  const SampleInput two = given(DType::kInt32, {}, {2});
  return {
      {{f32({3}), two}},
      {{f32({2, 3}), two}},
      {{f32({2, 3}), two}, {{"axis", {0}}}},
      {{f32({2, 3}), ints({2, 0, 3})}, {{"axis", {-1}}}},
      {{f32({2, 3}), given(DType::kInt64, {1}, {3})}, {{"axis", {1}}}},
      {{f32({2, 2}), ints({1, 0, 2, 1})}},
      {{f32({2, 3, 2}), ints({0, 1, 2})}, {{"axis", {1}}}},
      {{f32({}), two}},
      {{f32({0, 3}), two}, {{"axis", {1}}}},
      {{of(DType::kFloat64, {2}), given(DType::kInt32, {}, {0})}},
      {{of(DType::kBFloat16, {2}), ints({1, 2})}},
      {{of(DType::kInt64, {2}), ints({1, 2})}},
      {{of(DType::kUInt8, {2, 2}), two}, {{"axis", {1}}}},
      {{of(DType::kBool, {2}), ints({1, 2})}},
      {{of(DType::kComplex64, {2}), ints({1, 2})}},
      {{of(DType::kString, {2}), ints({3, 2})}},
      {.inputs = {f32({256, 256}), two}, .attrs = {{"axis", {1}}}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(repeat) = {
    .name = "Repeat",
    .doc =
        "Every slice along an axis `repeats` times: one number for all or one for each; without "
        "an axis, every element of the flattened tensor.",
    .inputs = {in("data", kAnyType), host("repeats", kIndexTypes)},
    .attrs = {ints_attr("axis", kOptionalInts)},
    .infer = infer,
    .compose = compose,
    .grad = composed_gradient,
    .samples = samples,
};

}  // namespace penstock
