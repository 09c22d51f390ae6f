// XwPlusB and ReluLayer: a matrix product with a bias, without and with a relu.
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

Tensor xw_plus_b_of(const ComposeContext& ctx) {
  return bias_add(matmul(ctx.tensor(0), ctx.tensor(1)), ctx.tensor(2));
}
Tensors compose_plain(const ComposeContext& ctx) { return {xw_plus_b_of(ctx)}; }
Tensors compose_relu(const ComposeContext& ctx) { return {relu(xw_plus_b_of(ctx))}; }

std::vector<Sample> samples() {
  using enum DType;
  return {
      {{f32({3, 4}), f32({4, 2}), f32({2})}},
      {{of(kFloat64, {2, 3}), of(kFloat64, {3, 3}), of(kFloat64, {3})}},
      {{f32({0, 4}), f32({4, 2}), f32({2})}},
      {{of(kBFloat16, {3, 4}), of(kBFloat16, {4, 2}), of(kBFloat16, {2})}, {}, 0.05},
      {.inputs = {f32({128, 512}), f32({512, 512}), f32({512})}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(xw_plus_b) = {
    .name = "XwPlusB",
    .doc = "The matrix product of x and weights, plus biases.",
    .inputs = {in("x", kRealFloatTypes), in("weights", kRealFloatTypes),
               in("biases", kRealFloatTypes)},
    .traits = {Trait::kComposesOpen},
    .infer = composed,
    .compose = compose_plain,
    .grad = composed_gradient,
    .samples = samples,
    .graph_name = {"xw_plus_b"},
};

PEN_OP_DEF(relu_layer) = {
    .name = "ReluLayer",
    .doc = "The matrix product of x and weights, plus biases, where that is positive, and else 0.",
    .inputs = {in("x", kRealFloatTypes), in("weights", kRealFloatTypes),
               in("biases", kRealFloatTypes)},
    .traits = {Trait::kComposesOpen},
    .infer = composed,
    .compose = compose_relu,
    .grad = composed_gradient,
    .samples = samples,
    .graph_name = {"relu_layer"},
};

}  // namespace penstock
