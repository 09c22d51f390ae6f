// Sum and Mean over axes, and SumTo, the opposite of broadcasting.
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "ops/reduction.h"

namespace penstock {
namespace {

using kernels::Reduction;
using Ints = std::vector<int64_t>;

Gradients grad_sum(const GradContext& g) { return {spread(g, g.dy())}; }

Gradients grad_mean(const GradContext& g) {
  const int64_t outputs = g.output().num_elements();
  const int64_t count = outputs == 0 ? 1 : g.input(0).num_elements() / outputs;
  return {spread(g, g.dy() / static_cast<double>(count))};
}

std::vector<Sample> samples() {
  return {
      {{f32({2, 3, 4})}},
      {{f32({2, 3, 4})}, {{"axis", Ints{1}}}},
      {{f32({2, 3, 4})}, {{"axis", Ints{-1, 0}}, {"keepdims", true}}},
      {{f32({5, 1, 3})}, {{"axis", Ints{1}}}},
      {{f32({2, 3})}, {{"axis", Ints{}}}},
      {{f32({2, 2, 3, 2, 2})}, {{"axis", Ints{0, 2, 4}}}},
      {{f32({2, 2, 3, 2, 2})}, {{"axis", Ints{1, 3}}}},
      {{f32({})}},
      {{f32({3, 0})}, {{"axis", Ints{0}}}},
      {{f32({2, 0, 3})}, {{"axis", Ints{1}}}, 0, false},
      {{of(DType::kFloat64, {7, 13})}, {{"axis", Ints{0}}}},
      {{of(DType::kFloat64, {3, 33})}, {{"axis", Ints{1}}}},
      {{of(DType::kFloat16, {4, 5})}, {{"axis", Ints{1}}}},
      {{of(DType::kBFloat16, {4, 5})}, {{"axis", Ints{0}}}},
      {{i32({4, 5})}, {{"axis", Ints{0}}}},
      {{of(DType::kInt64, {9}, -50, 50)}},
      {{of(DType::kInt8, {3, 4}, -20, 20)}, {{"axis", Ints{1}}}},
      {{of(DType::kUInt8, {3, 4}, 0, 50)}, {{"axis", Ints{1}}}},
      {{of(DType::kComplex64, {3, 4})}, {{"axis", Ints{0}}}},
      {{of(DType::kComplex128, {3, 4})}, {{"axis", Ints{1}}}},
      {.inputs = {f32({1024, 1024})}, .attrs = {{"axis", Ints{1}}}, .for_speed = true},
  };
}

// Input axes that are longer than the wanted shape has them. Pre: infer_sum_to accepted it.
uint32_t summed_axes(const Shape& from, const Shape& to) {
  const int lead = from.rank() - to.rank();
  uint32_t axes = 0;
  for (int i = 0; i < from.rank(); ++i) {
    if (i < lead || from[i] != to[i - lead]) axes |= 1u << i;
  }
  return axes;
}

void infer_sum_to(InferContext& ctx) {
  const Shape& from = ctx.shape(0);
  const Shape to = ctx.shape_value(1);
  if (!from.is_known() || !to.is_known()) return ctx.add_output(ctx.dtype(0), to);
  Shape together;
  if (to.rank() > from.rank() || !broadcast_shapes(to, from, &together) || together != from) {
    ctx.fail("shape ", to, " does not broadcast to the input's shape ", from);
  }
  bool is_same_data = true;
  const uint32_t axes = summed_axes(from, to);
  for (int i = 0; i < from.rank(); ++i) {
    is_same_data = is_same_data && (((axes >> i) & 1) == 0 || from[i] == 1);
  }
  if (is_same_data) return ctx.share_output(to);
  ctx.add_output(ctx.dtype(0), to);
}

KernelResult cpu_sum_to(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  const View& out = ctx.outputs[0];
  kernels::reduce(Reduction::kSum, x, summed_axes(x.shape, out.shape), out);
  return KernelResult::ok();
}

Gradients grad_sum_to(const GradContext& g) {
  return {broadcast_to(g.dy(), shape_tensor(g.input(0))), {}};
}

std::vector<Sample> samples_sum_to() {
  return {
      {{f32({2, 3}), ints({3})}},
      {{f32({2, 3, 4}), ints({3, 1})}},
      {{f32({2, 3}), ints({2, 3})}},
      {{f32({1, 3}), given(DType::kInt64, {1}, {3})}},
      {{f32({2, 3}), ints({})}},
      {{f32({0, 3}), ints({1, 3})}, {}, 0, false},
      {{i32({4, 2}), ints({4, 1})}},
      {{of(DType::kFloat16, {4, 2}), ints({2})}},
      {{of(DType::kFloat64, {2, 3, 2}), ints({2, 1, 2})}},
      {{of(DType::kComplex64, {4, 2}), ints({1, 2})}},
      {.inputs = {f32({1024, 256}), ints({256})}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(reduce_sum) = {
    .name = "Sum",
    .doc = "The sum over the given axes, or over all of them.",
    .inputs = {in("input", kNumberTypes)},
    .attrs = {ints_attr("axis", kAllAxes), bool_attr("keepdims", false)},
    .traits = {Trait::kCannotFail},
    .infer = infer_reduction,
    .cpu = run_reduction<Reduction::kSum>,
    .grad = grad_sum,
    .samples = samples,
    .graph_name = {.attr_inputs = {{"axis", "reduction_indices"}}},
};

PEN_OP_DEF(reduce_mean) = {
    .name = "Mean",
    .doc = "The mean over the given axes, or over all of them; that of integers is cut off.",
    .inputs = {in("input", kNumberTypes)},
    .attrs = {ints_attr("axis", kAllAxes), bool_attr("keepdims", false)},
    .traits = {Trait::kCannotFail},
    .infer = infer_reduction,
    .cpu = run_reduction<Reduction::kMean>,
    .grad = grad_mean,
    .samples = samples,
    .graph_name = {.attr_inputs = {{"axis", "reduction_indices"}}},
};

PEN_OP_DEF(sum_to) = {
    .name = "SumTo",
    .doc = "Adds x up over what broadcasting `shape` to x's shape would repeat.",
    .inputs = {in("x", kNumberTypes), host("shape", kIndexTypes)},
    .infer = infer_sum_to,
    .cpu = cpu_sum_to,
    .grad = grad_sum_to,
    .samples = samples_sum_to,
};

}  // namespace penstock
