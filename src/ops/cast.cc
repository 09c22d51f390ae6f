// Cast: the same values as another dtype.
#include "kernels/cast.h"

#include <cmath>

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
  return {cast(g.dy(), from)};
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

}  // namespace

PEN_OP_DEF(cast) = {
    .name = "Cast",
    .doc = "x as another dtype: fractions are dropped, a bool is whether x is not 0.",
    .inputs = {in("x", kFixedTypes)},
    .attrs = {dtype_attr("dtype")},
    .traits = {Trait::kElementwise},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .samples = samples,
};

}  // namespace penstock
