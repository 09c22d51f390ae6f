// Dense updates of variables, one fused pass each.
#include <penstock/ops/sample.h>

#include "ops/optimizer.h"

namespace penstock {
namespace {

using kernels::UpdateRule;

constexpr UpdateInputs kGradientDescent{UpdateRule::kGradientDescent, 1, 2};
constexpr UpdateInputs kMomentum{UpdateRule::kMomentum, 2, 3};
constexpr UpdateInputs kAdam{UpdateRule::kAdam, 3, 9};
constexpr UpdateInputs kAdagrad{UpdateRule::kAdagrad, 2, 4};
constexpr UpdateInputs kRmsProp{UpdateRule::kRmsProp, 3, 7};
constexpr UpdateInputs kFtrl{UpdateRule::kFtrl, 3, 3};

// The parameters of a sample.
struct Case {
  DType dtype;
  Shape shape;
  double power = -0.5;
  bool for_speed = false;
};
std::vector<Case> cases() {
  using enum DType;
  return {
      {kFloat32, {2, 3}},       {kFloat64, {37}},
      {kFloat64, {3, 2}, -0.7}, {kBFloat16, {5}},
      {kFloat16, {2, 2}},       {kFloat32, {}},
      {kFloat32, {0, 3}},       {kFloat32, {1000, 1000}, -0.5, true},
  };
}

template <typename Inputs>
std::vector<Sample> make_samples(const Inputs& inputs, std::vector<SampleAttr> attrs = {}) {
  std::vector<Sample> list;
  for (const Case& c : cases()) {
    list.push_back({.inputs = inputs(c), .attrs = attrs, .for_speed = c.for_speed});
  }
  return list;
}

std::vector<SampleInput> gradient_descent_inputs(const Case& c) {
  return {of(c.dtype, c.shape), given(c.dtype, {}, {0.1}), of(c.dtype, c.shape)};
}
std::vector<Sample> gradient_descent_samples() { return make_samples(gradient_descent_inputs); }
std::vector<SampleInput> momentum_inputs(const Case& c) {
  return {of(c.dtype, c.shape), of(c.dtype, c.shape, 0.1, 2), given(c.dtype, {}, {0.1}),
          of(c.dtype, c.shape), given(c.dtype, {}, {0.9})};
}
std::vector<Sample> momentum_samples() {
  std::vector<Sample> list = make_samples(momentum_inputs);
  list.push_back({momentum_inputs(cases()[0]), {{"use_nesterov", true}}});
  return list;
}
std::vector<SampleInput> adam_inputs(const Case& c) {
  return {of(c.dtype, c.shape),       of(c.dtype, c.shape),        of(c.dtype, c.shape, 0.1, 2),
          given(c.dtype, {}, {0.81}), given(c.dtype, {}, {0.99}),  given(c.dtype, {}, {0.1}),
          given(c.dtype, {}, {0.9}),  given(c.dtype, {}, {0.999}), given(c.dtype, {}, {0.001}),
          of(c.dtype, c.shape)};
}
std::vector<Sample> adam_samples() {
  std::vector<Sample> list = make_samples(adam_inputs);
  list.push_back({adam_inputs(cases()[0]), {{"use_nesterov", true}, {"weight_decay", 0.01}}});
  return list;
}
std::vector<SampleInput> adagrad_inputs(const Case& c) {
  return {of(c.dtype, c.shape), of(c.dtype, c.shape, 0.1, 2), given(c.dtype, {}, {0.1}),
          given(c.dtype, {}, {0.001}), of(c.dtype, c.shape)};
}
std::vector<Sample> adagrad_samples() { return make_samples(adagrad_inputs); }
std::vector<SampleInput> rms_prop_inputs(const Case& c) {
  return {of(c.dtype, c.shape),        of(c.dtype, c.shape, 0.5, 2), of(c.dtype, c.shape),
          given(c.dtype, {}, {0.1}),   given(c.dtype, {}, {0.9}),    given(c.dtype, {}, {0.9}),
          given(c.dtype, {}, {0.001}), of(c.dtype, c.shape)};
}
std::vector<Sample> rms_prop_samples() { return make_samples(rms_prop_inputs); }
std::vector<SampleInput> ftrl_inputs(const Case& c) {
  return {of(c.dtype, c.shape),      of(c.dtype, c.shape, 0.1, 2), of(c.dtype, c.shape),
          of(c.dtype, c.shape),      given(c.dtype, {}, {0.1}),    given(c.dtype, {}, {0.05}),
          given(c.dtype, {}, {0.1}), given(c.dtype, {}, {0.02}),   given(c.dtype, {}, {c.power})};
}
std::vector<Sample> ftrl_samples() { return make_samples(ftrl_inputs); }

}  // namespace

PEN_OP_DEF(apply_gradient_descent) = {
    .name = "ApplyGradientDescent",
    .doc = "var - alpha * delta.",
    .inputs = {in("var", kRealFloatTypes), in("alpha", kRealFloatTypes),
               in("delta", kRealFloatTypes)},
    .outputs = {"var_out"},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_as<kGradientDescent>,
    .cpu = run_as<kGradientDescent>,
    .grad = no_gradient,
    .samples = gradient_descent_samples,
};

PEN_OP_DEF(apply_momentum) = {
    .name = "ApplyMomentum",
    .doc = "accum * momentum + grad, and var less that times lr; nesterov looks one step ahead.",
    .inputs = {in("var", kRealFloatTypes), in("accum", kRealFloatTypes), in("lr", kRealFloatTypes),
               in("grad", kRealFloatTypes), in("momentum", kRealFloatTypes)},
    .attrs = {bool_attr("use_nesterov", false)},
    .outputs = {"var_out", "accum_out"},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 1}},
    .infer = infer_as<kMomentum>,
    .cpu = run_as<kMomentum>,
    .grad = no_gradient,
    .samples = momentum_samples,
};

