// Stateless draws with parameters. `shape` is that of the output: it ends with the parameters'.
#include <penstock/core/shape.h>
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/random_draws.h"
#include "ops/random_draws.h"
#include "ops/random_inputs.h"

namespace penstock {
namespace {

using namespace random_inputs;
using namespace random_draws;

constexpr DTypeSet kBinomialTypes = DTypeSet(DType::kFloat16) | DType::kFloat32 | DType::kFloat64;

void infer_gamma(InferContext& ctx) {
  check_key(ctx, 1);
  const Shape shape = ctx.shape_value(0);
  check_ends_with(ctx, shape, ctx.shape(4));
  ctx.add_output(ctx.dtype(4), shape);
}

KernelResult cpu_gamma(const KernelContext& ctx) {
  const View& alpha = ctx.inputs[4];
  const View& out = ctx.outputs[0];
  kernels::draw_gamma(keyed_stream(ctx, 1), alpha, samples_per_parameter(out, alpha.size()), out);
  return KernelResult::ok();
}

Gradients grad_gamma(const GradContext& g) {
  return {{}, {}, {}, {}, gamma_gradient(g.dy(), g.input(4), g.output())};
}

void add_draws(InferContext& ctx, const Shape& parameters) {
  const DType dtype = ctx.attr(0).as_dtype();
  if (!kDrawTypes.has(dtype)) ctx.fail_type("there are no such numbers of dtype ", dtype);
  check_seeds(ctx, 1);
  const Shape shape = ctx.shape_value(0);
  check_ends_with(ctx, shape, parameters);
  ctx.add_output(dtype, shape);
}

void infer_poisson(InferContext& ctx) { add_draws(ctx, ctx.shape(2)); }

KernelResult cpu_poisson(const KernelContext& ctx) {
  const View& rate = ctx.inputs[2];
  const View& out = ctx.outputs[0];
  kernels::draw_poisson(mixed_stream(ctx, 1), rate, samples_per_parameter(out, rate.size()), out);
  return KernelResult::ok();
}

// The broadcast shape of counts and probs: input number `counts` and the next one.
Shape batch_of(const InferContext& ctx, size_t counts) {
  Shape batch;
  if (!broadcast_shapes(ctx.shape(counts), ctx.shape(counts + 1), &batch)) {
    ctx.fail("counts and probs must have compatible batch dimensions: ", ctx.shape(counts), " vs. ",
             ctx.shape(counts + 1));
  }
  return batch;
}

void infer_binomial(InferContext& ctx) { add_draws(ctx, batch_of(ctx, 2)); }

KernelResult draw_binomial(const kernels::PhiloxStream& stream, const View& counts,
                           const View& probs, const View& out) {
  Shape batch;
  if (!broadcast_shapes(counts.shape, probs.shape, &batch)) {
    return KernelResult::invalid("counts and probs do not broadcast");
  }
  kernels::draw_binomial(stream, counts, probs, batch,
                         samples_per_parameter(out, batch.num_elements()), out);
  return KernelResult::ok();
}
KernelResult cpu_binomial(const KernelContext& ctx) {
  return draw_binomial(mixed_stream(ctx, 1), ctx.inputs[2], ctx.inputs[3], ctx.outputs[0]);
}
KernelResult cpu_keyed_binomial(const KernelContext& ctx) {
  return draw_binomial(keyed_stream(ctx, 1), ctx.inputs[4], ctx.inputs[5], ctx.outputs[0]);
}

void infer_keyed_binomial(InferContext& ctx) {
  check_key(ctx, 1);
  const DType dtype = ctx.attr(0).as_dtype();
  if (!kDrawTypes.has(dtype)) ctx.fail_type("there are no such numbers of dtype ", dtype);
  const Shape shape = ctx.shape_value(0);
  check_ends_with(ctx, shape, batch_of(ctx, 4));
  ctx.add_output(dtype, shape);
}

void infer_multinomial(InferContext& ctx) {
  check_seeds(ctx, 2);
  infer_categorical(ctx, ctx.attr(0));
}

KernelResult cpu_multinomial(const KernelContext& ctx) {
  kernels::draw_categorical(mixed_stream(ctx, 2), ctx.inputs[0], ctx.outputs[0],
                            static_cast<double*>(ctx.scratch));
  return KernelResult::ok();
}

void infer_keyed_shuffle(InferContext& ctx) {
  check_key(ctx, 1);
  infer_shuffle(ctx);
}

KernelResult cpu_shuffle(const KernelContext& ctx) {
  shuffle(keyed_stream(ctx, 1), ctx.inputs[0], ctx.outputs[0], ctx.scratch);
  return KernelResult::ok();
}

std::vector<Sample> gamma_samples() {
  using enum DType;
  std::vector<Sample> samples = {
      {{ints({2, 3}), key(), counter(), algorithm(), given(kFloat32, {3}, {0.5, 1, 2.5})}},
      {{ints({4}), key(), counter(), algorithm(), of(kFloat64, {}, 0.1, 4)}},
      {{ints({2}), key(), counter(), algorithm(), of(kFloat16, {2}, 0.5, 4)}},
      {{ints({4, 1}), key(), counter(), algorithm(), of(kBFloat16, {1}, 0.5, 4)}},
      {{ints({0, 2}), key(), counter(), algorithm(), f32({2}, 1, 2)}},
  };
  for (size_t i = 0; i + 1 < samples.size(); ++i) samples[i].check_grad = false;
  return samples;
}

std::vector<Sample> poisson_samples() {
  using enum DType;
  return {
      {{ints({2, 4}), ints({1, 2}), given(kFloat32, {4}, {0, 0.5, 9.5, 40})}, {{"dtype", kInt64}}},
      {{ints({3, 2}), ints({3, 4}), of(kFloat64, {2}, 0.1, 90)}, {{"dtype", kFloat64}}},
      {{ints({4}), given(kInt64, {2}, {5, -6}), of(kFloat16, {}, 0.5, 4)}, {{"dtype", kFloat16}}},
      {{ints({3}), ints({1, 2}), of(kInt32, {3}, 1, 50)}, {{"dtype", kInt32}}},
      {{ints({3}), ints({1, 2}), of(kInt64, {3}, 1, 5)}, {{"dtype", kFloat32}}},
      {{ints({0, 2}), ints({1, 2}), f32({2}, 1, 2)}, {{"dtype", kInt64}}},
  };
}

std::vector<Sample> binomial_samples() {
  using enum DType;
  return {
      {{ints({5, 3}), ints({1, 2}), given(kFloat32, {3}, {10, 50, 1000}),
        given(kFloat32, {3}, {0.25, 0.75, 0.5})}},
      {{ints({2, 2, 3}), ints({3, 4}), given(kFloat64, {2, 1}, {4, 100}),
        given(kFloat64, {3}, {0, 0.5, 1})},
       {{"dtype", kFloat64}}},
      {{ints({4}), given(kInt64, {2}, {5, -6}), given(kFloat16, {}, {20}),
        given(kFloat16, {}, {0.7})},
       {{"dtype", kInt32}}},
      {{ints({3, 1}), ints({3, 4}), given(kFloat32, {}, {8}), given(kFloat32, {1}, {0.3})},
       {{"dtype", kFloat32}}},
      {{ints({0}), ints({3, 4}), given(kFloat32, {}, {8}), given(kFloat32, {}, {0.3})},
       {{"dtype", kFloat16}}},
  };
}

std::vector<Sample> keyed_binomial_samples() {
  using enum DType;
  return {
      {{ints({5, 3}), key(), counter(), algorithm(), given(kFloat32, {3}, {10, 50, 1000}),
        given(kFloat32, {3}, {0.25, 0.75, 0.5})}},
      {{ints({3}), key(), counter(), algorithm(), given(kFloat64, {}, {9}),
        given(kFloat64, {}, {0.3})},
       {{"dtype", kFloat64}}},
      {{ints({2}), key(), counter(), algorithm(), given(kFloat16, {}, {9}),
        given(kFloat16, {}, {0.3})},
       {{"dtype", kInt32}}},
  };
}

std::vector<Sample> multinomial_samples() {
  using enum DType;
  return {
      {{f32({2, 3}), given(kInt32, {}, {5}), ints({1, 2})}},
      {{of(kFloat64, {1, 4}), given(kInt32, {}, {7}), given(kInt64, {2}, {5, -6})},
       {{"output_dtype", kInt32}}},
      {{of(kFloat16, {3, 2}), given(kInt32, {}, {2}), ints({1, 2})}},
      {{of(kBFloat16, {1, 2}), given(kInt32, {}, {2}), ints({1, 2})}},
      {{f32({2, 3}), given(kInt32, {}, {0}), ints({1, 2})}},
  };
}

std::vector<Sample> shuffle_samples() {
  using enum DType;
  return {
      {{f32({8}), key(), counter(), algorithm()}},
      {{of(kInt32, {5, 2}), key(), counter(), algorithm()}},
      {{of(kString, {4}), key(), counter(), algorithm()}},
      {{f32({}), key(), counter(), algorithm()}},
      {{f32({0, 2}), key(), counter(), algorithm()}},
  };
}

}  // namespace

PEN_OP_DEF(stateless_random_gamma) = {
    .name = "StatelessRandomGammaV3",
    .doc = "Gamma numbers of scale 1 and shape parameter alpha.",
    .inputs = {host("shape", kIndexTypes), in("key", DType::kUInt64, 'K'),
               in("counter", DType::kUInt64, 'K'), host("alg", DType::kInt32, 'A'),
               in("alpha", kRealFloatTypes)},
    .infer = infer_gamma,
    .cpu = cpu_gamma,
    .grad = grad_gamma,
    .saves = {.inputs = 1 << 4, .outputs = kAll},
    .samples = gamma_samples,
};

PEN_OP_DEF(stateless_random_poisson) = {
    .name = "StatelessRandomPoisson",
    .doc = "Poisson numbers of rate lam.",
    .inputs = {host("shape", kIndexTypes), in("seed", kIndexTypes, 'Z'), in("lam", kDrawTypes)},
    .attrs = {dtype_attr("dtype")},
    .infer = infer_poisson,
    .cpu = cpu_poisson,
    .grad = no_gradient,
    .samples = poisson_samples,
};

PEN_OP_DEF(stateless_random_binomial) = {
    .name = "StatelessRandomBinomial",
    .doc = "How many of `counts` trials succeed, each with probability `probs`.",
    .inputs = {host("shape", kIndexTypes), in("seed", kIndexTypes, 'Z'),
               in("counts", kBinomialTypes), in("probs", kBinomialTypes)},
    .attrs = {dtype_attr("dtype", DType::kInt64)},
    .infer = infer_binomial,
    .cpu = cpu_binomial,
    .grad = no_gradient,
    .samples = binomial_samples,
};

PEN_OP_DEF(keyed_random_binomial) = {
    .name = "KeyedRandomBinomial",
    .doc = "As StatelessRandomBinomial, for a generator's key and counter.",
    .inputs = {host("shape", kIndexTypes), in("key", DType::kUInt64, 'K'),
               in("counter", DType::kUInt64, 'K'), host("alg", DType::kInt32, 'A'),
               in("counts", kBinomialTypes), in("probs", kBinomialTypes)},
    .attrs = {dtype_attr("dtype", DType::kInt64)},
    .infer = infer_keyed_binomial,
    .cpu = cpu_keyed_binomial,
    .grad = no_gradient,
    .samples = keyed_binomial_samples,
};

PEN_OP_DEF(stateless_multinomial) = {
    .name = "StatelessMultinomial",
    .doc = "Classes drawn by the unnormalised log-probabilities in each row of logits.",
    .inputs = {in("logits", kRealFloatTypes), host("num_samples", DType::kInt32, 'N'),
               in("seed", kIndexTypes, 'Z')},
    .attrs = {dtype_attr("output_dtype", DType::kInt64)},
    .infer = infer_multinomial,
    .cpu = cpu_multinomial,
    .grad = no_gradient,
    .samples = multinomial_samples,
    .graph_name = {"stateless_categorical", "StatelessMultinomial"},
};

PEN_OP_DEF(stateless_shuffle) = {
    .name = "StatelessShuffle",
    .doc = "The same rows in a random order.",
    .inputs = {in("value", kAnyType), in("key", DType::kUInt64, 'K'),
               in("counter", DType::kUInt64, 'K'), host("alg", DType::kInt32, 'A')},
    .infer = infer_keyed_shuffle,
    .cpu = cpu_shuffle,
    .grad = missing_gradient,
    .samples = shuffle_samples,
};

}  // namespace penstock
