// Comparisons, logic and the test for NaN: ops whose result is a bool.
#include "kernels/compare.h"

#include <cmath>

#include <penstock/memory/strings.h>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::CompareOp;

template <bool equal>
void strings_loop(const void* x_data, const void* y_data, void* out_data, int64_t n, int stride_x,
                  int stride_y) {
  const auto* x = static_cast<const StringRef*>(x_data);
  const auto* y = static_cast<const StringRef*>(y_data);
  bool* out = static_cast<bool*>(out_data);
  for (int64_t i = 0; i < n; ++i) {
    out[i] = (string_text(x[i * stride_x]) == string_text(y[i * stride_y])) == equal;
  }
}

template <CompareOp op>
KernelResult equality_cpu(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  const kernels::BinaryLoop loop = x.dtype == DType::kString
                                       ? strings_loop < op == CompareOp::kEqual >
                                       : kernels::compare_loop(op, x.dtype);
  kernels::run_binary(loop, x, ctx.inputs[1], ctx.outputs[0]);
  return KernelResult::ok();
}

// x > y is y < x, for NaN too.
template <CompareOp op, bool swapped>
KernelResult order_cpu(const KernelContext& ctx) {
  const View& x = ctx.inputs[swapped ? 1 : 0];
  const View& y = ctx.inputs[swapped ? 0 : 1];
  kernels::run_binary(kernels::compare_loop(op, x.dtype), x, y, ctx.outputs[0]);
  return KernelResult::ok();
}

template <kernels::BinaryLoop loop>
KernelResult logical_cpu(const KernelContext& ctx) {
  kernels::run_binary(loop, ctx.inputs[0], ctx.inputs[1], ctx.outputs[0]);
  return KernelResult::ok();
}

KernelResult logical_not_cpu(const KernelContext& ctx) {
  kernels::run_unary(kernels::logical_not, ctx.inputs[0], ctx.outputs[0]);
  return KernelResult::ok();
}

void is_nan_infer(InferContext& ctx) { ctx.add_output(DType::kBool, ctx.shape(0)); }
KernelResult is_nan_cpu(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  kernels::run_unary(kernels::is_nan_loop(x.dtype), x, ctx.outputs[0]);
  return KernelResult::ok();
}

SampleInput words(const Shape& shape, std::vector<std::string> strings) {
  return {.dtype = DType::kString, .shape = shape, .strings = std::move(strings)};
}

// Half of the values occur on both sides.
std::vector<Sample> equality_samples() {
  std::vector<Sample> samples = binary_samples(kFixedTypes);
  for (const DType dtype : {DType::kFloat16, DType::kFloat32, DType::kFloat64, DType::kInt8,
                            DType::kUInt16, DType::kInt64, DType::kComplex64}) {
    samples.push_back({{given(dtype, {2, 3}, {1, 2, 3, 3, 2, 1}), given(dtype, {3}, {1, 2, 2})}});
  }
  samples.push_back({{given(DType::kFloat32, {4}, {NAN, 0, INFINITY, 1}),
                      given(DType::kFloat32, {4}, {NAN, -0.0, INFINITY, 2})}});
  samples.push_back({{words({2, 2}, {"a", "", "bc", "b"}), words({2}, {"a", "b"})}});
  samples.push_back({{words({3}, {"x", "y", ""}), words({}, {""})}});
  return samples;
}

std::vector<Sample> order_samples() {
  std::vector<Sample> samples = binary_samples(kRealTypes);
  samples.push_back({{given(DType::kFloat32, {5}, {NAN, 0, INFINITY, 1, 2}),
                      given(DType::kFloat32, {5}, {1, -0.0, INFINITY, NAN, 2})}});
  return samples;
}

