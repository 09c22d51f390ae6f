// Tile: a tensor repeated along its axes.
#include <penstock/base/checked.h>
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/move.h"
#include "ops/open_dims.h"

namespace penstock {
namespace {

void infer(InferContext& ctx) {
  const Shape& shape = ctx.shape(0);
  ctx.check_rank(1, 1);
  if (!shape.has_rank()) {
    return ctx.add_output(ctx.dtype(0),
                          open_dims(ctx.shape(1).has_rank() ? ctx.shape(1)[0] : kUnknownDim));
  }
  bool known = false;
  const IntVector multiples = ctx.ints(1, &known);
  Shape tiled = shape;
  if (!known) {
    for (int i = 0; i < tiled.rank(); ++i) tiled.set(i, kUnknownDim);
    return ctx.add_output(ctx.dtype(0), tiled);
  }
  if (static_cast<int64_t>(multiples.size()) != shape.rank()) {
    ctx.fail("Expected multiples argument to be a vector of length ", shape.rank(),
             " but got length ", multiples.size());
  }
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t multiple = multiples[static_cast<size_t>(i)];
    if (multiple < 0) ctx.fail("Expected multiples[", i, "] >= 0, but got ", multiple);
    if (shape[i] == kUnknownDim) continue;
    int64_t size = 0;
    if (!checked_mul(shape[i], multiple, &size)) ctx.fail_size("the size of axis ", i);
    tiled.set(i, size);
  }
  if (shape.is_known() && tiled == shape) return ctx.share_output(shape);
  ctx.add_output(ctx.dtype(0), tiled);
}

// Every axis is two: one that repeats, and the input's.
KernelResult cpu(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  const View& out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  const auto from = row_major_strides(in.shape);
  const auto to = row_major_strides(out.shape);
  kernels::Move box;
  for (int i = 0; i < in.shape.rank(); ++i) {
    const auto k = static_cast<size_t>(i);
    box.add(out.shape[i] / in.shape[i], 0, in.shape[i] * to[k]);
    box.add(in.shape[i], from[k], to[k]);
  }
  kernels::move(box, in.data, out.data, dtype_size(in.dtype));
  return KernelResult::ok();
}

// Sums the repetitions, axis by axis.
Gradients grad(const GradContext& g) {
  const Shape& shape = g.input(0).shape();
  if (g.output().num_elements() == 0) return {zeros_like(g.input(0)), {}};
  Tensor dx = g.dy();
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t multiple = dx.shape()[i] / shape[i];
    if (multiple == 1) continue;
    Shape summed = dx.shape();
    summed.set(i, shape[i]);
    const int64_t outer = kernels::product(dx.shape(), 0, i);
    const int64_t run = kernels::product(summed, i, shape.rank());
    dx = reshape(dx, shape_tensor(Shape{outer, multiple, run}));
    dx = reshape(sum_to(dx, shape_tensor(Shape{outer, 1, run})), shape_tensor(summed));
  }
  return {dx, {}};
}

std::vector<Sample> samples() {
  return {
      {{f32({2, 3}), ints({2, 1})}},
      {{f32({2, 3}), ints({1, 3})}},
      {{f32({2, 1, 3}), ints({2, 3, 2})}},
      {{f32({2, 3}), ints({1, 1})}},
      {{f32({}), ints({})}},
      {{f32({2, 3}), ints({0, 2})}},
      {{f32({0, 3}), ints({2, 2})}},
      {{of(DType::kFloat64, {3}), given(DType::kInt64, {1}, {3})}},
      {{of(DType::kBFloat16, {3}), ints({2})}},
      {{of(DType::kInt32, {2, 2}), ints({2, 2})}},
      {{of(DType::kUInt8, {1, 2}), ints({3, 1})}},
      {{of(DType::kBool, {2}), ints({2})}},
      {{of(DType::kComplex64, {2, 1}), ints({1, 2})}},
      {{of(DType::kString, {2}), ints({2})}},
      {{f32({64, 64}), ints({8, 8})}, {}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(tile) = {
    .name = "Tile",
    .doc = "A tensor repeated `multiples` times along its axes.",
    .inputs = {in("input", kAnyType), host("multiples", kIndexTypes)},
    .traits = {Trait::kMoves, Trait::kCannotFail},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .samples = samples,
};

}  // namespace penstock
