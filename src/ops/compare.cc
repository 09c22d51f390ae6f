// Comparisons, logic and tests of numbers: ops whose result is a bool.
#include <cmath>

#include <penstock/memory/strings.h>
#include <penstock/ops/compose.h>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::BinaryOp;
using kernels::UnaryOp;

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

template <BinaryOp op>
KernelResult run_equality(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  const kernels::BinaryLoop loop = x.dtype == DType::kString
                                       ? strings_loop < op == BinaryOp::kEqual >
                                       : kernels::binary_loop(op, x.dtype);
  kernels::run_binary(loop, x, ctx.inputs[1], ctx.outputs[0]);
  return KernelResult::ok();
}

// x > y is y < x, for NaN too.
template <BinaryOp op, bool swapped>
KernelResult run_order(const KernelContext& ctx) {
  const View& x = ctx.inputs[swapped ? 1 : 0];
  const View& y = ctx.inputs[swapped ? 0 : 1];
  kernels::run_binary(kernels::binary_loop(op, x.dtype), x, y, ctx.outputs[0]);
  return KernelResult::ok();
}

template <BinaryOp op>
constexpr Kernel equality_cpu{run_equality<op>, &kernels::kBinaryFormula<op>};
template <BinaryOp op, bool swapped>
constexpr Kernel order_cpu{run_order<op, swapped>, &kernels::kBinaryFormula<op, swapped>};

Tensors compose_logical_xor(const ComposeContext& ctx) {
  return {not_equal(ctx.tensor(0), ctx.tensor(1))};
}

Tensors compose_approximate_equal(const ComposeContext& ctx) {
  const Tensor& x = ctx.tensor(0);
  const Tensor& y = ctx.tensor(1);
  if (x.shape() != y.shape()) {
    ctx.fail("x and y must be of the same shape. x shape: ", x.shape(), ". y shape: ", y.shape());
  }
  return {less(abs(x - y), scalar_like(x, ctx.attr(0).as_float()))};
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
std::vector<Sample> test_samples() {
  std::vector<Sample> samples = unary_samples(kRealFloatTypes);
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64}) {
    samples.push_back({{given(dtype, {4}, {NAN, 1, INFINITY, -INFINITY})}});
  }
  return samples;
}
std::vector<Sample> approximate_samples() {
  std::vector<Sample> samples;
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    samples.push_back({{given(dtype, {4}, {1, 1, NAN, INFINITY}),
                        given(dtype, {4}, {1.0001, 1.000001, NAN, INFINITY})}});
    samples.push_back({{of(dtype, {3, 5}), of(dtype, {3, 5})}, {{"tolerance", 0.5}}});
    samples.push_back({{of(dtype, {0}), of(dtype, {0})}});
  }
  samples.push_back({.inputs = {f32({1 << 20}), f32({1 << 20})}, .for_speed = true});
  return samples;
}

LateName late_xor(const GraphCall&) { return {"", "LogicalOr LogicalAnd LogicalNot"}; }

}  // namespace

PEN_OP_DEF(equal) = {
    .name = "Equal",
    .doc = "x == y.",
    .inputs = {in("x", kAnyType), in("y", kAnyType)},
    .traits = {Trait::kElementwise, Trait::kCommutative},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_comparison,
    .cpu = equality_cpu<BinaryOp::kEqual>,
    .grad = no_gradient,
    .samples = equality_samples,
    .operators = {{"eq"}},
};

PEN_OP_DEF(not_equal) = {
    .name = "NotEqual",
    .doc = "x != y.",
    .inputs = {in("x", kAnyType), in("y", kAnyType)},
    .traits = {Trait::kElementwise, Trait::kCommutative},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_comparison,
    .cpu = equality_cpu<BinaryOp::kNotEqual>,
    .grad = no_gradient,
    .samples = equality_samples,
    .arithmetic = Arithmetic::kNotEqual,
    .operators = {{"ne"}},
};

PEN_OP_DEF(less) = {
    .name = "Less",
    .doc = "x < y.",
    .inputs = {in("x", kRealTypes), in("y", kRealTypes)},
    .traits = {Trait::kElementwise, Trait::kCannotFail},
    .infer = infer_comparison,
    .cpu = order_cpu<BinaryOp::kLess, false>,
    .grad = no_gradient,
    .samples = order_samples,
    .arithmetic = Arithmetic::kLess,
    .operators = {{"lt"}},
};

