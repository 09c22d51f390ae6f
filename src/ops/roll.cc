// Roll: cyclic shift along axes.
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/indices.h"
#include "kernels/move.h"

namespace penstock {
namespace {

int64_t positive_remainder(int64_t value, int64_t size) {
  const int64_t rest = size == 0 ? 0 : value % size;
  return rest < 0 ? rest + size : rest;
}

void infer(InferContext& ctx) {
  const Shape& shape = ctx.shape(0);
  if (shape.rank() == 0) ctx.fail("input must be 1-D or higher");
  if (ctx.shape(1).rank() > 1 || ctx.shape(2).rank() > 1 ||
      (ctx.shape(1).is_known() && ctx.shape(2).is_known() && ctx.shape(1) != ctx.shape(2))) {
    ctx.fail("shift and axis must be scalars or lists of the same size, but their shapes are ",
             ctx.shape(1), " and ", ctx.shape(2));
  }
  bool known = false;
  for (int64_t axis : ctx.ints(2, &known)) {
    if (shape.has_rank()) ctx.axis(axis, shape.rank());
  }
  ctx.add_output(ctx.dtype(0), shape);
}

// Each shifted axis consists of two parts that swap: one box for every combination of parts.
KernelResult cpu(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  if (in.size() == 0) return KernelResult::ok();
  const int rank = in.shape.rank();
  const auto strides = row_major_strides(in.shape);
  int64_t shifts[kMaxRank] = {};
  for (int64_t i = 0; i < ctx.inputs[2].size(); ++i) {
    const int64_t axis = kernels::index_at(ctx.inputs[2], i);
    const auto at = static_cast<int>(axis < 0 ? axis + rank : axis);
    const int64_t size = in.shape[at];
    const int64_t shift = positive_remainder(kernels::index_at(ctx.inputs[1], i), size);
    shifts[at] = (shifts[at] + shift) % size;
  }
  for (uint32_t parts = 0; parts < (1u << rank); ++parts) {
    kernels::Move box;
    for (int i = 0; i < rank; ++i) {
      const int64_t stride = strides[static_cast<size_t>(i)];
      const bool wraps = ((parts >> i) & 1) != 0;
      const int64_t size = wraps ? shifts[i] : in.shape[i] - shifts[i];
      box.add(size, stride, stride);
      box.from_start += wraps ? (in.shape[i] - shifts[i]) * stride : 0;
      box.to_start += wraps ? 0 : shifts[i] * stride;
    }
    kernels::move(box, in.data, ctx.outputs[0].data, dtype_size(in.dtype));
  }
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) {
  const Tensor& axes = g.input(2);
  IntVector shifts;
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    int64_t axis = kernels::index_at(axes.view(), i);
    if (axis < 0) axis += g.input(0).rank();
    const int64_t size = g.input(0).shape()[static_cast<int>(axis)];
    shifts.push_back(size - positive_remainder(kernels::index_at(g.input(1).view(), i), size));
  }
  return {roll(g.dy(), Tensor::from<int64_t>(shifts, axes.shape()), axes), {}, {}};
}

std::vector<Sample> samples() {
  const auto one = [](double value) { return given(DType::kInt32, {}, {value}); };
  return {
      {{f32({5}), one(2), one(0)}},
      {{f32({5}), one(-7), one(-1)}},
      {{f32({3, 4}), ints({1, -1}), ints({0, 1})}},
      {{f32({3, 4}), ints({1, 2}), ints({1, 1})}},
      {{f32({2, 3, 2}), given(DType::kInt64, {2}, {1, 4}), ints({-3, 1})}},
      {{f32({2, 3}), ints({}), ints({})}},
      {{f32({0, 3}), one(1), one(0)}},
      {{of(DType::kFloat64, {2, 3}), one(1), given(DType::kInt64, {}, {1})}},
      {{of(DType::kFloat16, {4}), one(1), one(0)}},
      {{of(DType::kInt32, {4}), one(1), one(0)}},
      {{of(DType::kUInt8, {2, 4}), one(3), one(1)}},
      {{of(DType::kBool, {4}), one(1), one(0)}},
      {{of(DType::kComplex64, {4}), one(1), one(0)}},
      {{of(DType::kString, {4}), one(1), one(0)}},
      {{f32({512, 512}), ints({100, 100}), ints({0, 1})}, {}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(roll) = {
    .name = "Roll",
    .doc = "The elements moved on by `shift` along `axis`; those beyond the end come in again.",
    .inputs = {in("input", kAnyType), host("shift", kIndexTypes, 'I'),
               host("axis", kIndexTypes, 'A')},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.inputs = 0b110},
    .samples = samples,
};

}  // namespace penstock
