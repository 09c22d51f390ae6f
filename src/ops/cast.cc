// Cast and SaturateCast: the same values as another dtype.
#include "kernels/cast.h"

#include <cmath>
#include <limits>

#include <penstock/ops/compose.h>

#include "ops/elementwise.h"

namespace penstock {
namespace {

void infer(InferContext& ctx) {
  const DType to = ctx.attr(0).as_dtype();
  if (!kFixedTypes.has(to)) ctx.fail_type("cannot cast to ", to);
  if (to == ctx.dtype(0)) return ctx.share_output(ctx.shape(0));
  ctx.add_output(to, ctx.shape(0));
}

KernelResult cpu(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  const View& out = ctx.outputs[0];
  kernels::run_unary(kernels::cast_loop(x.dtype, out.dtype), x, out);
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) {
  const DType from = g.input(0).dtype();
  if (!is_differentiable(from) || !is_differentiable(g.output().dtype())) return {{}};
  return {with_values(g.raw_dy(), [&](const Tensor& dy) { return cast(dy, from); })};
}

std::vector<Sample> samples() {
  std::vector<Sample> samples = {
      {{f32({})}, {{"dtype", DType::kInt32}}},
      {{f32({0, 2})}, {{"dtype", DType::kFloat64}}},
      {{given(DType::kFloat32, {6}, {NAN, INFINITY, -INFINITY, 3e9, -3e9, 1e30})},
       {{"dtype", DType::kInt32}}},
      {{given(DType::kFloat64, {4}, {NAN, INFINITY, -INFINITY, -1e19})},
       {{"dtype", DType::kInt64}}},
      {{given(DType::kFloat32, {4}, {300, -1, 255, -129})}, {{"dtype", DType::kUInt8}}},
      {{given(DType::kFloat32, {3}, {NAN, 0, 0.5})}, {{"dtype", DType::kBool}}},
      {.inputs = {given(DType::kFloat64, {3}, {1e300, 65519, 1e-8})},
       .attrs = {{"dtype", DType::kFloat16}},
       .check_grad = false},
      {{f32({1 << 20})}, {{"dtype", DType::kFloat64}}, 0, true, true},
  };
  for (int from = 1; from < kNumDTypes; ++from) {
    for (int to = 1; to < kNumDTypes; ++to) {
      const DType source = static_cast<DType>(from);
      const DType target = static_cast<DType>(to);
      if (!kFixedTypes.has(source) || !kFixedTypes.has(target)) continue;
      const bool positive = kUnsignedTypes.has(source) || kUnsignedTypes.has(target);
      samples.push_back({{of(source, {2, 9}, positive ? 0 : -100, 100)}, {{"dtype", target}}});
    }
  }
  return samples;
}

struct Range {
  double low, high;
};
template <typename T>
double highest_in_double(T highest) {
  const double rounded = static_cast<double>(highest);
  return sizeof(T) < 8 ? rounded : std::nextafter(rounded, 0);
}

// The finite numbers of a real dtype; for 64-bit integers the highest that a double can hold.
Range range_of(DType dtype) {
  switch (dtype) {
#define PEN_CASE(T, name)                                       \
  case DType::name:                                             \
    return {static_cast<double>(std::numeric_limits<T>::min()), \
            highest_in_double(std::numeric_limits<T>::max())};
    PEN_FOR_EACH_INT(PEN_CASE)
#undef PEN_CASE
    case DType::kFloat16:
      return {-65504, 65504};
    case DType::kBFloat16:
      return {-0x1.FEp127, 0x1.FEp127};
    case DType::kFloat32:
      return {-static_cast<double>(std::numeric_limits<float>::max()),
              static_cast<double>(std::numeric_limits<float>::max())};
    default:
      return {-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  }
}

// The greatest number of `dtype` that `to` can hold as well.
Tensor upper_bound(DType dtype, DType to) {
  if (dtype == DType::kUInt64 && to == DType::kInt64) {
    return Tensor(static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
  }
  const double bound = range_of(to).high;
  const Tensor rounded = Tensor::scalar(dtype, bound);
  if (!kRealFloatTypes.has(dtype) || rounded.number_at(0) <= bound) return rounded;
  const double digits = dtype == DType::kFloat32 ? 24 : dtype == DType::kFloat16 ? 11 : 8;
  return Tensor::scalar(dtype, bound * (1 - std::exp2(-digits)));
}

Tensors compose_saturate(const ComposeContext& ctx) {
  const Tensor& x = ctx.tensor(0);
  const DType from = x.dtype();
  const DType to = ctx.attr(0).as_dtype();
  if (!kRealTypes.has(to)) ctx.fail_type("cannot saturate to ", to);
  if (from == to) return {x};
  const Range inner = range_of(to);
  const Range outer = range_of(from);
  Tensor clipped = x;
  if (inner.low > outer.low) clipped = maximum(clipped, Tensor::scalar(from, inner.low));
  if (inner.high < outer.high) clipped = minimum(clipped, upper_bound(from, to));
  return {cast(clipped, to)};
}

std::vector<Sample> saturate_samples() {
  const auto all = [](DType from, DType to, std::vector<double> values) -> Sample {
    const auto count = static_cast<int64_t>(values.size());
    return {
        .inputs = {given(from, {count}, values)}, .attrs = {{"dtype", to}}, .check_grad = false};
  };
  return {
      all(DType::kFloat32, DType::kUInt8, {300, -5, 1.9, 1e20, -INFINITY}),
      all(DType::kFloat32, DType::kInt32, {300, -5, 1.9, 1e20, -INFINITY, INFINITY}),
      all(DType::kFloat64, DType::kInt64, {300, -5, 1.9, 1e20, -INFINITY}),
      all(DType::kFloat64, DType::kFloat16, {1e20, -5, -1e20}),
      all(DType::kFloat16, DType::kInt8, {1000, -5, -1000}),
      all(DType::kInt32, DType::kUInt8, {300, -5, 7}),
      all(DType::kInt64, DType::kInt32, {1e15, -1e15, 7}),
      all(DType::kUInt8, DType::kInt8, {200, 7}),
      all(DType::kInt8, DType::kUInt64, {-3, 7}),
      all(DType::kUInt64, DType::kInt64, {1e19, 7}),
      all(DType::kInt32, DType::kFloat16, {300, -5, 100000}),
      {{f32({2, 3})}, {{"dtype", DType::kFloat64}}},
      {{f32({0})}, {{"dtype", DType::kInt16}}},
      {.inputs = {f32({1 << 20})}, .attrs = {{"dtype", DType::kUInt8}}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(cast) = {
    .name = "Cast",
    .doc = "x as another dtype: fractions are dropped, a bool is whether x is not 0.",
    .inputs = {in("x", kFixedTypes)},
    .attrs = {dtype_attr("dtype")},
    .traits = {Trait::kElementwise, Trait::kCannotFail, Trait::kConverts},
    .infer = infer,
    .cpu = {cpu, &kernels::kCastFormula},
    .grad = grad,
    .samples = samples,
};

PEN_OP_DEF(saturate_cast) = {
    .name = "SaturateCast",
    .doc = "x as another dtype; what is out of its range becomes the nearest that is not.",
    .inputs = {in("value", kRealTypes)},
    .attrs = {dtype_attr("dtype")},
    .infer = composed,
    .compose = compose_saturate,
    .grad = composed_gradient,
    .samples = saturate_samples,
    .graph_name = {"saturate_cast"},
};

}  // namespace penstock
