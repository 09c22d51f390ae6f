// FakeQuantWithMinMaxArgs and FakeQuantWithMinMaxVars, with their gradients: numbers rounded to a
// grid of 2^num_bits steps between min and max, one of which is exactly 0. Inside the range the
// gradient passes unchanged; outside, it goes to the limit that x was clamped to.
#include <algorithm>
#include <cmath>

#include <penstock/base/threads.h>
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

void check_grid(const InferContext& ctx, const Attr& num_bits) {
  if (num_bits.as_int() < 2 || num_bits.as_int() > 16)
    ctx.fail("num_bits must be between 2 and 16, inclusive, but is ", num_bits);
}

// The grid's ends, shifted so that 0 is on it.
struct Grid {
  float low, high, step, inverse_step;
  Grid(float min, float max, int64_t num_bits, bool narrow_range) {
    const float first = narrow_range ? 1 : 0, last = static_cast<float>((1 << num_bits) - 1);
    step = (max - min) / (last - first);
    inverse_step = (last - first) / (max - min);
    const float zero = first - min / step;
    const float nudged = zero < first ? first : zero > last ? last : std::round(zero);
    low = (first - nudged) * step;
    high = (last - nudged) * step;
  }
  float rounded(float x) const {
    const float zero = std::round(-low * inverse_step);
    const float bounded = std::min(std::max(x, low), high) - low;
    return std::floor(bounded * inverse_step - zero + 0.5f) * step;
  }
};

void quantise(const Grid& grid, const View& x, const View& out) {
  parallel_for(x.size(), 1 << 14, [&](int64_t i, int64_t last) {
    for (; i < last; ++i) out.as<float>()[i] = grid.rounded(x.as<float>()[i]);
  });
}

// --- With attributes --------------------------------------------------------------------------

void infer_args(InferContext& ctx) {
  check_grid(ctx, ctx.attr(2));
  const double min = ctx.attr(0).as_float(), max = ctx.attr(1).as_float();
  if (!(min < max)) ctx.fail("min has to be smaller than max, was: ", min, " >= ", max);
  for (size_t i = 1; i < ctx.num_inputs(); ++i) {
    if (ctx.shape(i).is_known() && ctx.shape(0).is_known() && ctx.shape(i) != ctx.shape(0))
      ctx.fail("gradient and input must be the same size, but got ", ctx.shape(0), " and ",
               ctx.shape(i));
  }
  ctx.add_output(DType::kFloat32, ctx.shape(0));
}
Grid args_grid(const KernelContext& ctx) {
  return {static_cast<float>(ctx.attrs[0].as_float()), static_cast<float>(ctx.attrs[1].as_float()),
          ctx.attrs[2].as_int(), ctx.attrs[3].as_bool()};
}
KernelResult cpu_args(const KernelContext& ctx) {
  quantise(args_grid(ctx), ctx.inputs[0], ctx.outputs[0]);
  return KernelResult::ok();
}
KernelResult cpu_args_grad(const KernelContext& ctx) {
  const Grid grid = args_grid(ctx);
  const float *dy = ctx.inputs[0].as<float>(), *x = ctx.inputs[1].as<float>();
  float* dx = ctx.outputs[0].as<float>();
  for (int64_t i = 0; i < ctx.outputs[0].size(); ++i)
    dx[i] = x[i] >= grid.low && x[i] <= grid.high ? dy[i] : 0;
  return KernelResult::ok();
}
Gradients grad_args(const GradContext& g) {
  return {fake_quant_with_min_max_args_gradient(g.dy(), g.input(0), g.attr(0).as_float(),
                                                g.attr(1).as_float(), g.attr(2).as_int(),
                                                g.attr(3).as_bool())};
}

// --- With tensors -----------------------------------------------------------------------------

void infer_vars(InferContext& ctx) {
  check_grid(ctx, ctx.attr(0));
  ctx.check_rank(1, 0);
  ctx.check_rank(2, 0);
  ctx.add_output(DType::kFloat32, ctx.shape(0));
}
void infer_vars_grad(InferContext& ctx) {
  check_grid(ctx, ctx.attr(0));
  ctx.check_rank(2, 0);
  ctx.check_rank(3, 0);
  if (ctx.shape(1).is_known() && ctx.shape(0).is_known() && ctx.shape(1) != ctx.shape(0)) {
    ctx.fail("gradient and input must be the same size, but got ", ctx.shape(0), " and ",
             ctx.shape(1));
  }
  ctx.add_output(DType::kFloat32, ctx.shape(0));
  ctx.add_output(DType::kFloat32, Shape{});
  ctx.add_output(DType::kFloat32, Shape{});
}
KernelResult cpu_vars(const KernelContext& ctx) {
  const Grid grid(*ctx.inputs[1].as<float>(), *ctx.inputs[2].as<float>(), ctx.attrs[0].as_int(),
                  ctx.attrs[1].as_bool());
  quantise(grid, ctx.inputs[0], ctx.outputs[0]);
  return KernelResult::ok();
}
KernelResult cpu_vars_grad(const KernelContext& ctx) {
  const Grid grid(*ctx.inputs[2].as<float>(), *ctx.inputs[3].as<float>(), ctx.attrs[0].as_int(),
                  ctx.attrs[1].as_bool());
  const float *dy = ctx.inputs[0].as<float>(), *x = ctx.inputs[1].as<float>();
  double below = 0, above = 0;
  for (int64_t i = 0; i < ctx.outputs[0].size(); ++i) {
    const float arrived = dy[i];
    if (x[i] < grid.low) below += static_cast<double>(arrived);
    if (x[i] > grid.high) above += static_cast<double>(arrived);
    ctx.outputs[0].as<float>()[i] = x[i] >= grid.low && x[i] <= grid.high ? arrived : 0;
  }
  *ctx.outputs[1].as<float>() = static_cast<float>(below);
  *ctx.outputs[2].as<float>() = static_cast<float>(above);
  return KernelResult::ok();
}
Gradients grad_vars(const GradContext& g) {
  auto [dx, dmin, dmax] = fake_quant_with_min_max_vars_gradient(
      g.dy(), g.input(0), g.input(1), g.input(2), g.attr(0).as_int(), g.attr(1).as_bool());
  return {dx, dmin, dmax};
}