PEN_OP_DEF(apply_adam) = {
    .name = "ApplyAdam",
    .doc =
        "Running means of the gradient and its square, and var less the first over the root of the "
        "second; weight_decay takes lr * weight_decay off var besides.",
    .inputs = {in("var", kRealFloatTypes), in("m", kRealFloatTypes), in("v", kRealFloatTypes),
               in("beta1_power", kRealFloatTypes), in("beta2_power", kRealFloatTypes),
               in("lr", kRealFloatTypes), in("beta1", kRealFloatTypes),
               in("beta2", kRealFloatTypes), in("epsilon", kRealFloatTypes),
               in("grad", kRealFloatTypes)},
    .attrs = {bool_attr("use_nesterov", false), float_attr("weight_decay", 0.0)},
    .outputs = {"var_out", "m_out", "v_out"},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 1}, {2, 2}},
    .infer = infer_as<kAdam>,
    .cpu = run_as<kAdam>,
    .grad = no_gradient,
    .samples = adam_samples,
};

PEN_OP_DEF(apply_adagrad) = {
    .name = "ApplyAdagradV2",
    .doc = "The sum of squared gradients, and var less lr * grad over its root.",
    .inputs = {in("var", kRealFloatTypes), in("accum", kRealFloatTypes), in("lr", kRealFloatTypes),
               in("epsilon", kRealFloatTypes), in("grad", kRealFloatTypes)},
    .outputs = {"var_out", "accum_out"},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 1}},
    .infer = infer_as<kAdagrad>,
    .cpu = run_as<kAdagrad>,
    .grad = no_gradient,
    .samples = adagrad_samples,
};

PEN_OP_DEF(apply_rms_prop) = {
    .name = "ApplyRMSProp",
    .doc =
        "A running mean of squared gradients, a momentum of gradients over its root, and var less "
        "that.",
    .inputs = {in("var", kRealFloatTypes), in("ms", kRealFloatTypes), in("mom", kRealFloatTypes),
               in("lr", kRealFloatTypes), in("rho", kRealFloatTypes),
               in("momentum", kRealFloatTypes), in("epsilon", kRealFloatTypes),
               in("grad", kRealFloatTypes)},
    .outputs = {"var_out", "ms_out", "mom_out"},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 1}, {2, 2}},
    .infer = infer_as<kRmsProp>,
    .cpu = run_as<kRmsProp>,
    .grad = no_gradient,
    .samples = rms_prop_samples,
};

PEN_OP_DEF(apply_ftrl) = {
    .name = "ApplyFtrlV2",
    .doc =
        "Follow the regularised leader: var solves for the accumulated linear and quadratic terms.",
    .inputs = {in("var", kRealFloatTypes), in("accum", kRealFloatTypes),
               in("linear", kRealFloatTypes), in("grad", kRealFloatTypes),
               in("lr", kRealFloatTypes), in("l1", kRealFloatTypes), in("l2", kRealFloatTypes),
               in("l2_shrinkage", kRealFloatTypes), in("lr_power", kRealFloatTypes)},
    .outputs = {"var_out", "accum_out", "linear_out"},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 1}, {2, 2}},
    .infer = infer_as<kFtrl>,
    .cpu = run_as<kFtrl>,
    .grad = no_gradient,
    .samples = ftrl_samples,
};

}  // namespace penstock