PEN_OP_DEF(less_equal) = {
    .name = "LessEqual",
    .doc = "x <= y.",
    .inputs = {in("x", kRealTypes), in("y", kRealTypes)},
    .traits = {Trait::kElementwise},
    .infer = infer_comparison,
    .cpu = order_cpu<BinaryOp::kLessEqual, false>,
    .grad = no_gradient,
    .samples = order_samples,
    .arithmetic = Arithmetic::kLessEqual,
    .operators = {{"le"}},
};

PEN_OP_DEF(greater) = {
    .name = "Greater",
    .doc = "x > y.",
    .inputs = {in("x", kRealTypes), in("y", kRealTypes)},
    .traits = {Trait::kElementwise},
    .infer = infer_comparison,
    .cpu = order_cpu<BinaryOp::kLess, true>,
    .grad = no_gradient,
    .samples = order_samples,
    .arithmetic = Arithmetic::kGreater,
    .operators = {{"gt"}},
};

PEN_OP_DEF(greater_equal) = {
    .name = "GreaterEqual",
    .doc = "x >= y.",
    .inputs = {in("x", kRealTypes), in("y", kRealTypes)},
    .traits = {Trait::kElementwise},
    .infer = infer_comparison,
    .cpu = order_cpu<BinaryOp::kLessEqual, true>,
    .grad = no_gradient,
    .samples = order_samples,
    .arithmetic = Arithmetic::kGreaterEqual,
    .operators = {{"ge"}},
};

PEN_OP_DEF(logical_and) = {
    .name = "LogicalAnd",
    .doc = "x and y.",
    .inputs = {in("x", DType::kBool), in("y", DType::kBool)},
    .traits = {Trait::kElementwise, Trait::kCommutative},
    .forwards = {{0, 0}, {1, 0}},
    .neutral = {1, DType::kBool},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kLogicalAnd>,
    .grad = no_gradient,
    .samples = logical_samples,
    .arithmetic = Arithmetic::kAnd,
    .operators = {{"mul", true}, {"and", true}},
};

PEN_OP_DEF(logical_or) = {
    .name = "LogicalOr",
    .doc = "x or y.",
    .inputs = {in("x", DType::kBool), in("y", DType::kBool)},
    .traits = {Trait::kElementwise, Trait::kCommutative},
    .forwards = {{0, 0}, {1, 0}},
    .neutral = {0, DType::kBool},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kLogicalOr>,
    .grad = no_gradient,
    .samples = logical_samples,
    .operators = {{"or", true}},
};

PEN_OP_DEF(logical_not) = {
    .name = "LogicalNot",
    .doc = "not x.",
    .inputs = {in("x", DType::kBool)},
    .traits = {Trait::kElementwise, Trait::kInvolution},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kLogicalNot>,
    .grad = no_gradient,
    .samples = not_samples,
    .operators = {{"invert", true}},
};

PEN_OP_DEF(is_nan) = {
    .name = "IsNan",
    .doc = "Whether x is not a number.",
    .inputs = {in("x", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .infer = infer_test,
    .cpu = unary_cpu<UnaryOp::kIsNan>,
    .grad = no_gradient,
    .samples = test_samples,
};

PEN_OP_DEF(is_inf) = {
    .name = "IsInf",
    .doc = "Whether x is an infinity.",
    .inputs = {in("x", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .infer = infer_test,
    .cpu = unary_cpu<UnaryOp::kIsInf>,
    .grad = no_gradient,
    .samples = test_samples,
};

PEN_OP_DEF(is_finite) = {
    .name = "IsFinite",
    .doc = "Whether x is neither an infinity nor NaN.",
    .inputs = {in("x", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .infer = infer_test,
    .cpu = unary_cpu<UnaryOp::kIsFinite>,
    .grad = no_gradient,
    .samples = test_samples,
};

PEN_OP_DEF(logical_xor) = {
    .name = "LogicalXor",
    .doc = "x or y, but not both.",
    .inputs = {in("x", DType::kBool), in("y", DType::kBool)},
    .infer = composed,
    .compose = compose_logical_xor,
    .grad = no_gradient,
    .samples = logical_samples,
    .graph_name = {.late = late_xor},
    .operators = {{"xor", true}},
};

PEN_OP_DEF(approximate_equal) = {
    .name = "ApproximateEqual",
    .doc = "Whether x and y are closer than the tolerance.",
    .inputs = {in("x", DTypeSet(DType::kFloat32) | DType::kFloat64),
               in("y", DTypeSet(DType::kFloat32) | DType::kFloat64)},
    .attrs = {float_attr("tolerance", 1e-05)},
    .infer = composed,
    .compose = compose_approximate_equal,
    .grad = no_gradient,
    .samples = approximate_samples,
};

}  // namespace penstock
