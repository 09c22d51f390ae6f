// Updates of the rows of a variable that a sparse gradient names. A repeated row is updated
// repeatedly, in order, as in TensorFlow. Other rows and their slots do not change.
#include <penstock/ops/sample.h>

#include "ops/optimizer.h"

namespace penstock {
namespace {

using kernels::UpdateRule;

constexpr UpdateInputs kGradientDescent{UpdateRule::kGradientDescent, 1, 2, 3};
constexpr UpdateInputs kMomentum{UpdateRule::kMomentum, 2, 3, 4};
constexpr UpdateInputs kAdam{UpdateRule::kAdam, 3, 9, 10};
constexpr UpdateInputs kAdagrad{UpdateRule::kAdagrad, 2, 4, 5};
constexpr UpdateInputs kRmsProp{UpdateRule::kRmsProp, 3, 7, 8};
constexpr UpdateInputs kFtrl{UpdateRule::kFtrl, 3, 3, 4};

// The parameters of a sample. The rows of the gradient update the rows `indices`.
struct Case {
  DType dtype;
  DType index;
  Shape shape;
  std::vector<double> indices;
  double power = -0.5;
  bool for_speed = false;
};
std::vector<Case> cases() {
  using enum DType;
  std::vector<double> many;
  for (int i = 0; i < 1000; ++i) many.push_back(i * 37 % 4096);
  return {
      {kFloat32, kInt32, {4, 3}, {2, 0}},  {kFloat64, kInt64, {5, 2, 2}, {1, 4, 1}, -0.7},
      {kBFloat16, kInt32, {3, 5}, {0, 2}}, {kFloat16, kInt64, {3, 5}, {2}},
      {kFloat32, kInt32, {4}, {3, 3, 0}},  {kFloat32, kInt64, {2, 3}, {}},
      {kFloat32, kInt32, {2, 0}, {1}},     {kFloat32, kInt32, {4096, 64}, many, -0.5, true},
  };
}
Shape grad_shape(const Case& c) {
  Shape rows = c.shape;
  rows.set(0, static_cast<int64_t>(c.indices.size()));
  return rows;
}
SampleInput index_input(const Case& c) {
  return given(c.index, {static_cast<int64_t>(c.indices.size())}, c.indices);
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
  return {of(c.dtype, c.shape), given(c.dtype, {}, {0.1}), of(c.dtype, grad_shape(c)),
          index_input(c)};
}
std::vector<Sample> gradient_descent_samples() { return make_samples(gradient_descent_inputs); }
std::vector<SampleInput> momentum_inputs(const Case& c) {
  return {of(c.dtype, c.shape),
          of(c.dtype, c.shape, 0.1, 2),
          given(c.dtype, {}, {0.1}),
          of(c.dtype, grad_shape(c)),
          index_input(c),
          given(c.dtype, {}, {0.9})};
}
std::vector<Sample> momentum_samples() {
  std::vector<Sample> list = make_samples(momentum_inputs);
  list.push_back({momentum_inputs(cases()[0]), {{"use_nesterov", true}}});
  return list;
}
std::vector<SampleInput> adam_inputs(const Case& c) {
  return {of(c.dtype, c.shape),
          of(c.dtype, c.shape),
          of(c.dtype, c.shape, 0.1, 2),
          given(c.dtype, {}, {0.81}),
          given(c.dtype, {}, {0.99}),
          given(c.dtype, {}, {0.1}),
          given(c.dtype, {}, {0.9}),
          given(c.dtype, {}, {0.999}),
          given(c.dtype, {}, {0.001}),
          of(c.dtype, grad_shape(c)),
          index_input(c)};
}
std::vector<Sample> adam_samples() {
  std::vector<Sample> list = make_samples(adam_inputs);
  list.push_back({adam_inputs(cases()[0]), {{"use_nesterov", true}, {"weight_decay", 0.01}}});
  return list;
}
std::vector<SampleInput> adagrad_inputs(const Case& c) {
  return {of(c.dtype, c.shape),        of(c.dtype, c.shape, 0.1, 2), given(c.dtype, {}, {0.1}),
          given(c.dtype, {}, {0.001}), of(c.dtype, grad_shape(c)),   index_input(c)};
}
std::vector<Sample> adagrad_samples() { return make_samples(adagrad_inputs); }
std::vector<SampleInput> rms_prop_inputs(const Case& c) {
  return {of(c.dtype, c.shape),        of(c.dtype, c.shape, 0.5, 2), of(c.dtype, c.shape),
          given(c.dtype, {}, {0.1}),   given(c.dtype, {}, {0.9}),    given(c.dtype, {}, {0.9}),
          given(c.dtype, {}, {0.001}), of(c.dtype, grad_shape(c)),   index_input(c)};
}
std::vector<Sample> rms_prop_samples() { return make_samples(rms_prop_inputs); }
std::vector<SampleInput> ftrl_inputs(const Case& c) {
  return {of(c.dtype, c.shape),
          of(c.dtype, c.shape, 0.1, 2),
          of(c.dtype, c.shape),
          of(c.dtype, grad_shape(c)),
          index_input(c),
          given(c.dtype, {}, {0.1}),
          given(c.dtype, {}, {0.05}),
          given(c.dtype, {}, {0.1}),
          given(c.dtype, {}, {0.02}),
          given(c.dtype, {}, {c.power})};
}
std::vector<Sample> ftrl_samples() { return make_samples(ftrl_inputs); }

}  // namespace

PEN_OP_DEF(sparse_apply_gradient_descent) = {
    .name = "SparseApplyGradientDescent",
    .doc = "var - alpha * grad, for the rows that indices name.",
    .inputs = {in("var", kRealFloatTypes), in("alpha", kRealFloatTypes),
               in("grad", kRealFloatTypes), in("indices", kIndexTypes, 'I')},
    .outputs = {"var_out"},
    .forwards = {{0, 0}},
    .infer = infer_as<kGradientDescent>,
    .cpu = run_as<kGradientDescent>,
    .grad = no_gradient,
    .samples = gradient_descent_samples,
};

PEN_OP_DEF(sparse_apply_momentum) = {
    .name = "SparseApplyMomentum",
    .doc = "As apply_momentum, for the rows that indices name.",
    .inputs = {in("var", kRealFloatTypes), in("accum", kRealFloatTypes), in("lr", kRealFloatTypes),
               in("grad", kRealFloatTypes), in("indices", kIndexTypes, 'I'),
               in("momentum", kRealFloatTypes)},
    .attrs = {bool_attr("use_nesterov", false)},
    .outputs = {"var_out", "accum_out"},
    .forwards = {{0, 0}, {1, 1}},
    .infer = infer_as<kMomentum>,
    .cpu = run_as<kMomentum>,
    .grad = no_gradient,
    .samples = momentum_samples,
};

PEN_OP_DEF(sparse_apply_adam) = {
    .name = "SparseApplyAdam",
    .doc = "As apply_adam, for the rows that indices name.",
    .inputs = {in("var", kRealFloatTypes), in("m", kRealFloatTypes), in("v", kRealFloatTypes),
               in("beta1_power", kRealFloatTypes), in("beta2_power", kRealFloatTypes),
               in("lr", kRealFloatTypes), in("beta1", kRealFloatTypes),
               in("beta2", kRealFloatTypes), in("epsilon", kRealFloatTypes),
               in("grad", kRealFloatTypes), in("indices", kIndexTypes, 'I')},
    .attrs = {bool_attr("use_nesterov", false), float_attr("weight_decay", 0.0)},
    .outputs = {"var_out", "m_out", "v_out"},
    .forwards = {{0, 0}, {1, 1}, {2, 2}},
    .infer = infer_as<kAdam>,
    .cpu = run_as<kAdam>,
    .grad = no_gradient,
    .samples = adam_samples,
};

PEN_OP_DEF(sparse_apply_adagrad) = {
    .name = "SparseApplyAdagradV2",
    .doc = "As apply_adagrad, for the rows that indices name.",
    .inputs = {in("var", kRealFloatTypes), in("accum", kRealFloatTypes), in("lr", kRealFloatTypes),
               in("epsilon", kRealFloatTypes), in("grad", kRealFloatTypes),
               in("indices", kIndexTypes, 'I')},
    .outputs = {"var_out", "accum_out"},
    .forwards = {{0, 0}, {1, 1}},
    .infer = infer_as<kAdagrad>,
    .cpu = run_as<kAdagrad>,
    .grad = no_gradient,
    .samples = adagrad_samples,
};

PEN_OP_DEF(sparse_apply_rms_prop) = {
    .name = "SparseApplyRMSProp",
    .doc = "As apply_rms_prop, for the rows that indices name.",
    .inputs = {in("var", kRealFloatTypes), in("ms", kRealFloatTypes), in("mom", kRealFloatTypes),
               in("lr", kRealFloatTypes), in("rho", kRealFloatTypes),
               in("momentum", kRealFloatTypes), in("epsilon", kRealFloatTypes),
               in("grad", kRealFloatTypes), in("indices", kIndexTypes, 'I')},
    .outputs = {"var_out", "ms_out", "mom_out"},
    .forwards = {{0, 0}, {1, 1}, {2, 2}},
    .infer = infer_as<kRmsProp>,
    .cpu = run_as<kRmsProp>,
    .grad = no_gradient,
    .samples = rms_prop_samples,
};

PEN_OP_DEF(sparse_apply_ftrl) = {
    .name = "SparseApplyFtrlV2",
    .doc = "As apply_ftrl, for the rows that indices name.",
    .inputs = {in("var", kRealFloatTypes), in("accum", kRealFloatTypes),
               in("linear", kRealFloatTypes), in("grad", kRealFloatTypes),
               in("indices", kIndexTypes, 'I'), in("lr", kRealFloatTypes),
               in("l1", kRealFloatTypes), in("l2", kRealFloatTypes),
               in("l2_shrinkage", kRealFloatTypes), in("lr_power", kRealFloatTypes)},
    .outputs = {"var_out", "accum_out", "linear_out"},
    .forwards = {{0, 0}, {1, 1}, {2, 2}},
    .infer = infer_as<kFtrl>,
    .cpu = run_as<kFtrl>,
    .grad = no_gradient,
    .samples = ftrl_samples,
};

}  // namespace penstock