// Steps have no slope, so the gradient is checked only where x is out of the grid.
std::vector<Sample> args_samples() {
  return {
      {{f32({2, 3}, -8, 8)}, {}, 0, false},
      {{f32({7}, -1, 3)},
       {{"min", -0.5}, {"max", 2.0}, {"num_bits", 4}, {"narrow_range", true}},
       0,
       false},
      {{given(DType::kFloat32, {3}, {-9, 8, 12})}},
      {{f32({0})}},
      {.inputs = {f32({1 << 20})}, .for_speed = true},
  };
}
std::vector<Sample> args_grad_samples() {
  return {
      {{f32({2, 3}), f32({2, 3}, -8, 8)}},
      {{f32({7}), f32({7}, -1, 3)}, {{"min", -0.5}, {"max", 2.0}, {"num_bits", 4}}},
  };
}
SampleInput number(double value) { return given(DType::kFloat32, {}, {value}); }
std::vector<Sample> vars_samples() {
  return {
      {{f32({2, 3}, -8, 8), number(-6), number(6)}, {}, 0, false},
      {{f32({7}, -1, 3), number(0), number(2)}, {{"narrow_range", true}}, 0, false},
      {{f32({0}), number(0), number(2)}},
  };
}
std::vector<Sample> vars_grad_samples() {
  return {
      {{f32({2, 3}), f32({2, 3}, -8, 8), number(-6), number(6)}},
      {{f32({7}), f32({7}, -1, 3), number(0), number(2)}, {{"num_bits", 3}}},
  };
}

}  // namespace

PEN_OP_DEF(fake_quant_with_min_max_args) = {
    .name = "FakeQuantWithMinMaxArgs",
    .doc = "Inputs rounded to 2^num_bits steps between min and max.",
    .inputs = {in("inputs", DType::kFloat32)},
    .attrs = {float_attr("min", -6.0), float_attr("max", 6.0), int_attr("num_bits", 8),
              bool_attr("narrow_range", false)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_args,
    .cpu = cpu_args,
    .grad = grad_args,
    .saves = {.inputs = kAll},
    .samples = args_samples,
};

PEN_OP_DEF(fake_quant_with_min_max_args_gradient) = {
    .name = "FakeQuantWithMinMaxArgsGradient",
    .doc = "The gradients where inputs are between min and max, and else 0.",
    .inputs = {in("gradients", DType::kFloat32), in("inputs", DType::kFloat32)},
    .attrs = {float_attr("min", -6.0), float_attr("max", 6.0), int_attr("num_bits", 8),
              bool_attr("narrow_range", false)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_args,
    .cpu = cpu_args_grad,
    .grad = no_gradient,
    .samples = args_grad_samples,
};

PEN_OP_DEF(fake_quant_with_min_max_vars) = {
    .name = "FakeQuantWithMinMaxVars",
    .doc = "Inputs rounded to 2^num_bits steps between min and max, which may learn.",
    .inputs = {in("inputs", DType::kFloat32), in("min", DType::kFloat32),
               in("max", DType::kFloat32)},
    .attrs = {int_attr("num_bits", 8), bool_attr("narrow_range", false)},
    .forwards = {{0, 0}},
    .infer = infer_vars,
    .cpu = cpu_vars,
    .grad = grad_vars,
    .saves = {.inputs = kAll},
    .samples = vars_samples,
};

PEN_OP_DEF(fake_quant_with_min_max_vars_gradient) = {
    .name = "FakeQuantWithMinMaxVarsGradient",
    .doc = "The gradients of FakeQuantWithMinMaxVars for its inputs, min and max.",
    .inputs = {in("gradients", DType::kFloat32), in("inputs", DType::kFloat32),
               in("min", DType::kFloat32), in("max", DType::kFloat32)},
    .attrs = {int_attr("num_bits", 8), bool_attr("narrow_range", false)},
    .outputs = {"backprops_wrt_input", "backprop_wrt_min", "backprop_wrt_max"},
    .forwards = {{0, 0}},
    .infer = infer_vars_grad,
    .cpu = cpu_vars_grad,
    .grad = no_gradient,
    .samples = vars_grad_samples,
};

}  // namespace penstock
