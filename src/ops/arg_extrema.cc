// ArgMax and ArgMin: where the largest or the smallest element along an axis is.
#include <limits>

#include <penstock/ops/context.h>
#include <penstock/ops/sample.h>

#include "kernels/arg_extremum.h"

namespace penstock {
namespace {

constexpr DTypeSet kInputTypes = kRealTypes | DType::kBool;

void infer(InferContext& ctx) {
  const DType out = ctx.attr(1).as_dtype();
  if (!kIndexTypes.has(out)) ctx.fail_type("output_type must be int32 or int64, not ", out);
  if (!ctx.shape(0).has_rank()) return ctx.add_output(out, Shape::unknown_rank());
  Shape shape = ctx.shape(0);
  const int axis = ctx.axis(ctx.attr(0).as_int(), shape.rank());
  if (shape[axis] == 0) ctx.fail("Reduction axis ", axis, " is empty in shape ", shape);
  if (out == DType::kInt32 && shape[axis] > std::numeric_limits<int32_t>::max()) {
    ctx.fail("positions along axis ", axis, " of shape ", shape, " do not fit into int32");
  }
  shape.remove(axis);
  ctx.add_output(out, shape);
}

template <bool kLargest>
KernelResult cpu(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  const int64_t axis = ctx.attrs[0].as_int();
  kernels::arg_extremum(kLargest, x, static_cast<int>(axis < 0 ? axis + x.shape.rank() : axis),
                        ctx.outputs[0]);
  return KernelResult::ok();
}

std::vector<Sample> samples() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {
      {{f32({9})}},
      {{f32({2, 3, 4})}, {{"axis", 1}}},
      {{f32({2, 40})}, {{"axis", -1}, {"output_type", DType::kInt32}}},
      {{given(DType::kFloat32, {5}, {1, 3, 2, 3, 1})}},
      {{given(DType::kFloat32, {2, 3}, {nan, -3, 2, nan, nan, nan})}, {{"axis", 1}}},
      {{given(DType::kFloat32, {3, 2}, {nan, -3, 2, nan, 1, nan})}, {{"axis", 0}}},
      {{f32({0, 3})}, {{"axis", 1}}},
      {{of(DType::kFloat64, {4, 5})}, {{"axis", 0}}},
      {{of(DType::kFloat16, {4, 5})}, {{"axis", 1}}},
      {{of(DType::kBFloat16, {4, 5})}, {{"axis", 0}}},
      {{i32({4, 5})}, {{"axis", 1}}},
      {{of(DType::kInt64, {4, 5})}, {{"axis", 0}}},
      {{of(DType::kUInt8, {4, 5}, 0, 200)}, {{"axis", 1}}},
      {{of(DType::kBool, {4, 5})}, {{"axis", 1}}},
      {.inputs = {f32({1024, 1024})}, .attrs = {{"axis", 1}}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(argmax) = {
    .name = "ArgMax",
    .doc = "The position of the largest element along an axis, the first one of several.",
    .inputs = {in("input", kInputTypes)},
    .attrs = {int_attr("axis", 0), dtype_attr("output_type", DType::kInt64)},
    .infer = infer,
    .cpu = cpu<true>,
    .grad = no_gradient,
    .samples = samples,
    .graph_name = {.attr_inputs = {{"axis", "dimension"}}},
};

PEN_OP_DEF(argmin) = {
    .name = "ArgMin",
    .doc = "The position of the smallest element along an axis, the first one of several.",
    .inputs = {in("input", kInputTypes)},
    .attrs = {int_attr("axis", 0), dtype_attr("output_type", DType::kInt64)},
    .infer = infer,
    .cpu = cpu<false>,
    .grad = no_gradient,
    .samples = samples,
    .graph_name = {.attr_inputs = {{"axis", "dimension"}}},
};

}  // namespace penstock
