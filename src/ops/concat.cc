// ConcatV2: tensors one after the other along an axis.
#include <penstock/base/checked.h>
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/move.h"

namespace penstock {
namespace {

// Joins `other` to `joined`, which must agree on all axes except one.
void join(const InferContext& ctx, size_t i, int axis, Shape* joined) {
  const Shape& first = ctx.shape(0);
  const Shape& other = ctx.shape(i);
  if (other.rank() != first.rank()) {
    ctx.fail("Ranks of all inputs should match: shape[0] = ", first, " vs. shape[", i,
             "] = ", other);
  }
  for (int k = 0; k < first.rank(); ++k) {
    const int64_t a = (*joined)[k];
    const int64_t b = other[k];
    if (k == axis) {
      int64_t sum = kUnknownDim;
      if (a >= 0 && b >= 0 && !checked_add(a, b, &sum)) {
        ctx.fail_size("the size of axis ", axis);
      }
      joined->set(k, sum);
    } else if (a == kUnknownDim) {
      joined->set(k, b);
    } else if (b != kUnknownDim && a != b) {
      ctx.fail("Dimension ", k, " in both shapes must be equal: shape[0] = ", first, " vs. shape[",
               i, "] = ", other);
    }
  }
}

// If the rank of some input is unknown: what the others determine about all axes except that one.
Shape open_joined(const InferContext& ctx) {
  Shape joined = Shape::unknown_rank();
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    const Shape& shape = ctx.shape(i);
    if (!shape.has_rank()) continue;
    if (!joined.has_rank()) joined = shape;
    if (shape.rank() != joined.rank()) return Shape::unknown_rank();
    for (int k = 0; k < joined.rank(); ++k) {
      if (joined[k] == kUnknownDim) joined.set(k, shape[k]);
    }
  }
  if (joined.has_rank()) joined.set(ctx.axis(ctx.attr(0).as_int(), joined.rank()), kUnknownDim);
  return joined;
}

void infer(InferContext& ctx) {
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    if (!ctx.shape(i).has_rank()) return ctx.add_output(ctx.dtype(0), open_joined(ctx));
  }
  const int axis = ctx.axis(ctx.attr(0).as_int(), ctx.shape(0).rank());
  if (ctx.num_inputs() == 1) return ctx.share_output(ctx.shape(0));
  Shape joined = ctx.shape(0);
  for (size_t i = 1; i < ctx.num_inputs(); ++i) join(ctx, i, axis, &joined);
  ctx.add_output(ctx.dtype(0), joined);
}

int axis_of(const Shape& shape, const Attr& attr) {
  const int64_t axis = attr.as_int();
  return static_cast<int>(axis < 0 ? axis + shape.rank() : axis);
}

KernelResult cpu(const KernelContext& ctx) {
  const View& out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  const int axis = axis_of(out.shape, ctx.attrs[0]);
  const kernels::AxisParts whole = kernels::parts_at(out.shape, axis);
  const int64_t row = whole.size * whole.inner;
  int64_t start = 0;
  for (const View& input : ctx.inputs) {
    const int64_t run = input.shape[axis] * whole.inner;
    kernels::Move part;
    part.add(whole.outer, run, row);
    part.add(run, 1, 1);
    part.to_start = start;
    kernels::move(part, input.data, out.data, dtype_size(out.dtype));
    start += run;
  }
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) {
  const int axis = axis_of(g.output().shape(), g.attr(0));
  const Tensor dy = g.dy();
  Shape begin = dy.shape();
  for (int i = 0; i < begin.rank(); ++i) begin.set(i, 0);
  Gradients found;
  for (size_t i = 0; i < g.num_inputs(); ++i) {
    const Shape& shape = g.input(i).shape();
    found.push_back(g.needs(i) ? Gradient(slice(dy, shape_tensor(begin), shape_tensor(shape)))
                               : Gradient());
    begin.set(axis, begin[axis] + shape[axis]);
  }
  return found;
}

std::vector<Sample> samples() {
  return {
      {{f32({2, 3}), f32({1, 3})}, {{"axis", 0}}},
      {{f32({2, 3}), f32({2, 1}), f32({2, 0})}, {{"axis", -1}}},
      {{of(DType::kFloat64, {2, 3, 2}), of(DType::kFloat64, {2, 1, 2})}, {{"axis", 1}}},
      {{of(DType::kBFloat16, {3})}, {{"axis", 0}}},
      {{of(DType::kInt64, {4}), of(DType::kInt64, {2})}, {{"axis", 0}}},
      {{of(DType::kUInt8, {2, 2}), of(DType::kUInt8, {2, 3})}, {{"axis", 1}}},
      {{of(DType::kBool, {1, 2}), of(DType::kBool, {3, 2})}, {{"axis", -2}}},
      {{of(DType::kComplex128, {2, 1}), of(DType::kComplex128, {2, 2})}, {{"axis", 1}}},
      {{of(DType::kString, {2}), of(DType::kString, {1})}, {{"axis", 0}}},
      {{f32({0, 2}), f32({0, 3})}, {{"axis", 1}}},
      {{f32({256, 256}), f32({256, 256})}, {{"axis", 1}}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(concat) = {
    .name = "ConcatV2",
    .doc = "Tensors one after the other along an axis.",
    .inputs = {many("values", kAnyType)},
    .attrs = {int_attr("axis")},
    .traits = {Trait::kMoves, Trait::kCannotFail},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .samples = samples,
    .graph_name = {.scope = "concat", .attr_inputs = {{"axis", "axis"}}},
};

}  // namespace penstock
