// Random draws with parameters, stateful: gamma, Poisson, categorical, and a random order.
#include <cstring>

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/random_draws.h"
#include "ops/random_draws.h"
#include "ops/random_inputs.h"

namespace penstock {

using namespace random_inputs;

namespace random_draws {

void infer_categorical(InferContext& ctx, const Attr& dtype) {
  ctx.check_rank(0, 2);
  ctx.check_rank(1, 0);
  if (!kIndexTypes.has(dtype.as_dtype()))
    ctx.fail_type("classes cannot be of dtype ", dtype.as_dtype());
  bool known = false;
  const IntVector samples = ctx.ints(1, &known);
  if (known && samples[0] < 0) ctx.fail("num_samples should be nonnegative, got ", samples[0]);
  const Shape& logits = ctx.shape(0);
  const int64_t classes = logits.has_rank() ? logits[1] : kUnknownDim;
  if (classes == 0) ctx.fail("num_classes should be positive, but logits have shape ", logits);
  ctx.add_output(dtype.as_dtype(), Shape{logits.has_rank() ? logits[0] : kUnknownDim,
                                         known ? samples[0] : kUnknownDim});
  if (classes > 0) ctx.set_scratch(classes, sizeof(double));
}

void shuffle(const kernels::PhiloxStream& stream, const View& in, const View& out, void* scratch) {
  if (in.size() == 0) return;
  const int64_t rows = in.shape.rank() == 0 ? 1 : in.shape[0];
  auto* order = static_cast<int64_t*>(scratch);
  kernels::draw_permutation(stream, order, rows);
  const size_t bytes = static_cast<size_t>(in.size() / rows) * dtype_size(in.dtype);
  for (int64_t i = 0; i < rows; ++i) {
    std::memcpy(out.as<char>() + static_cast<size_t>(i) * bytes,
                in.as<char>() + static_cast<size_t>(order[i]) * bytes, bytes);
  }
}

Tensor gamma_gradient(const Tensor& dy, const Tensor& alpha, const Tensor& draws) {
  const DType dtype = alpha.dtype();
  if (!kHalfTypes.has(dtype)) return sum_to_like(dy * random_gamma_grad(alpha, draws), alpha);
  const Tensor slope =
      random_gamma_grad(cast(alpha, DType::kFloat32), cast(draws, DType::kFloat32));
  return sum_to_like(dy * cast(slope, dtype), alpha);
}

void infer_shuffle(InferContext& ctx) {
  const Shape& shape = ctx.shape(0);
  ctx.add_output(ctx.dtype(0), shape);
  const int64_t rows = shape.has_rank() && shape.rank() > 0 ? shape[0] : 1;
  if (rows > UINT32_MAX) ctx.fail("no more than 2^32 - 1 rows can be shuffled, got shape ", shape);
  if (rows > 0) ctx.set_scratch(rows, sizeof(int64_t));
}

}  // namespace random_draws

namespace {

using namespace random_draws;

// The requested shape followed by the parameters' shape.
Shape draws_shape(InferContext& ctx) {
  Shape shape = ctx.shape_value(0);
  const Shape& parameters = ctx.shape(1);
  if (!shape.has_rank() || !parameters.has_rank()) return Shape::unknown_rank();
  for (int i = 0; i < parameters.rank(); ++i) shape.append(parameters[i]);
  return shape;
}

void infer_gamma(InferContext& ctx) { ctx.add_output(ctx.dtype(1), draws_shape(ctx)); }

KernelResult cpu_gamma(const KernelContext& ctx) {
  const View& alpha = ctx.inputs[1];
  const View& out = ctx.outputs[0];
  kernels::draw_gamma(stateful_stream(ctx.attrs, 0), alpha,
                      samples_per_parameter(out, alpha.size()), out);
  return KernelResult::ok();
}

Gradients grad_gamma(const GradContext& g) {
  return {{}, gamma_gradient(g.dy(), g.input(1), g.output())};
}

void infer_poisson(InferContext& ctx) {
  const DType dtype = ctx.attr(3).as_dtype();
  if (!kDrawTypes.has(dtype)) ctx.fail_type("there are no Poisson numbers of dtype ", dtype);
  ctx.add_output(dtype, draws_shape(ctx));
}

KernelResult cpu_poisson(const KernelContext& ctx) {
  const View& rate = ctx.inputs[1];
  const View& out = ctx.outputs[0];
  kernels::draw_poisson(stateful_stream(ctx.attrs, 0), rate,
                        samples_per_parameter(out, rate.size()), out);
  return KernelResult::ok();
}

void infer_multinomial(InferContext& ctx) { infer_categorical(ctx, ctx.attr(3)); }

KernelResult cpu_multinomial(const KernelContext& ctx) {
  kernels::draw_categorical(stateful_stream(ctx.attrs, 0), ctx.inputs[0], ctx.outputs[0],
                            static_cast<double*>(ctx.scratch));
  return KernelResult::ok();
}

KernelResult cpu_shuffle(const KernelContext& ctx) {
  shuffle(stateful_stream(ctx.attrs, 0), ctx.inputs[0], ctx.outputs[0], ctx.scratch);
  return KernelResult::ok();
}

std::vector<Sample> gamma_samples() {
  using enum DType;
  std::vector<Sample> samples = {
      {{ints({3}), given(kFloat32, {3}, {0.5, 1, 2.5})}, {{"seed", 1}, {"seed2", 2}}},
      {{ints({}), of(kFloat64, {2, 2}, 0.1, 4)}, {{"seed", 3}}},
      {{ints({2, 2}), of(kFloat16, {}, 0.5, 4)}, {{"seed", 4}, {"skip", 256}}},
      {{ints({4}), of(kBFloat16, {1}, 0.5, 4)}, {{"seed2", 5}}},
      {{ints({2}), f32({0}, 1, 2)}, {{"seed", 6}}},
      {.inputs = {ints({100000}), f32({}, 1, 2)}, .attrs = {{"seed", 1}}, .for_speed = true},
      {{given(kInt64, {1}, {0}), f32({2}, 1, 2)}, {{"seed", 6}}},
  };
  for (size_t i = 0; i + 1 < samples.size(); ++i) samples[i].check_grad = false;
  return samples;
}

std::vector<Sample> poisson_samples() {
  using enum DType;
  return {
      {{ints({3}), given(kFloat32, {4}, {0, 0.5, 9.5, 40})}, {{"seed", 1}, {"seed2", 2}}},
      {{ints({3}), of(kFloat64, {2}, 0.1, 90)}, {{"seed", 3}, {"dtype", kFloat64}}},
      {{ints({2, 2}), of(kFloat16, {}, 0.5, 4)}, {{"seed", 4}, {"dtype", kFloat16}}},
      {{ints({2}), of(kInt32, {3}, 1, 50)}, {{"seed", 4}, {"dtype", kInt32}}},
      {{ints({2}), of(kInt64, {3}, 1, 5)}, {{"seed", 4}, {"dtype", kFloat32}, {"skip", 512}}},
      {{ints({0}), f32({2}, 1, 2)}, {{"seed", 6}}},
  };
}

std::vector<Sample> multinomial_samples() {
  using enum DType;
  return {
      {{f32({2, 3}), given(kInt32, {}, {5})}, {{"seed", 1}, {"seed2", 2}}},
      {{of(kFloat64, {1, 4}), given(kInt32, {}, {7})}, {{"seed", 3}, {"output_dtype", kInt32}}},
      {{of(kFloat16, {3, 2}), given(kInt32, {}, {2})}, {{"seed", 3}, {"skip", 4}}},
      {{of(kBFloat16, {1, 2}), given(kInt32, {}, {2})}, {{"seed", 3}}},
      {{f32({2, 3}), given(kInt32, {}, {0})}, {{"seed", 1}}},
      {{f32({0, 3}), given(kInt32, {}, {4})}, {{"seed", 1}}},
  };
}

std::vector<Sample> shuffle_samples() {
  using enum DType;
  return {
      {{f32({8})}, {{"seed", 1}, {"seed2", 2}}},
      {{of(kInt32, {5, 2})}, {{"seed", 3}}},
      {{of(kString, {4})}, {{"seed", 3}, {"skip", 2}}},
      {{of(kBool, {3, 1, 2})}, {{"seed", 4}}},
      {{of(kComplex64, {3})}, {{"seed", 4}}},
      {{f32({})}},
      {{f32({0, 2})}},
      {{f32({3, 0})}},
      {.inputs = {f32({1000, 100})}, .attrs = {{"seed", 1}}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(random_gamma) = {
    .name = "RandomGamma",
    .doc = "Gamma numbers of scale 1, `shape` of them for each shape parameter alpha.",
    .inputs = {host("shape", kIndexTypes), in("alpha", kRealFloatTypes)},
    .attrs = {int_attr("seed", 0), int_attr("seed2", 0), int_attr("skip", -1)},
    .traits = {Trait::kStateful},
    .infer = infer_gamma,
    .cpu = cpu_gamma,
    .grad = grad_gamma,
    .saves = {.inputs = 1 << 1, .outputs = kAll},
    .samples = gamma_samples,
};

PEN_OP_DEF(random_poisson) = {
    .name = "RandomPoissonV2",
    .doc = "Poisson numbers, `shape` of them for each rate.",
    .inputs = {host("shape", kIndexTypes), in("rate", kDrawTypes)},
    .attrs = {int_attr("seed", 0), int_attr("seed2", 0), int_attr("skip", -1),
              dtype_attr("dtype", DType::kInt64)},
    .traits = {Trait::kStateful},
    .infer = infer_poisson,
    .cpu = cpu_poisson,
    .grad = missing_gradient,
    .samples = poisson_samples,
};

PEN_OP_DEF(multinomial) = {
    .name = "Multinomial",
    .doc = "Classes drawn by the unnormalised log-probabilities in each row of logits.",
    .inputs = {in("logits", kRealFloatTypes), host("num_samples", DType::kInt32)},
    .attrs = {int_attr("seed", 0), int_attr("seed2", 0), int_attr("skip", -1),
              dtype_attr("output_dtype", DType::kInt64)},
    .traits = {Trait::kStateful},
    .infer = infer_multinomial,
    .cpu = cpu_multinomial,
    .grad = no_gradient,
    .samples = multinomial_samples,
    .graph_name = {"multinomial", "Multinomial"},
};

PEN_OP_DEF(random_shuffle) = {
    .name = "RandomShuffle",
    .doc = "The same rows in a random order.",
    .inputs = {in("value", kAnyType)},
    .attrs = {int_attr("seed", 0), int_attr("seed2", 0), int_attr("skip", -1)},
    .traits = {Trait::kStateful},
    .infer = infer_shuffle,
    .cpu = cpu_shuffle,
    .grad = no_gradient,
    .samples = shuffle_samples,
};

}  // namespace penstock
