// Random numbers of one distribution: functions of a shape and two seeds. `seed` is the generator's
// key and `seed2` the op's position in its stream. The caller decides how seeds advance, and how
// much of the stream earlier calls took.
#include <penstock/ops/context.h>
#include <penstock/ops/sample.h>

#include "kernels/random_fill.h"
#include "ops/random_inputs.h"

namespace penstock {
namespace {

using namespace random_inputs;

void infer_floats(InferContext& ctx) {
  const DType dtype = ctx.attr(0).as_dtype();
  if (!kRealFloatTypes.has(dtype)) ctx.fail_type("there are no random numbers of dtype ", dtype);
  ctx.add_output(dtype, ctx.shape_value(0));
}

void infer_integers(InferContext& ctx) {
  check_bounds(ctx, 1);
  ctx.add_output(ctx.dtype(1), ctx.shape_value(0));
}

using FillFn = void (*)(DType, const kernels::PhiloxStream&, void*, int64_t) noexcept;

template <FillFn fill>
KernelResult cpu_floats(const KernelContext& ctx) {
  const View& out = ctx.outputs[0];
  fill(out.dtype, stateful_stream(ctx.attrs, 1), out.data, out.size());
  return KernelResult::ok();
}

KernelResult cpu_integers(const KernelContext& ctx) {
  return draw_integers(stateful_stream(ctx.attrs, 0), ctx.inputs[1], ctx.inputs[2], ctx.outputs[0]);
}

std::vector<Sample> float_samples() {
  using enum DType;
  return {
      {{ints({2, 3})}, {{"dtype", kFloat32}}},
      {{ints({7})}, {{"dtype", kFloat32}, {"seed", 1234567}, {"seed2", 89}}},
      {{ints({7})}, {{"dtype", kFloat64}, {"seed", -1}, {"seed2", -2}}},
      {{ints({5})}, {{"dtype", kFloat16}, {"seed", 3}}},
      {{ints({2, 2})}, {{"dtype", kBFloat16}, {"seed2", 4}}},
      {{given(kInt64, {2}, {0, 3})}, {{"dtype", kFloat32}}},
      {{ints({})}, {{"dtype", kFloat64}, {"seed", 5}}},
      {{ints({5})}, {{"dtype", kFloat32}, {"seed", 5}, {"seed2", 7}, {"skip", 1280}}},
      {.inputs = {ints({1000000})}, .attrs = {{"dtype", kFloat32}}, .for_speed = true},
  };
}
std::vector<Sample> integer_samples() {
  using enum DType;
  return {
      {{ints({3, 3}), given(kInt32, {}, {-5}), given(kInt32, {}, {100})}, {{"seed", 7}}},
      {{ints({5}), given(kInt64, {}, {-10}), given(kInt64, {}, {1e12})}, {{"seed2", 7}}},
      {{ints({0}), given(kInt32, {}, {0}), given(kInt32, {}, {1})}},
      {{ints({4}), given(kInt32, {}, {-2147483648.0}), given(kInt32, {}, {2147483647.0})}},
      {{ints({2}), given(kInt32, {}, {0}), given(kInt32, {}, {9})}, {{"seed", 1}, {"skip", 512}}},
  };
}

}  // namespace

PEN_OP_DEF(random_normal) = {
    .name = "RandomStandardNormal",
    .doc = "Normal numbers with mean 0 and variance 1.",
    .inputs = {host("shape", kIndexTypes)},
    .attrs = {dtype_attr("dtype"), int_attr("seed", 0), int_attr("seed2", 0), int_attr("skip", -1)},
    .traits = {Trait::kStateful},
    .infer = infer_floats,
    .cpu = cpu_floats<kernels::random_normal>,
    .grad = no_gradient,
    .samples = float_samples,
};

PEN_OP_DEF(truncated_normal) = {
    .name = "TruncatedNormal",
    .doc = "Normal numbers with mean 0 and variance 1, those beyond 2 left out.",
    .inputs = {host("shape", kIndexTypes)},
    .attrs = {dtype_attr("dtype"), int_attr("seed", 0), int_attr("seed2", 0), int_attr("skip", -1)},
    .traits = {Trait::kStateful},
    .infer = infer_floats,
    .cpu = cpu_floats<kernels::random_truncated_normal>,
    .grad = no_gradient,
    .samples = float_samples,
};

PEN_OP_DEF(random_uniform) = {
    .name = "RandomUniform",
    .doc = "Numbers spread evenly over [0, 1).",
    .inputs = {host("shape", kIndexTypes)},
    .attrs = {dtype_attr("dtype"), int_attr("seed", 0), int_attr("seed2", 0), int_attr("skip", -1)},
    .traits = {Trait::kStateful},
    .infer = infer_floats,
    .cpu = cpu_floats<kernels::random_uniform>,
    .grad = no_gradient,
    .samples = float_samples,
};

PEN_OP_DEF(random_uniform_int) = {
    .name = "RandomUniformInt",
    .doc = "Whole numbers spread evenly over [minval, maxval).",
    .inputs = {host("shape", kIndexTypes), in("minval", kIndexTypes), in("maxval", kIndexTypes)},
    .attrs = {int_attr("seed", 0), int_attr("seed2", 0), int_attr("skip", -1)},
    .traits = {Trait::kStateful},
    .infer = infer_integers,
    .cpu = cpu_integers,
    .grad = no_gradient,
    .samples = integer_samples,
};

}  // namespace penstock
