// A user's own op, x³, with its gradient: the same OpDef as penstock's ops.
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/registry.h>
#include <penstock/ops/sample.h>

namespace {

using namespace penstock;

void infer(InferContext& ctx) { ctx.add_output(ctx.dtype(0), ctx.shape(0)); }

template <typename T>
void cube(const View& in, const View& out) {
  const T* x = in.as<T>();
  T* y = out.as<T>();
  for (int64_t i = 0; i < out.size(); ++i) y[i] = x[i] * x[i] * x[i];
}

KernelResult cpu(const KernelContext& ctx) {
  if (ctx.inputs[0].dtype == DType::kFloat32) {
    cube<float>(ctx.inputs[0], ctx.outputs[0]);
  } else {
    cube<double>(ctx.inputs[0], ctx.outputs[0]);
  }
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) { return {g.dy() * g.input(0) * g.input(0) * 3}; }

std::vector<Sample> samples() { return {{{f32({2, 3})}}, {{of(DType::kFloat64, {0})}}}; }

constinit const OpDef cube_op = {
    .name = "Cube",
    .doc = "x to the third power.",
    .inputs = {in("x", DTypeSet(DType::kFloat32) | DType::kFloat64)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.inputs = 1},
    .samples = samples,
};

}  // namespace

extern "C" PEN_API void penstock_register_ops() { register_op(cube_op); }