std::vector<Sample> logical_samples() { return binary_samples(DType::kBool); }
std::vector<Sample> not_samples() { return unary_samples(DType::kBool); }
std::vector<Sample> is_nan_samples() {
  std::vector<Sample> samples = unary_samples(kRealFloatTypes);
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64}) {
    samples.push_back({{given(dtype, {4}, {NAN, 1, INFINITY, -INFINITY})}});
  }
  return samples;
}

}  // namespace

PEN_OP_DEF(equal) = {
    .name = "Equal",
    .doc = "x == y.",
    .inputs = {in("x", kAnyType), in("y", kAnyType)},
    .traits = {Trait::kElementwise, Trait::kCommutative},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_comparison,
    .cpu = equality_cpu<CompareOp::kEqual>,
    .grad = no_gradient,
    .samples = equality_samples,
};

PEN_OP_DEF(not_equal) = {
    .name = "NotEqual",
    .doc = "x != y.",
    .inputs = {in("x", kAnyType), in("y", kAnyType)},
    .traits = {Trait::kElementwise, Trait::kCommutative},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_comparison,
    .cpu = equality_cpu<CompareOp::kNotEqual>,
    .grad = no_gradient,
    .samples = equality_samples,
};

PEN_OP_DEF(less) = {
    .name = "Less",
    .doc = "x < y.",
    .inputs = {in("x", kRealTypes), in("y", kRealTypes)},
    .traits = {Trait::kElementwise},
    .infer = infer_comparison,
    .cpu = order_cpu<CompareOp::kLess, false>,
    .grad = no_gradient,
    .samples = order_samples,
};

PEN_OP_DEF(less_equal) = {
    .name = "LessEqual",
    .doc = "x <= y.",
    .inputs = {in("x", kRealTypes), in("y", kRealTypes)},
    .traits = {Trait::kElementwise},
    .infer = infer_comparison,
    .cpu = order_cpu<CompareOp::kLessEqual, false>,
    .grad = no_gradient,
    .samples = order_samples,
};

PEN_OP_DEF(greater) = {
    .name = "Greater",
    .doc = "x > y.",
    .inputs = {in("x", kRealTypes), in("y", kRealTypes)},
    .traits = {Trait::kElementwise},
    .infer = infer_comparison,
    .cpu = order_cpu<CompareOp::kLess, true>,
    .grad = no_gradient,
    .samples = order_samples,
};

PEN_OP_DEF(greater_equal) = {
    .name = "GreaterEqual",
    .doc = "x >= y.",
    .inputs = {in("x", kRealTypes), in("y", kRealTypes)},
    .traits = {Trait::kElementwise},
    .infer = infer_comparison,
    .cpu = order_cpu<CompareOp::kLessEqual, true>,
    .grad = no_gradient,
    .samples = order_samples,
};

PEN_OP_DEF(logical_and) = {
    .name = "LogicalAnd",
    .doc = "x and y.",
    .inputs = {in("x", DType::kBool), in("y", DType::kBool)},
    .traits = {Trait::kElementwise, Trait::kCommutative},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = logical_cpu<kernels::logical_and>,
    .grad = no_gradient,
    .samples = logical_samples,
};

PEN_OP_DEF(logical_or) = {
    .name = "LogicalOr",
    .doc = "x or y.",
    .inputs = {in("x", DType::kBool), in("y", DType::kBool)},
    .traits = {Trait::kElementwise, Trait::kCommutative},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = logical_cpu<kernels::logical_or>,
    .grad = no_gradient,
    .samples = logical_samples,
};

PEN_OP_DEF(logical_not) = {
    .name = "LogicalNot",
    .doc = "not x.",
    .inputs = {in("x", DType::kBool)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = logical_not_cpu,
    .grad = no_gradient,
    .samples = not_samples,
};

PEN_OP_DEF(is_nan) = {
    .name = "IsNan",
    .doc = "Whether x is not a number.",
    .inputs = {in("x", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .infer = is_nan_infer,
    .cpu = is_nan_cpu,
    .grad = no_gradient,
    .samples = is_nan_samples,
};

}  // namespace penstock
