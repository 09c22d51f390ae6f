// OneHot: indices as rows with a single value set.
#include "kernels/one_hot.h"

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/move.h"

namespace penstock {
namespace {

void infer(InferContext& ctx) {
  for (size_t i : {1, 2, 3}) ctx.check_rank(i, 0);
  Shape shape = ctx.shape(0);
  if (!shape.has_rank()) return ctx.add_output(ctx.dtype(2), shape);
  const int64_t axis = ctx.attr(0).as_int();
  if (axis < -1 || axis > shape.rank()) {
    ctx.fail("Expected axis to be -1 or between [0, ", shape.rank() + 1, "), but received: ", axis);
  }
  bool known = false;
  const IntVector depth = ctx.ints(1, &known);
  if (known && depth[0] < 0) ctx.fail("depth must be non-negative, got: ", depth[0]);
  shape.insert(axis == -1 ? shape.rank() : static_cast<int>(axis), known ? depth[0] : kUnknownDim);
  ctx.add_output(ctx.dtype(2), shape);
}

KernelResult cpu(const KernelContext& ctx) {
  const View& out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  const int64_t axis = ctx.attrs[0].as_int();
  const auto parts =
      kernels::parts_at(out.shape, axis == -1 ? out.shape.rank() - 1 : static_cast<int>(axis));
  kernels::one_hot(ctx.inputs[0], ctx.inputs[2].data, ctx.inputs[3].data, out, parts.size,
                   parts.inner);
  return KernelResult::ok();
}

std::vector<Sample> samples() {
  const SampleInput depth = given(DType::kInt32, {}, {4});
  return {
      {{ints({0, 3, 1}), depth, f32({}), f32({})}},
      {{i32({2, 3}, -1, 5), depth, f32({}), f32({})}, {{"axis", 1}}},
      {{i32({2, 3}, -1, 5), depth, of(DType::kFloat64, {}), of(DType::kFloat64, {})},
       {{"axis", 0}}},
      {{of(DType::kInt64, {}, 0, 4), depth, of(DType::kFloat16, {}), of(DType::kFloat16, {})}},
      {{of(DType::kUInt8, {3}, 0, 6), depth, of(DType::kInt32, {}), of(DType::kInt32, {})}},
      {{of(DType::kInt8, {3}, -2, 4), depth, of(DType::kUInt8, {}), of(DType::kUInt8, {})}},
      {{ints({1, 2}), depth, given(DType::kBool, {}, {1}), given(DType::kBool, {}, {0})}},
      {{ints({1, 2}), depth, of(DType::kComplex64, {}), of(DType::kComplex64, {})}},
      {{ints({1, 2}), depth, of(DType::kString, {}), of(DType::kString, {})}},
      {{ints({1, 2}), given(DType::kInt32, {}, {0}), f32({}), f32({})}},
      {{i32({0}), depth, f32({}), f32({})}},
      {{i32({1024}, 0, 1000), given(DType::kInt32, {}, {1000}), f32({}), f32({})},
       {},
       0,
       true,
       true},
  };
}

}  // namespace

PEN_OP_DEF(one_hot) = {
    .name = "OneHot",
    .doc = "on_value where the new axis's position is the index, off_value elsewhere.",
    .inputs = {in("indices", kIndexTypes | DType::kUInt8 | DType::kInt8, 'I'),
               host("depth", DType::kInt32), in("on_value", kAnyType), in("off_value", kAnyType)},
    .attrs = {int_attr("axis", -1)},
    .infer = infer,
    .cpu = cpu,
    .grad = no_gradient,
    .samples = samples,
    .graph_name = {"one_hot"},
};

}  // namespace penstock
