// Stateless random numbers: functions of a key and a counter, or of a pair of seeds.
#include <penstock/ops/compose.h>
#include <penstock/ops/context.h>
#include <penstock/ops/sample.h>

#include "kernels/random_fill.h"
#include "ops/random_inputs.h"

namespace penstock {
namespace {

using namespace random_inputs;

constexpr DTypeSet kBitTypes = kIndexTypes | DType::kUInt32 | DType::kUInt64;

void infer_key_counter(InferContext& ctx) {
  check_seeds(ctx, 0);
  ctx.add_output(DType::kUInt64, Shape{1});
  ctx.add_output(DType::kUInt64, Shape{2});
}

KernelResult cpu_key_counter(const KernelContext& ctx) {
  const kernels::PhiloxStream stream = mixed_stream(ctx, 0);
  ctx.outputs[0].as<uint64_t>()[0] = stream.key;
  ctx.outputs[1].as<uint64_t>()[0] = stream.low;
  ctx.outputs[1].as<uint64_t>()[1] = stream.high;
  return KernelResult::ok();
}

void infer_filled(InferContext& ctx, DTypeSet dtypes) {
  const DType dtype = ctx.attr(0).as_dtype();
  if (!dtypes.has(dtype)) ctx.fail_type("there are no such random numbers of dtype ", dtype);
  check_key(ctx, 1);
  ctx.add_output(dtype, ctx.shape_value(0));
}
void infer_floats(InferContext& ctx) { infer_filled(ctx, kRealFloatTypes); }
void infer_bits(InferContext& ctx) { infer_filled(ctx, kBitTypes); }

void infer_integers(InferContext& ctx) {
  check_key(ctx, 1);
  check_bounds(ctx, 4);
  ctx.add_output(ctx.dtype(4), ctx.shape_value(0));
}

using FillFn = void (*)(DType, const kernels::PhiloxStream&, void*, int64_t) noexcept;

template <FillFn fill>
KernelResult cpu_filled(const KernelContext& ctx) {
  const View& out = ctx.outputs[0];
  fill(out.dtype, keyed_stream(ctx, 1), out.data, out.size());
  return KernelResult::ok();
}

KernelResult cpu_integers(const KernelContext& ctx) {
  return draw_integers(keyed_stream(ctx, 1), ctx.inputs[4], ctx.inputs[5], ctx.outputs[0]);
}

// A row of two seeds for each of `num`.
Tensors compose_split(const ComposeContext& ctx) {
  const auto [key, counter] = stateless_random_get_key_counter(ctx.tensor(0));
  return {stateless_random_uniform_full_int(shape_tensor(Shape{ctx.attr(0).as_int(), 2}), key,
                                            counter, Tensor(1), ctx.dtype(0))};
}

// [a number that depends on the seed, data]
Tensors compose_fold_in(const ComposeContext& ctx) {
  const auto [key, counter] = stateless_random_get_key_counter(ctx.tensor(0));
  const Tensor parts[] = {stateless_random_uniform_full_int(shape_tensor(Shape{}), key, counter,
                                                            Tensor(1), ctx.dtype(1)),
                          ctx.tensor(1)};
  return {stack(parts, 0)};
}

std::vector<Sample> seed_samples() {
  using enum DType;
  return {
      {{ints({1, 2})}},
      {{given(kInt64, {2}, {-1, 1e15})}},
      {{ints({0, -7})}},
  };
}

std::vector<Sample> float_samples() {
  using enum DType;
  return {
      {{ints({2, 3}), key(), counter(), algorithm()}},
      {{ints({7}), key(), given(kUInt64, {2}, {18446744073709549568.0, 3}), algorithm()}},
      {{ints({7}), key(), counter(), given(kInt32, {}, {3})}, {{"dtype", kFloat64}}},
      {{given(kInt64, {1}, {5}), key(), counter(), algorithm()}, {{"dtype", kFloat16}}},
      {{ints({2, 2}), key(), counter(), algorithm()}, {{"dtype", kBFloat16}}},
      {{ints({0, 3}), key(), counter(), algorithm()}},
      {{ints({}), key(), counter(), algorithm()}},
  };
}

std::vector<Sample> bit_samples() {
  using enum DType;
  return {
      {{ints({2, 3}), key(), counter(), algorithm()}},
      {{ints({5}), key(), counter(), algorithm()}, {{"dtype", kInt64}}},
      {{ints({5}), key(), counter(), algorithm()}, {{"dtype", kInt32}}},
      {{ints({7}), key(), counter(), algorithm()}, {{"dtype", kUInt32}}},
      {{ints({0}), key(), counter(), algorithm()}},
  };
}

std::vector<Sample> integer_samples() {
  using enum DType;
  return {
      {{ints({3, 3}), key(), counter(), algorithm(), given(kInt32, {}, {-5}),
        given(kInt32, {}, {100})}},
      {{ints({5}), key(), counter(), algorithm(), given(kInt64, {}, {-10}),
        given(kInt64, {}, {1e12})}},
      {{ints({0}), key(), counter(), algorithm(), given(kInt32, {}, {0}), given(kInt32, {}, {1})}},
  };
}

std::vector<Sample> split_samples() {
  using enum DType;
  return {
      {{ints({1, 2})}},
      {{ints({1, 2})}, {{"num", 3}}},
      {{given(kInt64, {2}, {5, -6})}, {{"num", 1}}},
      {{ints({1, 2})}, {{"num", 0}}},
  };
}

std::vector<Sample> fold_in_samples() {
  using enum DType;
  return {
      {{ints({1, 2}), given(kInt32, {}, {3})}},
      {{given(kInt64, {2}, {5, -6}), given(kInt32, {}, {-3})}},
      {{ints({1, 2}), given(kInt64, {}, {1e12})}},
  };
}

}  // namespace

PEN_OP_DEF(stateless_random_get_key_counter) = {
    .name = "StatelessRandomGetKeyCounter",
    .doc = "The key and the counter that a pair of seeds stands for.",
    .inputs = {in("seed", kIndexTypes)},
    .outputs = {"key", "counter"},
    .infer = infer_key_counter,
    .cpu = cpu_key_counter,
    .grad = no_gradient,
    .samples = seed_samples,
};

PEN_OP_DEF(stateless_random_normal) = {
    .name = "StatelessRandomNormalV2",
    .doc = "Normal numbers with mean 0 and variance 1.",
    .inputs = {host("shape", kIndexTypes), in("key", DType::kUInt64, 'K'),
               in("counter", DType::kUInt64, 'K'), host("alg", DType::kInt32, 'A')},
    .attrs = {dtype_attr("dtype", DType::kFloat32)},
    .infer = infer_floats,
    .cpu = cpu_filled<kernels::random_normal>,
    .grad = no_gradient,
    .samples = float_samples,
};

PEN_OP_DEF(stateless_truncated_normal) = {
    .name = "StatelessTruncatedNormalV2",
    .doc = "Normal numbers with mean 0 and variance 1, those beyond 2 left out.",
    .inputs = {host("shape", kIndexTypes), in("key", DType::kUInt64, 'K'),
               in("counter", DType::kUInt64, 'K'), host("alg", DType::kInt32, 'A')},
    .attrs = {dtype_attr("dtype", DType::kFloat32)},
    .infer = infer_floats,
    .cpu = cpu_filled<kernels::random_truncated_normal>,
    .grad = no_gradient,
    .samples = float_samples,
};

PEN_OP_DEF(stateless_random_uniform) = {
    .name = "StatelessRandomUniformV2",
    .doc = "Numbers spread evenly over [0, 1).",
    .inputs = {host("shape", kIndexTypes), in("key", DType::kUInt64, 'K'),
               in("counter", DType::kUInt64, 'K'), host("alg", DType::kInt32, 'A')},
    .attrs = {dtype_attr("dtype", DType::kFloat32)},
    .infer = infer_floats,
    .cpu = cpu_filled<kernels::random_uniform>,
    .grad = no_gradient,
    .samples = float_samples,
};

PEN_OP_DEF(stateless_random_uniform_full_int) = {
    .name = "StatelessRandomUniformFullIntV2",
    .doc = "Whole numbers of random bits.",
    .inputs = {host("shape", kIndexTypes), in("key", DType::kUInt64, 'K'),
               in("counter", DType::kUInt64, 'K'), host("alg", DType::kInt32, 'A')},
    .attrs = {dtype_attr("dtype", DType::kUInt64)},
    .infer = infer_bits,
    .cpu = cpu_filled<kernels::random_bits>,
    .grad = no_gradient,
    .samples = bit_samples,
};

PEN_OP_DEF(stateless_random_uniform_int) = {
    .name = "StatelessRandomUniformIntV2",
    .doc = "Whole numbers spread evenly over [minval, maxval).",
    .inputs = {host("shape", kIndexTypes), in("key", DType::kUInt64, 'K'),
               in("counter", DType::kUInt64, 'K'), host("alg", DType::kInt32, 'A'),
               in("minval", kIndexTypes), in("maxval", kIndexTypes)},
    .infer = infer_integers,
    .cpu = cpu_integers,
    .grad = no_gradient,
    .samples = integer_samples,
};

PEN_OP_DEF(random_split) = {
    .name = "RandomSplit",
    .doc = "New pairs of seeds from one.",
    .inputs = {in("seed", kIndexTypes)},
    .attrs = {int_attr("num", 2)},
    .infer = composed,
    .compose = compose_split,
    .grad = no_gradient,
    .samples = split_samples,
};

PEN_OP_DEF(random_fold_in) = {
    .name = "RandomFoldIn",
    .doc = "A new pair of seeds from one and a number.",
    .inputs = {in("seed", kIndexTypes, 'S'), in("data", kIndexTypes)},
    .infer = composed,
    .compose = compose_fold_in,
    .grad = no_gradient,
    .samples = fold_in_samples,
};

}  // namespace penstock
