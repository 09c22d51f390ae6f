// Division that rounds down or towards 0, the remainders, and division to real numbers.
#include <penstock/ops/compose.h>

#include <cmath>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::BinaryOp;

template <BinaryOp op>
constexpr kernels::Formula formula{.kind = kernels::Formula::Kind::kBinary,
                                   .which = static_cast<uint8_t>(op),
                                   .refused = kernels::Refused::kZero,
                                   .problem = "Integer division by zero"};

template <BinaryOp op>
KernelResult run(const KernelContext& ctx) {
  const View& y = ctx.inputs[1];
  if (formula<op>.refuses(y.dtype) && ctx.outputs[0].size() > 0 && kernels::has_zero(y)) {
    return KernelResult::invalid(formula<op>.problem);
  }
  return run_binary<op, kernels::kHeavyGrain>(ctx);
}

template <BinaryOp op>
constexpr Kernel cpu{run<op>, &formula<op>};

Gradients floormod_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor dy = g.dy();
  if (g.needs(0)) out[0] = sum_to_like(dy, g.input(0));
  if (g.needs(1)) {
    out[1] = sum_to_like(negative(dy * floordiv(g.input(0), g.input(1))), g.input(1));
  }
  return out;
}

std::vector<Sample> samples() {
  std::vector<Sample> samples = binary_samples(kRealTypes, 1, 5);
  for (const DType dtype : {DType::kInt8, DType::kInt32, DType::kInt64, DType::kFloat32,
                            DType::kFloat64, DType::kBFloat16}) {
    samples.push_back({.inputs = {given(dtype, {6}, {7, -7, 7, -7, 6, 0}),
                                  given(dtype, {6}, {2, 2, -2, -2, -3, 5})},
                       .check_grad = false});
  }
  samples.push_back({{given(DType::kInt8, {2}, {-128, 127}), given(DType::kInt8, {2}, {-1, -1})}});
  samples.push_back(
      {.inputs = {given(DType::kFloat32, {3}, {1, -1, 0}), given(DType::kFloat32, {3}, {0, 0, 0})},
       .check_grad = false});
  return samples;
}

// The dtype of quotients: integers of up to 16 bits give float32, longer ones float64.
DType quotient_type(DType dtype) {
  if (!kIntTypes.has(dtype)) return dtype;
  return dtype_size(dtype) <= 2 ? DType::kFloat32 : DType::kFloat64;
}
Tensors compose_truediv(const ComposeContext& ctx) {
  const DType dtype = quotient_type(ctx.dtype(0));
  return {divide(cast(ctx.tensor(0), dtype), cast(ctx.tensor(1), dtype))};
}
Tensors compose_reciprocal_no_nan(const ComposeContext& ctx) {
  return {div_no_nan(scalar_like(ctx.tensor(0), 1), ctx.tensor(0))};
}

std::vector<Sample> truediv_samples() { return binary_samples(kNumberTypes, 1, 5); }
std::vector<Sample> reciprocal_samples() {
  std::vector<Sample> samples = unary_samples(kFloatTypes, 0.5, 2);
  samples.push_back(
      {.inputs = {given(DType::kFloat32, {4}, {0, 2, -0.0, INFINITY})}, .check_grad = false});
  return samples;
}

constexpr DTypeSet kTruncateModTypes = kIndexTypes | DType::kFloat32 | DType::kFloat64;
std::vector<Sample> truncatemod_samples() {
  std::vector<Sample> chosen;
  for (Sample& sample : samples()) {
    if (kTruncateModTypes.has(sample.inputs[0].dtype)) chosen.push_back(std::move(sample));
  }
  return chosen;
}

}  // namespace

PEN_OP_DEF(floordiv) = {
    .name = "FloorDiv",
    .doc = "x / y rounded down.",
    .inputs = {in("x", kRealTypes), in("y", kRealTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .neutral = {1, kIntTypes},
    .infer = infer_binary,
    .cpu = cpu<BinaryOp::kFloorDivide>,
    .grad = no_gradient,
    .samples = samples,
    .graph_name = {"floordiv"},
    .operators = {{"floordiv"}},
};

PEN_OP_DEF(floormod) = {
    .name = "FloorMod",
    .doc = "What x / y rounded down leaves; it has the sign of y.",
    .inputs = {in("x", kRealTypes), in("y", kRealTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = cpu<BinaryOp::kFloorModulo>,
    .grad = floormod_grad,
    .saves = {.inputs = kAll},
    .samples = samples,
    .operators = {{"mod"}},
};

PEN_OP_DEF(truncatediv) = {
    .name = "TruncateDiv",
    .doc = "x / y rounded towards 0.",
    .inputs = {in("x", kRealTypes), in("y", kRealTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .neutral = {1, kIntTypes},
    .infer = infer_binary,
    .cpu = cpu<BinaryOp::kTruncateDivide>,
    .grad = no_gradient,
    .samples = samples,
};

PEN_OP_DEF(truncatemod) = {
    .name = "TruncateMod",
    .doc = "What x / y rounded towards 0 leaves; it has the sign of x.",
    .inputs = {in("x", kTruncateModTypes), in("y", kTruncateModTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = cpu<BinaryOp::kTruncateModulo>,
    .grad = missing_gradient,
    .samples = truncatemod_samples,
};

PEN_OP_DEF(truediv) = {
    .name = "TrueDiv",
    .doc = "x / y; of whole numbers as float32 (up to 16 bits) or float64.",
    .inputs = {in("x", kNumberTypes), in("y", kNumberTypes)},
    .infer = composed,
    .compose = compose_truediv,
    .grad = composed_gradient,
    .samples = truediv_samples,
};

PEN_OP_DEF(reciprocal_no_nan) = {
    .name = "ReciprocalNoNan",
    .doc = "1 / x, and 0 where x is 0.",
    .inputs = {in("x", kFloatTypes)},
    .infer = composed,
    .compose = compose_reciprocal_no_nan,
    .grad = composed_gradient,
    .samples = reciprocal_samples,
    .graph_name = {"reciprocal_no_nan"},
};

}  // namespace penstock
