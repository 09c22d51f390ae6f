// SelectV2: elements of one or the other tensor.
#include "kernels/select.h"

#include "ops/elementwise.h"

namespace penstock {
namespace {

using elementwise::broadcast;

void infer(InferContext& ctx) {
  const Shape values = broadcast(ctx, ctx.shape(1), ctx.shape(2));
  ctx.add_output(ctx.dtype(1), broadcast(ctx, ctx.shape(0), values));
}

KernelResult cpu(const KernelContext& ctx) {
  const View& out = ctx.outputs[0];
  kernels::run_ternary(kernels::select_loop(dtype_size(out.dtype)), ctx.inputs[0], ctx.inputs[1],
                       ctx.inputs[2], out);
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) {
  Gradients out{{}, {}, {}};
  const Tensor dy = g.dy();
  const Tensor zero = scalar_like(dy, 0);
  if (g.needs(1)) out[1] = sum_to_like(select(g.input(0), dy, zero), g.input(1));
  if (g.needs(2)) out[2] = sum_to_like(select(g.input(0), zero, dy), g.input(2));
  return out;
}

std::vector<Sample> samples() {
  const auto condition = [](const Shape& shape) { return of(DType::kBool, shape); };
  std::vector<Sample> samples = {
      {{condition({2, 3, 5}), f32({2, 3, 5}), f32({2, 3, 5})}},
      {{condition({3, 1}), f32({2, 1, 4}), f32({})}},
      {{condition({7}), f32({}), f32({7})}},
      {{condition({7}), f32({}), f32({})}},
      {{condition({}), f32({2, 3}), f32({3})}},
      {{condition({}), f32({}), f32({4})}},
      {{condition({}), f32({}), f32({})}},
      {{condition({0, 1}), f32({3}), f32({})}},
  };
  for (int i = 1; i < kNumDTypes; ++i) {
    const DType dtype = static_cast<DType>(i);
    samples.push_back({{condition({3, 4}), of(dtype, {4}), of(dtype, {3, 1})}});
  }
  samples.push_back(
      {.inputs = {condition({1 << 20}), f32({1 << 20}), f32({1 << 20})}, .for_speed = true});
  return samples;
}

}  // namespace

PEN_OP_DEF(select) = {
    .name = "SelectV2",
    .doc = "t where the condition is true, e elsewhere; the three broadcast together.",
    .inputs = {in("condition", DType::kBool, 'C'), in("t", kAnyType), in("e", kAnyType)},
    .traits = {Trait::kElementwise},
    .forwards = {{1, 0}, {2, 0}, {0, 0}},
    .infer = infer,
    .cpu = {cpu, &kernels::kSelectFormula},
    .grad = grad,
    .saves = {.inputs = 0b001},
    .samples = samples,
};

}  // namespace penstock
